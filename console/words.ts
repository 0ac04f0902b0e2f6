import { project } from './session.ts'

/** `$pageview` → `Page view`. Names of others stay as they were sent. */
const NAMES: Record<string, string> = {
  $pageview: 'Page view',
  $pageleave: 'Page left',
  $screen: 'Screen',
  $identify: 'Identified',
  $autocapture: 'Click or input',
  $rageclick: 'Rage click',
  $exception: 'Exception',
  $set: 'Properties set',
  $create_alias: 'Alias created',
  $browser: 'Browser',
  $browser_version: 'Browser version',
  $os: 'System',
  $os_version: 'System version',
  $device_type: 'Device',
  $current_url: 'Page address',
  $pathname: 'Page',
  $host: 'Host',
  $referrer: 'Referrer',
  $referring_domain: 'Referring domain',
  $geoip_country_name: 'Country',
  $geoip_country_code: 'Country code',
  $geoip_city_name: 'City',
  $geoip_subdivision_1_name: 'Region'
}

export const nameOf = (name: string): string => {
  const [, initial] = /^\$initial_(.+)$/.exec(name) ?? []
  const known = NAMES[initial === undefined ? name : `$${initial}`]
  return (known && initial !== undefined && `First ${known.toLowerCase()}`) || known || name
}

const zone = () => project.value?.timezone ?? 'UTC'

const format = (date: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(undefined, { timeZone: zone(), ...options }).format(date)

/** The day of a moment in the project's zone: `2026-11-27`. */
export const dayOf = (date: Date): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone() }).format(date)

export const timeOf = (date: Date): string =>
  format(date, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

export const wholeTimeOf = (date: Date): string =>
  format(date, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

const DAY = 86_400_000

/** `Today`, `Yesterday`, `Tomorrow`, or nothing. */
export function nearDay(date: Date, now = new Date()): string | undefined {
  const names = { Yesterday: -DAY, Today: 0, Tomorrow: DAY }
  const day = dayOf(date)
  return Object.entries(names).find(
    ([, shift]) => day === dayOf(new Date(now.getTime() + shift))
  )?.[0]
}

/** `Fri, 27 Nov 2026` */
export const longDay = (date: Date): string =>
  format(date, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })

export const shortDay = (date: Date): string =>
  format(date, { day: 'numeric', month: 'short', year: 'numeric' })

/** `Today, 13:52` · `Wed, 17:15` within 7 days · `3 Mar 2026` */
export function momentOf(date: Date, now = new Date()): string {
  const near = nearDay(date, now)
  if (near) {
    return `${near}, ${timeOf(date)}`
  }
  const age = now.getTime() - date.getTime()
  return age > 0 && age < 7 * DAY
    ? `${format(date, { weekday: 'short' })}, ${timeOf(date)}`
    : shortDay(date)
}

export const exactly = (date: Date): string =>
  format(date, { dateStyle: 'full', timeStyle: 'long' })

export const count = (number: number): string => new Intl.NumberFormat().format(number)

/** `374` seconds → `6m 14s` */
export function durationOf(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) {
    return `${whole}s`
  }
  const minutes = Math.floor(whole / 60)
  const pad = (number: number) => String(number).padStart(2, '0')
  return minutes < 60
    ? `${minutes}m ${pad(whole % 60)}s`
    : `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`
}

/** Returns a value of a property as text: texts as they are, the rest as JSON. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Returns the part of an address after its host. */
export const pageOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).pathname : address

/** Returns the one detail of an event that matters beside its name; empty without any. */
export function detailOf(event: string, properties: Record<string, unknown>): string {
  const page = properties.$pathname ?? properties.$current_url
  if (/^\$(pageview|pageleave|web_vitals)$/.test(event)) {
    return typeof page === 'string' ? pageOf(page) : ''
  }
  const text = properties.$el_text ?? properties.$screen_name
  if (typeof text === 'string') {
    return text
  }
  const own = Object.entries(properties).find(
    ([name, value]) =>
      !name.startsWith('$') && name !== 'token' && ['string', 'number'].includes(typeof value)
  )
  return own ? textOf(own[1]) : ''
}

/** Returns the name of this browser for its key: `Firefox on macOS`. */
export function browserName(agent = navigator.userAgent): string {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1]
  const browser = find([
    [/Edg\//, 'Edge'],
    [/OPR\//, 'Opera'],
    [/Firefox\//, 'Firefox'],
    [/Chrome\//, 'Chrome'],
    [/Safari\//, 'Safari']
  ])
  const system = find([
    [/Android/, 'Android'],
    [/iPhone|iPad/, 'iOS'],
    [/Mac OS X/, 'macOS'],
    [/Windows/, 'Windows'],
    [/Linux/, 'Linux']
  ])
  return `${browser ?? 'Browser'}${system ? ` on ${system}` : ''}`
}

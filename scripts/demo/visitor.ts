import { DAY, HOUR } from '../../src/calendar/units.ts'
import type { JsonObject } from '../../src/input/json.ts'
import {
  CHANNELS,
  type Channel,
  COMPUTERS,
  COUNTRIES,
  type Country,
  type Device,
  PHONES,
  PUBLIC_PAGES,
  SITE
} from './people.ts'
import { Random } from './random.ts'

export type DemoOptions = {
  seed: string
  /**
   * End of the history. It should be a UTC midnight: any other time shifts the daily rhythm and the
   * invoices.
   */
  anchor: Date
  days: number
  persons: number
}

export type DemoEvent = {
  uuid: string
  event: string
  distinctId: string
  timestamp: Date
  properties: JsonObject
  country: Country
}

/** Relative activity in each local hour of the day, from midnight. */
const HOURS = [1, 1, 0, 0, 0, 1, 3, 8, 20, 32, 36, 32, 22, 28, 34, 32, 28, 20, 10, 7, 8, 7, 4, 2]
const BUSY_HOURS = HOURS.map((weight, hour) => ({ weight, hour }))

/** Relative activity per UTC weekday, from Sunday. */
const WEEKDAYS = [0.2, 1, 1.1, 1.1, 1, 0.85, 0.25]

const ANONYMOUS = { $process_person_profile: false }

export type Step = { event: string; path: string; properties?: JsonObject | undefined }

/** Share of the visits of passers-by that end on the page where they begin. */
const BOUNCES = 0.55

/** Events that follow the previous one after 0.2–1.5 s; all others come after 4–120 s. */
const QUICK = new Set(['$identify', '$create_alias', 'signed up'])

/** A visitor with one browser. Visits follow the daily rhythm of the visitor's time zone. */
export class Visitor {
  readonly events: DemoEvent[] = []
  protected readonly random: Random
  protected readonly country: Country
  protected readonly channel: Channel
  protected readonly computer: Device
  protected readonly options: DemoOptions

  constructor(options: DemoOptions, name: string) {
    const { seed, anchor, days } = options
    this.options = options
    this.random = new Random(`${seed}/${anchor.toISOString()}/${days}/${name}`)
    this.country = this.random.weighted(COUNTRIES)
    this.channel = this.random.weighted(CHANNELS)
    this.computer = this.random.weighted(this.random.chance(0.85) ? COMPUTERS : PHONES)
  }

  protected get from(): number {
    return this.options.anchor.getTime() - this.options.days * DAY
  }

  /** The latest start of a session: two hours before the end, because no session lasts longer. */
  protected get lastStart(): number {
    return this.options.anchor.getTime() - 2 * HOUR
  }

  passBy(): void {
    const distinctId = this.random.uuid(this.from)
    for (let visits = this.random.between(1, 2); visits > 0; visits -= 1) {
      const start = this.moment(this.day())
      if (this.random.chance(BOUNCES)) {
        this.bounce(start, distinctId)
      } else {
        this.browse(start, this.computer, distinctId)
      }
    }
  }

  /** Adds an anonymous visit of one page, mostly not the first of the site. */
  private bounce(start: number, anonymousId: string): void {
    const { path } = this.random.weighted(PUBLIC_PAGES)
    this.session(start, this.computer, anonymousId, [{ event: '$pageview', path }], ANONYMOUS)
  }

  /**
   * Adds an anonymous visit to the public pages, ending with the steps of `last`. @returns its end
   */
  protected browse(start: number, device: Device, anonymousId: string, last: Step[] = []): number {
    const pages = Array.from({ length: this.random.between(1, 5) }, () => ({
      event: '$pageview',
      path: this.random.weighted(PUBLIC_PAGES).path
    }))
    const steps = [{ event: '$pageview', path: '/' }, ...pages, ...last]
    return this.session(start, device, anonymousId, steps, ANONYMOUS)
  }

  /** Adds a session: one event per step, with the pauses of a person reading. @returns its end */
  protected session(
    start: number,
    device: Device,
    distinctId: string,
    steps: Step[],
    properties?: JsonObject
  ): number {
    const sessionId = this.random.uuid(start)
    const windowId = this.random.uuid(start)
    const { referrer, utm } = this.channel
    const query = new URLSearchParams(utm).toString()
    const arrival = {
      $referrer: referrer,
      $referring_domain: referrer.startsWith('http') ? new URL(referrer).host : referrer,
      ...utm
    }
    let now = start
    let before = ''
    for (const step of steps) {
      now += QUICK.has(step.event)
        ? this.random.between(200, 1500)
        : this.random.between(4, 120) * 1000
      const page = before ? { $referrer: before, $referring_domain: new URL(SITE).host } : arrival
      this.capture(now, step.event, distinctId, {
        $lib: 'web',
        $session_id: sessionId,
        $window_id: windowId,
        $current_url: `${SITE}${step.path}${query && !before ? `?${query}` : ''}`,
        $host: new URL(SITE).host,
        $pathname: step.path,
        ...page,
        ...describeDevice(device),
        $timezone: this.country.timezone,
        $browser_language: this.country.language,
        ...properties,
        ...step.properties
      })
      before = `${SITE}${step.path}`
    }
    return now
  }

  /** Adds an event. Unless its properties name another SDK, the product's server sends it. */
  protected capture(time: number, event: string, distinctId: string, properties: JsonObject): void {
    this.events.push({
      uuid: this.random.uuid(time),
      event,
      distinctId,
      timestamp: new Date(time),
      country: this.country,
      properties: { $lib: 'posthog-node', ...properties }
    })
  }

  /** Picks a day of the history, from 0 to `days - 1`, mostly a workday. */
  protected day(): number {
    const { days } = this.options
    return this.random.weighted(
      Array.from({ length: days }, (_, day) => ({ day, weight: this.busyness(day) }))
    ).day
  }

  protected busyness(day: number): number {
    return WEEKDAYS[new Date(this.from + day * DAY).getUTCDay()] ?? 1
  }

  /**
   * Picks a time on a day by the hourly activity, early enough to finish a session before the
   * history ends. After 20 picks outside the history, it takes a time in the first hour of the day.
   */
  protected moment(day: number): number {
    const start = this.from + day * DAY
    for (let tries = 0; tries < 20; tries += 1) {
      const hour = this.random.weighted(BUSY_HOURS).hour + this.random.fraction()
      const time = Math.floor(start + (hour - this.country.offset) * HOUR)
      if (time >= this.from && time < this.lastStart) {
        return time
      }
    }
    return Math.min(start, this.lastStart - HOUR) + this.random.between(0, HOUR)
  }
}

const describeDevice = ({ browser, version, os, type, width, height }: Device): JsonObject => ({
  $browser: browser,
  $browser_version: version,
  $os: os,
  $device_type: type,
  $screen_width: width,
  $screen_height: height
})

import { DAY, HOUR, MINUTE } from '../../src/calendar/units.ts'
import type { JsonObject } from '../../src/input/json.ts'
import {
  ACTIONS,
  ADD_ONS,
  CHANNELS,
  type Channel,
  COMPANIES,
  COMPUTERS,
  COUNTRIES,
  type Country,
  type Device,
  FIRST_NAMES,
  LAST_NAMES,
  PHONES,
  type Plan,
  PRICES,
  PUBLIC_PAGES,
  ROLES,
  SITE
} from './people.ts'
import { Random } from './random.ts'

export type DemoOptions = {
  seed: string
  /** End of the history. It should be a UTC midnight: any other time shifts the daily rhythm and the invoices. */
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
}

/** A person as of the end of the history. */
export type DemoPerson = { name: string; email: string; plan: Plan; distinctIds: string[] }

/** Visitors who never sign up, per person. */
const PASSERS_BY = 0.7

/** Relative activity in each local hour of the day, from midnight. */
const HOURS = [1, 1, 0, 0, 0, 1, 3, 8, 20, 32, 36, 32, 22, 28, 34, 32, 28, 20, 10, 7, 8, 7, 4, 2]
const BUSY_HOURS = HOURS.map((weight, hour) => ({ weight, hour }))

/** Relative activity per UTC weekday, from Sunday. */
const WEEKDAYS = [0.2, 1, 1.1, 1.1, 1, 0.85, 0.25]

/**
 * Generates the history of a small SaaS for the `days` before `anchor`, sorted by time. The same options give the same
 * history. Changing the number of persons does not change any person.
 */
export function writeHistory(options: DemoOptions): { events: DemoEvent[]; people: DemoPerson[] } {
  const persons = Array.from({ length: options.persons }, (_, index) => new Person(options, index))
  const people = persons.map((person) => person.run())
  const passers = Array.from({ length: Math.ceil(options.persons * PASSERS_BY) }, (_, index) => {
    const visitor = new Visitor(options, `visitor ${index}`)
    visitor.passBy()
    return visitor
  })
  const events = [...persons, ...passers].flatMap((visitor) => visitor.events)
  return { people, events: events.sort((a, b) => a.timestamp.getTime() - b.timestamp.getTime()) }
}

type Step = { event: string; path: string; properties?: JsonObject | undefined }

/** Events that follow the previous one after 0.2–1.5 s; all others come after 4–120 s. */
const QUICK = new Set(['$identify', '$create_alias', 'signed up'])

/** A visitor with one browser. Visits follow the daily rhythm of the visitor's time zone. */
class Visitor {
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
      this.browse(this.moment(this.day()), this.computer, distinctId)
    }
  }

  /** Adds an anonymous visit to the public pages, ending with the steps of `last`. @returns its end */
  protected browse(start: number, device: Device, anonymousId: string, last: Step[] = []): number {
    const pages = Array.from({ length: this.random.between(1, 5) }, () => ({
      event: '$pageview',
      path: this.random.weighted(PUBLIC_PAGES).path
    }))
    const steps = [{ event: '$pageview', path: '/' }, ...pages, ...last]
    return this.session(start, device, anonymousId, steps, { $process_person_profile: false })
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
        $session_id: sessionId,
        $window_id: windowId,
        $current_url: `${SITE}${step.path}${query && !before ? `?${query}` : ''}`,
        $host: new URL(SITE).host,
        $pathname: step.path,
        ...page,
        ...describeDevice(device),
        ...describeCountry(this.country),
        ...properties,
        ...step.properties
      })
      before = `${SITE}${step.path}`
    }
    return now
  }

  protected capture(time: number, event: string, distinctId: string, properties: JsonObject): void {
    this.events.push({
      uuid: this.random.uuid(time),
      event,
      distinctId,
      timestamp: new Date(time),
      properties
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

/** A person who signs up during the history or has signed up before it. */
class Person extends Visitor {
  readonly #index: number
  readonly #distinctId: string
  readonly #first: string
  readonly #company: string
  /** Probability of a visit per day, before the weekday's factor. */
  readonly #keenness: number
  #name: string
  #email: string
  #plan: Plan = 'free'
  #seats = 1
  #busyUntil = 0
  /**
   * The person's other distinct ids, if any: a newsletter lead, the browser used to sign up, a
   * second device.
   */
  readonly #others: string[] = []

  constructor(options: DemoOptions, index: number) {
    super(options, `person ${index}`)
    const { random } = this
    const [first, last] = nameOf(index)
    this.#index = index
    this.#first = first
    this.#name = `${first} ${last}`
    this.#company = random.pick(COMPANIES)
    this.#email = this.#address(last)
    this.#distinctId = `user-${random.uuid(this.from).slice(-12)}`
    this.#keenness = random.fraction() ** 2 * 0.5 + 0.06
  }

  run(): DemoPerson {
    this.#busyUntil = this.random.chance(0.45) ? this.#logIn() : this.#signUp()
    const today = Math.floor((this.#busyUntil - this.from) / DAY)
    const days = Array.from({ length: this.options.days - today - 1 }, (_, day) => today + 1 + day)
    const deviceDay =
      days.length > 0 && this.random.chance(0.25) ? this.random.pick(days) : undefined
    const renameDay =
      days.length > 0 && this.random.chance(0.1) ? this.random.pick(days) : undefined

    for (const day of days) {
      if (day % 30 === this.#index % 30) {
        this.#payInvoice(day)
      }
      if (day === deviceDay) {
        this.#visit(day, (start) => this.#addDevice(start))
      }
      if (day === renameDay) {
        this.#visit(day, (start) => this.#rename(start))
      }
      if (this.random.chance(this.#keenness * this.busyness(day))) {
        this.#visit(day, (start) => this.#work(start))
      }
    }
    const distinctIds = [this.#distinctId, ...this.#others]
    return { name: this.#name, email: this.#email, plan: this.#plan, distinctIds }
  }

  /**
   * Adds a session that starts at least five minutes after the previous one, unless the history
   * ends first.
   */
  #visit(day: number, act: (start: number) => number): void {
    const start = Math.max(this.moment(day), this.#busyUntil + 5 * MINUTE)
    if (start < this.lastStart) {
      this.#busyUntil = act(start)
    }
  }

  /** Adds the first session of a person who joined before the history: it begins on the login page. @returns its end */
  #logIn(): number {
    this.#plan = this.random.pick(['free', 'free', 'pro', 'team'])
    this.#seats = this.#plan === 'team' ? this.random.between(3, 25) : 1
    const start = this.moment(Math.min(this.day(), this.day()))
    const joined = start - this.random.between(20, 400) * DAY
    const login = [
      { event: '$pageview', path: '/login' },
      { event: '$identify', path: '/login', properties: this.#introduction(joined) },
      { event: 'logged in', path: '/login' },
      { event: '$pageview', path: '/app/board' },
      ...this.#actions()
    ]
    return this.session(start, this.computer, this.#distinctId, login)
  }

  /** Adds anonymous visits, then the sign-up, which links the browser's distinct id to the person. @returns its end */
  #signUp(): number {
    const anonymousId = this.random.uuid(this.from)
    const day = this.day()
    const start = this.moment(day)
    for (let back = this.random.between(0, 3); back > 0; back -= 1) {
      if (day - 2 * back >= 0) {
        this.browse(this.moment(day - 2 * back), this.computer, anonymousId)
      }
    }

    const lead = this.random.chance(0.12) ? this.#subscribe(start) : undefined
    const arrived = this.browse(start, this.computer, anonymousId, [
      { event: '$pageview', path: '/signup' }
    ])
    this.#others.push(anonymousId)
    const identify = { $anon_distinct_id: anonymousId, ...this.#introduction(arrived) }
    return this.session(arrived, this.computer, this.#distinctId, [
      { event: '$identify', path: '/signup', properties: identify },
      {
        event: 'signed up',
        path: '/signup',
        properties: { plan: 'free', role: this.random.pick(ROLES) }
      },
      ...(lead ? [{ event: '$create_alias', path: '/signup', properties: { alias: lead } }] : []),
      { event: '$pageview', path: '/app/welcome' },
      {
        event: 'project created',
        path: '/app/projects',
        properties: { template: this.random.chance(0.6) }
      },
      ...this.#actions()
    ])
  }

  /**
   * Adds an earlier newsletter subscription under a distinct id of its own, a separate person until the sign-up merges it.
   * @returns that id
   */
  #subscribe(signup: number): string {
    const lead = `lead-${this.random.uuid(signup).slice(-12)}`
    const time = this.from + Math.floor((signup - this.from) * this.random.fraction())
    this.capture(time, 'newsletter subscribed', lead, {
      list: 'monthly-digest',
      $set: { email: this.#email, newsletter: true }
    })
    this.#others.push(lead)
    return lead
  }

  #introduction(joined: number): JsonObject {
    return {
      $set: {
        email: this.#email,
        name: this.#name,
        company: this.#company,
        role: this.random.pick(ROLES),
        country: this.country.code,
        plan: this.#plan,
        seats: this.#seats
      },
      $set_once: {
        joined_at: new Date(joined).toISOString(),
        first_channel: this.channel.utm.utm_source ?? 'direct'
      }
    }
  }

  #work(start: number): number {
    const steps = [{ event: '$pageview', path: '/app/board' }, ...this.#actions()]
    if (this.random.chance(0.04)) {
      steps.push(...this.#buyAddOn())
    }
    if (this.#plan !== 'team' && this.random.chance(0.07)) {
      steps.push(...this.#upgrade())
    } else if (this.#plan !== 'free' && this.random.chance(0.012)) {
      steps.push(...this.#cancel())
    }
    return this.session(start, this.computer, this.#distinctId, steps)
  }

  #actions(): Step[] {
    return Array.from({ length: this.random.between(2, 9) }, () =>
      this.random.weighted(ACTIONS)
    ).flatMap(({ path, event }) => [
      ...(this.random.chance(0.35) ? [{ event: '$pageview', path }] : []),
      { event, path, properties: { plan: this.#plan } }
    ])
  }

  #upgrade(): Step[] {
    const from = this.#plan
    this.#plan = from === 'free' && this.random.chance(0.75) ? 'pro' : 'team'
    this.#seats = this.#plan === 'team' ? this.random.between(3, 15) : 1
    return [
      { event: '$pageview', path: '/app/billing' },
      {
        event: 'plan upgraded',
        path: '/app/billing',
        properties: {
          from,
          to: this.#plan,
          seats: this.#seats,
          $set: { plan: this.#plan, seats: this.#seats }
        }
      },
      { event: 'invoice paid', path: '/app/billing', properties: this.#invoice() }
    ]
  }

  #cancel(): Step[] {
    const from = this.#plan
    this.#plan = 'free'
    this.#seats = 1
    return [
      { event: '$pageview', path: '/app/billing' },
      {
        event: 'plan cancelled',
        path: '/app/billing',
        properties: { from, $set: { plan: 'free', seats: 1, cancelled_from: from } }
      }
    ]
  }

  #buyAddOn(): Step[] {
    const { product, amount } = this.random.weighted(ADD_ONS)
    return [
      { event: '$pageview', path: '/app/shop' },
      {
        event: 'purchase completed',
        path: '/app/shop',
        properties: { product, amount, currency: 'USD' }
      }
    ]
  }

  /**
   * Adds an `invoice paid` event, captured by the server six hours into the day, one second later
   * for each person.
   */
  #payInvoice(day: number): void {
    if (this.#plan === 'free') {
      return
    }
    const time = this.from + day * DAY + 6 * HOUR + this.#index * 1000
    if (time < this.options.anchor.getTime()) {
      this.capture(time, 'invoice paid', this.#distinctId, this.#invoice())
    }
  }

  #invoice(): JsonObject {
    const amount = PRICES[this.#plan] * this.#seats
    return { plan: this.#plan, seats: this.#seats, amount, currency: 'USD' }
  }

  /**
   * Adds a second device, anonymous at first. A phone is linked by `$create_alias`, a computer by `$identify`.
   * @returns the end of the session
   */
  #addDevice(start: number): number {
    const deviceId = this.random.uuid(start)
    this.#others.push(deviceId)
    const isPhone = this.random.chance(0.5)
    const device = this.random.weighted(isPhone ? PHONES : COMPUTERS)
    const arrived = this.browse(start, device, deviceId, [{ event: '$pageview', path: '/login' }])
    return this.session(arrived, device, this.#distinctId, [
      isPhone
        ? { event: '$create_alias', path: '/login', properties: { alias: deviceId } }
        : { event: '$identify', path: '/login', properties: { $anon_distinct_id: deviceId } },
      { event: 'logged in', path: '/login' },
      ...this.#actions()
    ])
  }

  #rename(start: number): number {
    const [, last] = nameOf(this.#index)
    const hyphenated = `${last}-${this.random.pick(LAST_NAMES)}`
    this.#name = `${this.#first} ${hyphenated}`
    this.#email = this.#address(hyphenated)
    const $set = { name: this.#name, email: this.#email }
    return this.session(start, this.computer, this.#distinctId, [
      { event: '$pageview', path: '/app/settings' },
      { event: 'profile updated', path: '/app/settings', properties: { $set } }
    ])
  }

  #address(last: string): string {
    const local = plain(`${this.#first}.${last}`)
    const repeat = Math.floor(this.#index / (FIRST_NAMES.length * LAST_NAMES.length))
    return `${local}${repeat || ''}@${plain(this.#company)}.example`
  }
}

/** Names repeat only after all pairs are used, because 1597 is coprime to the number of pairs. */
function nameOf(index: number): [first: string, last: string] {
  const pair = (index * 1597) % (FIRST_NAMES.length * LAST_NAMES.length)
  return [
    FIRST_NAMES[pair % FIRST_NAMES.length] ?? '',
    LAST_NAMES[Math.floor(pair / FIRST_NAMES.length)] ?? ''
  ]
}

/** Converts a name for an e-mail address: lower case; only ASCII letters, dots and hyphens. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ø', 'o')
    .normalize('NFD')
    .replaceAll(/[^a-z.-]/g, '')

const describeDevice = ({ browser, version, os, type, width, height }: Device): JsonObject => ({
  $browser: browser,
  $browser_version: version,
  $os: os,
  $device_type: type,
  $screen_width: width,
  $screen_height: height
})

const describeCountry = ({ code, name, city, timezone, language }: Country): JsonObject => ({
  $geoip_country_code: code,
  $geoip_country_name: name,
  $geoip_city_name: city,
  $timezone: timezone,
  $browser_language: language
})

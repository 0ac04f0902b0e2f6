import { DAY, HOUR, MINUTE } from '../../src/calendar/units.ts'
import type { JsonObject } from '../../src/input/json.ts'
import { nameOf, plain } from './names.ts'
import {
  ACTIONS,
  ADD_ONS,
  COMPANIES,
  COMPUTERS,
  FIRST_NAMES,
  LAST_NAMES,
  PHONES,
  type Plan,
  PRICES,
  ROLES
} from './people.ts'
import { type DemoOptions, type Step, Visitor } from './visitor.ts'

/** A person as of the end of the history. */
export type DemoPerson = { name: string; email: string; plan: Plan; distinctIds: string[] }

/** A person who signs up during the history or has signed up before it. */
export class Person extends Visitor {
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
    const next = Math.floor((this.#busyUntil - this.from) / DAY) + 1
    const days = Array.from({ length: this.options.days - next }, (_, i) => next + i)
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
    // The earlier of two days: most customers return soon after the history begins.
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
   * Adds an earlier newsletter subscription with its own distinct id, which is a separate person until the sign-up merges it.
   * @returns the distinct id
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
   * Adds an `invoice paid` event, which the product's server captures after 06:00 UTC, for each
   * person one second later than for the one before.
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

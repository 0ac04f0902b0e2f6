import type { Json } from '../../../src/input/json.ts'
import type { TestEvent } from '../project.ts'
import { NOW } from '../sql.ts'

/** An event of the shop, in plain fields; a property that the event lacks is null. */
export type Sold = {
  event: string
  /** ms UTC. */
  at: number
  id: string
  /** The person behind the distinct id, also of one that was merged. */
  person: string
  email: string | null
  plan: string
  session: string | null
  path: string | null
  url: string | null
  browser: string
  os: string | null
  country: string | null
  referrer: string | null
  utm: string | null
  price: number | null
  qty: string | null
  vip: boolean | null
}

const MINUTE = 60_000
const DAY = 1440 * MINUTE

/** The offset of Berlin in the whole time of the shop, ms. */
const OFFSET = 60 * MINUTE

/** Returns random numbers from 0 to 1 that depend on a seed only. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The numbers of persons with a second distinct id, and when it was merged, ms UTC. */
const MERGED = [0, 1, 2]
const MERGED_AT = NOW.getTime() - 40 * DAY

const PATHS = ['/', '/pricing', '/docs/start', '/docs/api', '/blog/100%', '/Checkout']
const PERSONS = [...Array(14).keys()]
const MINUTES = [...Array(24 * 1440).keys()]
const EVENTS = ['$pageview', '$pageview', '$pageview', 'purchase', 'signup', '$autocapture']

/** Makes some weeks of a small shop up, which depend on a seed only. */
export function makeShop(seed: number, size = 320): Sold[] {
  const random = randomFrom(seed)
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item
  return Array.from({ length: size }, () => pickSold(pick)).sort((a, b) => a.at - b.at)
}

function pickSold(pick: <Item>(items: readonly Item[]) => Item): Sold {
  const number = pick(PERSONS)
  const person = `p${number}`
  const isOdd = number % 2 === 1
  const event = pick(EVENTS)
  const path = event === 'signup' ? null : pick(PATHS)
  const url = `https://${pick(['www.shop.de', 'app.shop.de'])}${path}${pick(['', '?a=1', '?a=1&b=2#x'])}`
  const bought = {
    price: pick([5, 10, 12.5, 20, 99.99, 0]),
    qty: pick(['1', '2', '3', 'two', '']),
    vip: pick([true, false])
  }
  return {
    event,
    // 24 days up to now; a third of the events lies on a full second.
    at: NOW.getTime() - pick(MINUTES) * MINUTE - pick([0, 1000, 20_250]),
    id: pick([person, MERGED.includes(number) ? `anon-${number}` : person]),
    person,
    email: number % 4 === 3 ? null : `${person}@${isOdd ? 'Y.de' : 'x.io'}`,
    plan: isOdd ? pick(['free', 'pro']) : 'free',
    session: pick([null, ...[0, 1, 2, 3, 0, 1, 2, 3].map((visit) => `s${number}-${visit}`)]),
    path,
    url: path === null ? null : url,
    browser: pick(['Chrome', 'Chrome', 'Safari', 'Firefox', 'firefox']),
    os: pick(['Mac OS X', 'Windows', 'iOS', null]),
    country: pick(['DE', 'DE', 'US', 'FR', 'AT', null]),
    referrer: pick(['$direct', 'google.com', 'news.ycombinator.com', '', null]),
    utm: pick(['google', 'newsletter', null, null]),
    ...(event === 'purchase' ? bought : { price: null, qty: null, vip: null })
  }
}

/** A person after all events, and when the person was created, ms UTC. */
type Buyer = { person: string; email: string | null; plan: string; at: number }

/** Returns the persons of events, which are in the order of time. */
export const buyersOf = (shop: readonly Sold[]): Buyer[] =>
  [...Map.groupBy(shop, ({ person }) => person)].map(([person, some]) => {
    const [first, last] = [some[0], some.at(-1)]
    return {
      person,
      email: last?.email ?? null,
      plan: last?.plan ?? '',
      at: MERGED.some((number) => person === `p${number}`) ? MERGED_AT : (first?.at ?? 0)
    }
  })

/** A session: when it began, ms UTC, how long it lasted, and its views. */
type Visit = { id: string; at: number; seconds: number; views: number; isBounce: boolean }

/** Returns the sessions of events, which are in the order of time. */
export const visitsOf = (shop: readonly Sold[]): Visit[] =>
  [...Map.groupBy(shop, ({ session }) => session)].flatMap(([id, some]) => {
    const [at, end] = [some[0]?.at ?? 0, some.at(-1)?.at ?? 0]
    const count = (name: string) => some.filter(({ event }) => event === name).length
    const views = count('$pageview')
    const isShort = end - at < 10_000 && views + count('$autocapture') === 1
    const seconds = Math.floor((end - at) / 1000)
    return id === null ? [] : [{ id, at, seconds, views, isBounce: views === 1 && isShort }]
  })

/** Returns the events as clients send them, and the merges of the second distinct ids. */
export function toSent(shop: readonly Sold[]): TestEvent[] {
  const merges = MERGED.map((number) => ({
    event: '$identify',
    distinct_id: `p${number}`,
    timestamp: MERGED_AT,
    properties: { $anon_distinct_id: `anon-${number}` }
  }))
  const sent = shop.map((sold) => {
    const properties: Record<string, Json> = {
      $session_id: sold.session,
      $pathname: sold.path,
      $current_url: sold.url,
      $browser: sold.browser,
      $os: sold.os,
      $geoip_country_code: sold.country,
      $referring_domain: sold.referrer,
      utm_source: sold.utm,
      price: sold.price,
      qty: sold.qty,
      vip: sold.vip
    }
    const some = Object.entries(properties).filter(([, value]) => value !== null)
    return {
      event: sold.event,
      distinct_id: sold.id,
      timestamp: sold.at,
      properties: {
        ...Object.fromEntries(some),
        $set: { plan: sold.plan, ...(sold.email !== null && { email: sold.email }) }
      }
    }
  })
  return [...merges, ...sent]
}

const clock = (at: number): string => new Date(at + OFFSET).toISOString()

/** `2026-03-04`, the day in Berlin. */
export const dayOf = ({ at }: Pick<Sold, 'at'>): string => clock(at).slice(0, 10)

export const hourOf = ({ at }: Pick<Sold, 'at'>): number => Number(clock(at).slice(11, 13))

/** The first day of the week, which begins on Sunday, or on Monday. */
export function weekOf(sold: Pick<Sold, 'at'>, first: 'sunday' | 'monday'): string {
  const day = new Date(`${dayOf(sold)}T00:00:00Z`)
  const back = (day.getUTCDay() + (first === 'monday' ? 6 : 0)) % 7
  return new Date(day.getTime() - back * DAY).toISOString().slice(0, 10)
}

/** `2026-03-01T09:00:05.250000+01:00` */
export function printed(at: number): string {
  const text = clock(at)
  const fraction = text.slice(20, 23)
  return `${text.slice(0, 19)}${fraction === '000' ? '' : `.${fraction}000`}+01:00`
}

/** How long ago an event was, days. */
export const daysAgo = ({ at }: Pick<Sold, 'at'>): number => (NOW.getTime() - at) / DAY

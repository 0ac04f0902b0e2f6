export const DAYS = 90
const DAY = 86_400_000
export const KINDS = 20
/** Percent of events of the first and of the second kind; the other kinds share the rest. */
const [LARGE, SMALL] = [40, 3]
/** One person in this many has a second distinct id. */
export const SECOND = 10
/** Versions of a person's properties, at most; each is in force for an equal share of the days. */
export const MAX_VERSIONS = 3
const PLANS = ['free', 'pro', 'team', 'enterprise']

export const kindOf = (i: number): string => `event ${i}`

export type Row = {
  event: string
  timestamp: number
  identity: number
  person: number
  /** The row of `person_versions` in force. */
  version: number
  session: string | null
  properties: string
  person_properties: string
}

/**
 * How many events to generate, and how many page views besides; `isShort` leaves about 120 of the 600 bytes of properties.
 */
export type Volume = { events: number; persons: number; views?: number; isShort?: boolean }

/** Returns a volume with as many page views as there are events of the first kind. */
export const volumeOf = (events: number, persons: number) => ({
  events,
  persons,
  views: (events * LARGE) / 100
})

/** Least age of the events, ms: two hours, because the service seals only events older than one hour. */
const MIN_AGE_MS = 7_200_000

/** The midnight before which all events lie. It stays the same when a run continues into the next day. */
export const MIDNIGHT = Math.floor((Date.now() - MIN_AGE_MS) / DAY) * DAY

export const versionsOf = (person: number): number => 1 + (person % MAX_VERSIONS)

/** Returns the id of a person's `n`th version as in the service. Here a person's id is also the first identity's key. */
export const versionId = (person: number, n: number): number => person * 2 ** 24 + n

/** Returns the number of a person's version that is in force after a share of the days. */
export const versionAt = (person: number, share: number): number =>
  1 + Math.floor(share * versionsOf(person))

/** Returns an identity of a person. */
export const identityOf = (person: number, persons: number, random: () => number): number =>
  person % SECOND === 0 && random() < 0.5 ? persons + person : person

/** Returns a person's properties as of the `n`th version, about 200 bytes of JSON. */
export const personPropertiesOf = (person: number, n: number): string =>
  JSON.stringify({
    email: `person-${person}@example.com`,
    name: `Person ${person}`,
    plan: PLANS[(person * 31 + n * 7) % PLANS.length],
    seats: (person * n) % 50,
    company: `Company ${person % 1_000}`,
    $initial_referring_domain: 'www.example.org',
    $initial_utm_source: 'newsletter',
    last_seen_at: '2026-01-01T00:00:00.000Z'
  })

/** Generates events in time order from a seed: all runs of one day get the same events. */
export function* drawEvents({ events: count, persons, isShort }: Volume): Generator<Row> {
  let state = 42
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pick = (n: number) => Math.floor(random() * n)
  const pickKind = () => {
    const share = pick(100)
    if (share < LARGE) {
      return 0
    }
    if (share < LARGE + SMALL) {
      return 1
    }
    return 2 + pick(KINDS - 2)
  }
  const word = () => random().toString(36).slice(2, 12)
  for (let i = 0; i < count; i += 1) {
    const kind = pickKind()
    const person = 1 + pick(persons)
    const long = {
      path: `/reports/${word()}/${word()}`,
      referrer: `https://www.example.org/search?q=${word()}+${word()}`,
      title: `Report ${word()} of the ${word()} department`,
      plan: ['free', 'free', 'pro', 'team'][pick(4)],
      price: pick(10_000) / 4,
      rows: pick(1_000),
      is_shared: random() < 0.5,
      filters: {
        from: '2026-01-01',
        to: '2026-03-31',
        country: ['de', 'at', 'ch'],
        segment: word()
      },
      feature: `reports-${word()}`,
      request_id: word() + word(),
      region: 'eu-central',
      service: 'reports-api 4.12.7 on node 24.21.0, linux x64',
      $browser: ['Chrome', 'Chrome', 'Safari', 'Firefox', 'Edge', 'Opera'][pick(6)],
      $os: ['Windows', 'Mac OS X', 'Linux', 'iOS', 'Android'][pick(5)],
      $current_url: `https://app.example.org/reports/${pick(5_000)}`,
      $lib: 'posthog-node',
      $lib_version: '5.70.0'
    }
    const { plan, price, rows, is_shared, $browser, $os, $lib } = long
    const properties = isShort ? { plan, price, rows, is_shared, $browser, $os, $lib } : long
    const n = versionAt(person, i / count)
    yield {
      event: kindOf(kind),
      timestamp: MIDNIGHT - DAYS * DAY + Math.floor(((i + random()) / count) * DAYS * DAY),
      identity: identityOf(person, persons, random),
      person,
      version: versionId(person, n),
      session: null,
      properties: JSON.stringify(properties),
      person_properties: personPropertiesOf(person, n)
    }
  }
}

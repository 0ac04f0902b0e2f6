import fc from 'fast-check'
import { DAY, HOUR } from '../../../src/calendar/units.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'

export const NAMES = ['$pageview', 'buy', '$autocapture'] as const
const PEOPLE = ['ada', 'bob', 'cyd', 'dan', 'eve']

/** Zones, each with a moment at which its clock changes, or with any moment. */
const PLACES: [zone: string, around: string][] = [
  ['UTC', '2025-03-01T00:00:00Z'],
  ['Asia/Kathmandu', '2025-06-01T00:00:00Z'],
  ['Asia/Tehran', '2025-06-01T00:00:00Z'],
  ['Asia/Tehran', '2022-03-21T20:30:00Z'],
  ['Asia/Tehran', '2022-09-21T19:30:00Z'],
  ['America/St_Johns', '2025-03-09T05:30:00Z'],
  ['America/St_Johns', '2025-11-02T04:30:00Z'],
  ['Europe/Berlin', '2025-03-30T01:00:00Z'],
  ['Europe/Berlin', '2025-10-26T01:00:00Z'],
  ['Australia/Sydney', '2025-10-04T16:00:00Z'],
  ['Australia/Lord_Howe', '2025-04-05T15:00:00Z'],
  ['Australia/Lord_Howe', '2025-10-04T15:30:00Z']
]

export type WorldEvent = {
  name: string
  who: string
  at: number
  hasPerson: boolean
  properties: JsonObject
  /** A distinct id that this event merges into `who`. */
  folds: string | undefined
}

/** The history of a project, and the later changes to its persons and events. */
export type World = {
  zone: string
  weekStart: 0 | 1
  now: number
  events: WorldEvent[]
  /** Distinct ids that are split from their person. */
  splits: string[]
  /** Distinct ids whose identity is erased. */
  erased: string[]
  /** Names and ranges of events that are deleted. */
  deleted: { name: string; from: number; until: number }[]
  /** How many of the events arrive before segments are sealed; the others may be late. */
  early: number
  /** Ranges to seal, in this order; one that overlaps a segment is left out. */
  sealed: { name: string; from: number; until: number }[]
}

const value = fc.oneof(
  fc.constantFrom('a', 'b', 'B', 'abc', '', '10', '7.5', '-2', 'true', 'x y', '"', "it's", 'x,\ny'),
  fc.integer({ min: -3, max: 12 }),
  fc.integer({ min: -20, max: 20 }).map((n) => n / 4),
  fc.boolean(),
  fc.constant(null)
)

const properties = fc.record(
  {
    color: value,
    size: value,
    '$weird "key"': value,
    $session_id: fc.constantFrom('s1', 's2', 's3'),
    $current_url: fc.constantFrom('https://a.example/x?y=1', 'https://b.example/', ''),
    utm_source: fc.constantFrom<Json>('google', 'news', '', 7, true, null),
    $set: fc.record(
      { plan: fc.constantFrom('free', 'pro', 3, null), rank: value },
      { requiredKeys: [] }
    )
  },
  { requiredKeys: [] }
)

export const DAYS = 20

/** Generates a project's history. */
export const world: fc.Arbitrary<World> = fc
  .record({
    place: fc.constantFrom(...PLACES),
    weekStart: fc.constantFrom(0 as const, 1 as const),
    events: fc.array(
      fc.record({
        name: fc.constantFrom(...NAMES),
        who: fc.constantFrom(...PEOPLE),
        quarter: fc.integer({ min: 0, max: DAYS * 96 - 1 }),
        beside: fc.constantFrom(-1, 0, 0, 1, 123_456, 899_999),
        hasPerson: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
        properties,
        folds: fc.oneof(
          { weight: 15, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: fc.constantFrom(...PEOPLE) }
        )
      }),
      { maxLength: 80, size: 'max' }
    ),
    splits: fc.array(fc.constantFrom(...PEOPLE), { maxLength: 1 }),
    erased: fc.array(fc.constantFrom(...PEOPLE), { maxLength: 1 }),
    deleted: fc.array(
      fc.record({
        name: fc.constantFrom(...NAMES),
        day: fc.integer({ min: 0, max: DAYS }),
        days: fc.integer({ min: 1, max: 4 })
      }),
      { maxLength: 2 }
    ),
    early: fc.integer({ min: 0, max: 80 }),
    sealed: fc.array(
      fc.record({
        name: fc.constantFrom(...NAMES),
        quarter: fc.integer({ min: 0, max: DAYS * 96 - 1 }),
        quarters: fc.integer({ min: 1, max: 10 * 96 })
      }),
      { maxLength: 6 }
    )
  })
  .map(({ place: [zone, around], events, deleted, sealed, ...rest }) => {
    const middle = Date.parse(around)
    const start = middle - Math.floor(middle % (HOUR / 4)) - (DAYS / 2) * DAY
    return {
      ...rest,
      zone,
      now: start + (DAYS - 1) * DAY + 5 * HOUR,
      events: events.map(({ quarter, beside, ...event }) => ({
        ...event,
        at: start + (quarter * HOUR) / 4 + beside
      })),
      deleted: deleted.map(({ name, day, days }) => ({
        name,
        from: start + day * DAY,
        until: start + (day + days) * DAY
      })),
      sealed: sealed.map(({ name, quarter, quarters }) => ({
        name,
        from: start + (quarter * HOUR) / 4,
        until: start + ((quarter + quarters) * HOUR) / 4
      }))
    }
  })

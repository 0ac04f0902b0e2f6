import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { MANY_LATE } from '../../../src/columns/seal.ts'
import { eventNames } from '../../../src/db/schema.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { deliverColumns, listSegments } from '../../support/columns.ts'
import { allowance, type Cost, storeRequests } from '../../support/cost.ts'
import { deep } from '../../support/depth.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, type TestEvent } from '../../support/project.ts'

/*
 * Hostile traffic: anyone can send events with a project's public token. Whatever the events
 * contain, storage stays in proportion to the bytes received, and no transaction keeps other
 * queries waiting for long.
 */

/** Bytes that one transaction may bind: `MAX_COST`, which its last event may double. */
const MAX_BOUND = 6_000_000
/** D1 limits a value to 2 MB. */
const MAX_VALUE = 2_000_000

function expectBounded(cost: Cost): void {
  expect(cost.bytes).toBeLessThanOrEqual(allowance(cost))
  expect(cost.largestBatch).toBeLessThanOrEqual(MAX_BOUND)
  expect(cost.largestValue).toBeLessThanOrEqual(MAX_VALUE)
}

const range = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

describe('a person who changes all the time', () => {
  it('is stored in proportion to 20,000 changes in one request, each of which adds a property', async () => {
    const identify = (n: number): TestEvent => ({
      event: '$identify',
      distinct_id: 'ada',
      properties: { $set: { [`property ${n}`]: n } }
    })

    const cost = await storeRequests([range(20_000, identify)])

    expect(cost.events).toBe(20_000)
    expectBounded(cost)
  })

  it('is stored in proportion to small changes beside a large property, in many requests', async () => {
    const project = await newProject({ database: 'DB_TWO' })
    const large = { $set: { large: 'x'.repeat(500_000) } }
    const small = (n: number): TestEvent => ({
      event: '$set',
      distinct_id: 'ada',
      properties: { $set: { small: n } }
    })

    const cost = await storeRequests(
      [
        [{ distinct_id: 'ada', properties: large }],
        ...range(50, (request) => range(20, (n) => small(request * 20 + n)))
      ],
      project
    )

    expectBounded(cost)
    expect(cost.warnings.get('person_version_limit_exceeded')).toBeGreaterThan(900)
    const { body } = await project.call('GET', 'persons/?distinct_id=ada')
    expect(body.results[0].properties.small).toBe(999)
  })
})

describe('large values that arrive too late to be shown', () => {
  const plan = (distinct_id: string): TestEvent => ({
    distinct_id,
    properties: { $set: { plan: 'pro' } }
  })
  const late = (distinct_id: string, n: number): TestEvent => ({
    distinct_id,
    properties: { $set_once: { plan: `${n}${'x'.repeat(400_000)}` } }
  })

  it('are stored with their events, and few of them with the person', async () => {
    const project = await newProject({ database: 'DB_TWO' })

    const cost = await storeRequests([[plan('ada')], range(8, (n) => late('ada', n))], project)

    expectBounded(cost)
    expect(Object.fromEntries(cost.warnings)).toEqual({ person_properties_size_violation: 7 })
    const { body } = await project.call('GET', 'persons/?distinct_id=ada')
    expect(body.results[0].properties.plan).toBe('pro')
    expect((await project.call('GET', 'events/?distinct_id=ada')).body.results).toHaveLength(9)
  })

  it('do not pile up when persons are merged', async () => {
    const project = await newProject({ database: 'DB_TWO' })
    const ids = range(6, (n) => `person ${n}`)
    const merge = (alias: string): TestEvent => ({
      event: '$merge_dangerously',
      distinct_id: 'ada',
      properties: { alias }
    })

    const cost = await storeRequests(
      [[plan('ada')], ids.map(plan), ids.map(late), ids.map(merge)],
      project
    )

    expectBounded(cost)
    expect(Object.fromEntries(cost.warnings)).toEqual({ person_properties_size_violation: 5 })
    const { body } = await project.call('GET', 'persons/')
    expect(body.results).toMatchObject([{ properties: { plan: 'pro' } }])
    expect(body.results[0].distinct_ids).toHaveLength(7)
  })
})

it('events that affect many large persons are stored by several invocations', async () => {
  const project = await newProject({ database: 'DB_TWO' })
  const large = (n: number): TestEvent => ({
    distinct_id: `person ${n}`,
    properties: { $set: { large: 'x'.repeat(300_000) } }
  })
  const small = (n: number): TestEvent => ({
    distinct_id: `person ${n % 12}`,
    properties: { $set: { n } }
  })

  const cost = await storeRequests([range(12, large), range(200, small)], project)

  expectBounded(cost)
  expect(cost.requeued).toBeGreaterThan(0)
  const { body } = await project.call('GET', 'persons/?distinct_id=person 7')
  expect(body.results[0].properties.n).toBe(199)
})

it('a person with more than 1,000 distinct ids is not folded into another', async () => {
  const project = await newProject({ database: 'DB_TWO' })
  const alias = (n: number): TestEvent => ({
    event: '$create_alias',
    distinct_id: 'many',
    properties: { alias: `alias ${n}` }
  })
  const merge = { event: '$merge_dangerously', distinct_id: 'ada', properties: { alias: 'many' } }

  const cost = await storeRequests(
    [range(1_000, alias), [{ distinct_id: 'ada' }], [merge]],
    project
  )

  expect(Object.fromEntries(cost.warnings)).toEqual({ merge_limit_exceeded: 1 })
  expect((await project.call('GET', 'persons/')).body.count).toBe(2)
})

describe('plain events of known persons', () => {
  const FIRST_DAY = Date.UTC(2026, 9, 1)
  const EVENTS_PER_DAY = 3_000

  /** Stores the events of 100 persons on one day. */
  const storeDay = (project: Awaited<ReturnType<typeof newProject>>, day: number) =>
    project.ingest(
      range(EVENTS_PER_DAY, (n) => ({
        event: 'view',
        distinct_id: `person ${n % 100}`,
        timestamp: FIRST_DAY + day * DAY + n * 10_000,
        properties: { plan: n % 2 === 0 ? 'free' : 'pro', price: n / 4, note: crypto.randomUUID() }
      }))
    )

  it('write at most 3.1 rows each, or 3.2 including their segments', async () => {
    const project = await newProject()
    await storeDay(project, 0)
    const [name] = await db.select().from(eventNames).where(eq(eventNames.projectId, project.id))
    const log = listenToLog()
    /** Returns the number of rows that queue batches write during `work`. */
    const measure = async (work: () => Promise<unknown>): Promise<number> => {
      const before = log.lines('queue batch').length
      await work()
      const lines = log.lines('queue batch').slice(before)
      return lines.reduce((sum, { rows_written }) => sum + Number(rows_written), 0)
    }
    let [stored, sealed] = [0, 0]
    for (const day of [1, 2, 3, 4]) {
      stored += await measure(() => storeDay(project, day))
      const message = { project_id: project.id, min_late: MANY_LATE, chunks: [], names: [name?.id] }
      sealed += await measure(() => deliverColumns(message))
    }

    expect(stored / (4 * EVENTS_PER_DAY)).toBeLessThanOrEqual(3.1)
    expect((stored + sealed) / (4 * EVENTS_PER_DAY)).toBeLessThanOrEqual(3.2)
    expect((await listSegments(project.id)).reduce((sum, { count }) => sum + count, 0)).toBe(
      5 * EVENTS_PER_DAY
    )
  })
})

/**
 * Input for the nth event of a kind. `text` returns pseudo-random letters, `who` is a distinct id
 * that other events may share.
 */
type Step = { n: number; size: number; text: (length: number) => string; who: string }

const NAMES = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName']
const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_term', 'gclid', 'fbclid', 'msclkid', 'li_fat_id']

const fill = (keys: string[], makeValue: () => JsonObject[string]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, makeValue()]))

const shortKeys = (count: number): string[] => range(count, (n) => n.toString(36))

/** Kinds of hostile events, by what the event does. */
const KINDS: Record<string, (step: Step) => TestEvent> = {
  'adds a property': ({ n, who, text, size }) => ({
    distinct_id: who,
    properties: { $set: { [`${n}`]: text(size) } }
  }),
  'changes a small property': ({ n, who }) => ({
    distinct_id: who,
    properties: { $set: { a: n } }
  }),
  'sets a large property, then changes a small one': ({ n, who, text, size }) => ({
    distinct_id: who,
    properties: { $set: n % 20 === 0 ? { large: text(size * 20) } : { small: n } }
  }),
  'removes properties that nobody has': ({ n, who, size }) => ({
    distinct_id: who,
    properties: { $unset: shortKeys(size).map((key) => `${n}${key}`) }
  }),
  'sets a property that only the first event can set': ({ who, text, size }) => ({
    distinct_id: who,
    properties: { $set_once: { a: text(size) } }
  }),
  'sets many properties with short keys': ({ who, size, n }) => ({
    distinct_id: who,
    properties: { $set: fill(shortKeys(size), () => n % 2) }
  }),
  'sets a property with a very long key': ({ who, size, text }) => ({
    distinct_id: who,
    properties: { $set: { [text(size)]: 1 } }
  }),
  'changes the names by which its person is found': ({ who, size, text }) => ({
    distinct_id: who,
    properties: { $set: fill(NAMES, () => text(size)) }
  }),
  'starts a session with the parameters of campaigns': ({ n, who, size, text }) => ({
    event: '$pageview',
    distinct_id: who,
    properties: {
      $session_id: `session ${n} ${who}`,
      $current_url: `https://shop.example/${'<'.repeat(size)}`,
      ...fill(CAMPAIGN, () => text(size))
    }
  }),
  'continues one of three sessions': ({ n, who, size, text }) => ({
    event: '$screen',
    distinct_id: who,
    properties: { $session_id: `session ${n % 3}`, $current_url: text(size), $referrer: text(size) }
  }),
  'has a long session id and window id': ({ size, text, who }) => ({
    distinct_id: who,
    properties: { $session_id: text(size), $window_id: text(size) }
  }),
  'has a new event name': ({ n, who, text }) => ({ event: `${n} ${text(150)}`, distinct_id: who }),
  'adds an alias': ({ n, who }) => ({
    event: '$create_alias',
    distinct_id: who,
    properties: { alias: `alias ${n} ${who}` }
  }),
  'folds the previous person into the next': ({ n, who }) => ({
    event: n % 2 === 0 ? 'seen' : '$merge_dangerously',
    distinct_id: `link ${n - (n % 2)} ${who}`,
    properties: { alias: `link ${n - 3} ${who}`, $set: { n } }
  }),
  'does not process a person profile': ({ who, size, text }) => ({
    distinct_id: who,
    properties: { $process_person_profile: false, a: text(size) }
  })
}

/**
 * Returns a function that writes pseudo-random letters. Their trigrams rarely repeat, so they take
 * as much of the full-text index as possible.
 */
function createWriter(seed: number): (length: number) => string {
  let state = seed
  const letter = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return String.fromCharCode(97 + ((state >>> 16) % 26))
  }
  return (length) => range(length, letter).join('')
}

/** Bytes of events of one kind in a run, so that a run takes at most a second. */
const MAX_RUN_BYTES = 400_000
/** Maximum number of texts of `size` letters in one event: one for each of `NAMES`. */
const MAX_TEXTS = NAMES.length

const ofOneKind = fc
  .record({
    kind: fc.constantFrom(...Object.values(KINDS)),
    count: fc.integer({ min: 50, max: 300 }),
    size: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 1_100 })),
    persons: fc.constantFrom(1, 7, 1_000),
    seed: fc.nat()
  })
  .map(({ kind, count, size, persons, seed }) => {
    const text = createWriter(seed)
    const fitting = Math.ceil(MAX_RUN_BYTES / (size * MAX_TEXTS))
    return range(Math.min(count, fitting), (n) =>
      kind({ n, size, text, who: `person ${seed % 3} ${n % persons}` })
    )
  })

const requests = fc
  .record({
    kinds: fc.array(ofOneKind, { minLength: 1, maxLength: 3 }),
    length: fc.constantFrom(1_000, 100, 30)
  })
  .map(({ kinds, length }) => {
    const events = kinds.flat()
    return range(Math.ceil(events.length / length), (n) =>
      events.slice(n * length, (n + 1) * length)
    )
  })

it('hostile traffic of any kind is stored in proportion to its bytes, in small transactions', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      expectBounded(await storeRequests(sent))
    }),
    deep(100)
  )
})

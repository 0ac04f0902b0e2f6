import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { deliverColumns, listSegments } from '../../support/columns.ts'
import { allowance, type Cost, storeRequests } from '../../support/cost.ts'
import { deep } from '../../support/depth.ts'
import { listenToLog } from '../../support/log.ts'
import { newProject, type TestEvent } from '../../support/project.ts'

/*
 * Hostile traffic: anyone can send events with a project's public token. Whatever the events
 * contain, storage stays in proportion to the bytes received, and no transaction keeps other
 * queries waiting for long.
 */

/** Bytes that one transaction may bind: the budget, plus the event that exceeds it. */
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

it('a person of more than 1,000 distinct ids is not folded into another', async () => {
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

describe('plain events, of persons who are known', () => {
  const OPENED = Date.UTC(2026, 9, 1)
  const ROUND = 3_000

  /** Stores a day's events of 100 persons. */
  const storeDay = (project: Awaited<ReturnType<typeof newProject>>, day: number) =>
    project.ingest(
      range(ROUND, (n) => ({
        event: 'view',
        distinct_id: `person ${n % 100}`,
        timestamp: OPENED + day * DAY + n * 10_000,
        properties: { plan: n % 2 === 0 ? 'free' : 'pro', price: n / 4, note: crypto.randomUUID() }
      }))
    )

  it('write 3.1 rows each at most, and 3.2 with their segments', async () => {
    const project = await newProject()
    await storeDay(project, 0)
    const log = listenToLog()
    /** Returns the rows that the queue batches of some work write. */
    const measure = async (work: () => Promise<unknown>): Promise<number> => {
      const before = log.lines('queue batch').length
      await work()
      const lines = log.lines('queue batch').slice(before)
      return lines.reduce((sum, { rows_written }) => sum + Number(rows_written), 0)
    }
    let [stored, sealed] = [0, 0]
    for (const day of [1, 2, 3, 4]) {
      stored += await measure(() => storeDay(project, day))
      const message = { project_id: project.id, min_late: 257, chunks: [] }
      sealed += await measure(() => deliverColumns(message))
    }

    expect(stored / (4 * ROUND)).toBeLessThanOrEqual(3.1)
    expect((stored + sealed) / (4 * ROUND)).toBeLessThanOrEqual(3.2)
    expect((await listSegments(project.id)).reduce((sum, { count }) => sum + count, 0)).toBe(
      5 * ROUND
    )
  })
})

/** Input for the nth event of a kind: `text` generates unique text of a length, `who` is one of a few distinct ids. */
type Step = { n: number; size: number; text: (length: number) => string; who: string }

const NAMES = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName']
const CAMPAIGN = ['utm_source', 'utm_medium', 'utm_term', 'gclid', 'fbclid', 'msclkid', 'li_fat_id']

const each = (keys: string[], of: (key: string) => JsonObject[string]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, of(key)]))

const keys = (count: number): string[] => range(count, (n) => n.toString(36))

const KINDS: Record<string, (step: Step) => TestEvent> = {
  'grows by a property': ({ n, who, text, size }) => ({
    distinct_id: who,
    properties: { $set: { [`${n}`]: text(size) } }
  }),
  'changes a small property': ({ n, who }) => ({
    distinct_id: who,
    properties: { $set: { a: n } }
  }),
  'brings a large property, then changes a small one': ({ n, who, text, size }) => ({
    distinct_id: who,
    properties: { $set: n % 20 === 0 ? { large: text(size * 20) } : { small: n } }
  }),
  'removes properties that nobody has': ({ n, who, size }) => ({
    distinct_id: who,
    properties: { $unset: keys(size).map((key) => `${n}${key}`) }
  }),
  'writes what only the first may': ({ who, text, size }) => ({
    distinct_id: who,
    properties: { $set_once: { a: text(size) } }
  }),
  'has many short keys': ({ who, size, n }) => ({
    distinct_id: who,
    properties: { $set: each(keys(size), () => n % 2) }
  }),
  'has a very long key': ({ who, size, text }) => ({
    distinct_id: who,
    properties: { $set: { [text(size)]: 1 } }
  }),
  'is found by other names': ({ who, size, text }) => ({
    distinct_id: who,
    properties: { $set: each(NAMES, () => text(size)) }
  }),
  'comes by campaigns, in a new session': ({ n, who, size, text }) => ({
    event: '$pageview',
    distinct_id: who,
    properties: {
      $session_id: `session ${n} ${who}`,
      $current_url: `https://shop.example/${'<'.repeat(size)}`,
      ...each(CAMPAIGN, () => text(size))
    }
  }),
  'goes on in an old session': ({ n, who, size, text }) => ({
    event: '$screen',
    distinct_id: who,
    properties: { $session_id: `session ${n % 3}`, $current_url: text(size), $referrer: text(size) }
  }),
  'has long ids': ({ size, text, who }) => ({
    distinct_id: who,
    properties: { $session_id: text(size), $window_id: text(size) }
  }),
  'has a new name': ({ n, who, text }) => ({ event: `${n} ${text(150)}`, distinct_id: who }),
  'is another alias': ({ n, who }) => ({
    event: '$create_alias',
    distinct_id: who,
    properties: { alias: `alias ${n} ${who}` }
  }),
  'folds the last person into the next': ({ n, who }) => ({
    event: n % 2 === 0 ? 'seen' : '$merge_dangerously',
    distinct_id: `link ${n - (n % 2)} ${who}`,
    properties: { alias: `link ${n - 3} ${who}`, $set: { n } }
  }),
  'says nothing of a person': ({ who, size, text }) => ({
    distinct_id: who,
    properties: { $process_person_profile: false, a: text(size) }
  })
}

/** Returns text in which no three letters repeat, as far as possible. */
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
    return range(Math.min(count, Math.ceil(MAX_RUN_BYTES / size / 8)), (n) =>
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
}, 120_000)

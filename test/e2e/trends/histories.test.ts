import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { withSize } from '../../../src/capture/changes.ts'
import { ingestEvents } from '../../../src/capture/ingest.ts'
import { buildChunks } from '../../../src/columns/chunks.ts'
import { beginSegment } from '../../../src/columns/seal.store.ts'
import { SLOT } from '../../../src/columns/slots/store.ts'
import { verifyColumns } from '../../../src/columns/verify.ts'
import { writeBatch } from '../../../src/db/batch.ts'
import { type Db, newUsage, openDb } from '../../../src/db/client.ts'
import { eventRemovals } from '../../../src/db/schema.ts'
import { findRemoval, removePart } from '../../../src/erasures/events/store.ts'
import { readTrend } from '../../../src/trends/request.ts'
import { computeTrend } from '../../../src/trends/trend.ts'
import { startDatabase } from '../../support/database.ts'
import { deep } from '../../support/depth.ts'
import { sealRange } from '../../support/segments.ts'
import { numberedUuid } from '../../support/text.ts'

/*
 * Random histories of a project: after each step, trends that are read from segments have the same answers as trends that are
 * read from rows. TIMES=20 with FULL_DEPTH runs a thousand histories.
 */

const START = Date.UTC(2026, 2, 27)
const DAYS = 8
const NAMES = ['view', 'buy'] as const
const PEOPLE = ['ada', 'bob', 'cyd', 'dan']

const slot = fc.integer({ min: 0, max: DAYS * 96 - 1 })
const range = fc.record({
  name: fc.constantFrom(...NAMES),
  from: slot,
  slots: fc.integer({ min: 1, max: 3 * 96 })
})
type Range = typeof range extends fc.Arbitrary<infer Value> ? Value : never

const event = fc.record({
  name: fc.constantFrom(...NAMES),
  who: fc.constantFrom(...PEOPLE),
  slot,
  beside: fc.constantFrom(0, 0, 1, 450_000, 899_999),
  color: fc.constantFrom('red', 'green', 7, null),
  size: fc.integer({ min: -3, max: 9 }),
  session: fc.constantFrom('s1', 's2', undefined),
  plan: fc.constantFrom('free', 'pro', undefined)
})
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ capture: fc.array(event, { minLength: 1, maxLength: 12 }) })
  },
  { weight: 5, arbitrary: fc.record({ seal: range }) },
  { weight: 1, arbitrary: fc.record({ begin: range }) },
  { weight: 2, arbitrary: fc.record({ remove: range }) },
  { weight: 1, arbitrary: fc.record({ strip: range }) },
  {
    weight: 1,
    arbitrary: fc.record({
      merge: fc.tuple(fc.constantFrom(...PEOPLE), fc.constantFrom(...PEOPLE))
    })
  },
  { weight: 1, arbitrary: fc.record({ split: fc.constantFrom(...PEOPLE) }) },
  { weight: 1, arbitrary: fc.record({ erase: fc.constantFrom(...PEOPLE) }) },
  { weight: 2, arbitrary: fc.constant({ chunk: true as const }) }
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

let database: Awaited<ReturnType<typeof startDatabase>>
let db: Db
let projectId = 0

beforeAll(async () => {
  database = await startDatabase()
  db = openDb(database.binding, newUsage()).db
})

afterAll(() => database.end())

/** A project to which the steps of a history are applied. */
class History {
  readonly #id: number
  #events = 0

  constructor(id: number) {
    this.#id = id
  }

  async apply(one: Step): Promise<void> {
    if ('capture' in one) {
      await this.#capture(one.capture)
    } else if ('seal' in one) {
      const kind = await this.#kindOf(one.seal.name)
      if (kind) {
        const { since, until } = boundsOf(one.seal)
        await sealRange(db, kind, since, until)
      }
    } else if ('begin' in one) {
      const kind = await this.#kindOf(one.begin.name)
      if (kind) {
        // Leaves a segment as a builder does that is cut off after its first transaction.
        const plan = { ...boundsOf(one.begin), replaces: [] }
        await beginSegment(db, { ...kind, ...plan, now: 1, abandonedBefore: 0 })
      }
    } else if ('remove' in one) {
      await this.#remove(one.remove, null)
    } else if ('strip' in one) {
      await this.#remove(one.strip, ['color', '$session_id'])
    } else if ('merge' in one) {
      const [into, alias] = one.merge
      await this.#ingest('$merge_dangerously', into, START, { alias })
    } else if ('split' in one) {
      await this.#split(one.split)
    } else if ('erase' in one) {
      await this.#erase(one.erase)
    } else {
      await buildChunks(db, { project_id: this.#id, chunk: 0 })
    }
  }

  async #kindOf(name: string): Promise<{ project_id: number; event_id: number } | undefined> {
    const [kind] = await db.all<{ project_id: number; event_id: number }>(sql`
      select project_id, id as event_id from event_names where project_id = ${this.#id} and name = ${name}`)
    return kind
  }

  async #capture(events: readonly Event[]): Promise<void> {
    for (const { name, who, slot, beside, color, size, session, plan } of events) {
      await this.#ingest(name, who, START + slot * SLOT + beside, {
        color,
        size,
        ...(session && { $session_id: session }),
        ...(plan && { $set: { plan } })
      })
    }
  }

  async #ingest(name: string, who: string, timestamp: number, properties: object): Promise<void> {
    this.#events += 1
    const uuid = numberedUuid(this.#events)
    await ingestEvents(db, { id: this.#id, erasureSalt: '' }, [
      withSize({
        uuid,
        event: name,
        distinct_id: who,
        timestamp,
        received_at: START + 100 * DAY,
        properties: JSON.parse(JSON.stringify(properties))
      })
    ])
  }

  /** Removes the events of a range, or only some of their properties. */
  async #remove({ name, ...rest }: Range, properties: string[] | null): Promise<void> {
    const { since, until } = boundsOf(rest)
    const rows = await db.all<{ uuid: string }>(sql`
      select hex(uuid) as uuid from events where project_id = ${this.#id} and timestamp >= ${since} and timestamp < ${until}
        and event_id in (select id from event_names where project_id = ${this.#id} and name = ${name})`)
    this.#events += 1
    const id = `${this.#id} ${this.#events}`
    await db.insert(eventRemovals).values({
      id,
      projectId: this.#id,
      properties,
      events: rows.length,
      digest: '',
      requestedAt: START,
      requestedBy: {},
      dueAt: START,
      progressAt: START
    })
    const removal = await findRemoval(db, this.#id, id)
    if (removal) {
      const uuids = rows.map(({ uuid }) => uuid)
      await removePart(db, removal, { uuids, position: rows.length, now: START })
    }
  }

  /** Gives a distinct id a person of its own. */
  async #split(who: string): Promise<void> {
    const identity = sql`from distinct_ids where project_id = ${this.#id} and distinct_id = ${who}`
    await writeBatch(db, [
      sql`insert into persons (id, project_id, uuid, created_at, is_identified, properties, writes, search, version, versions, copy_credit, revision)
          select 1000000 + key, project_id, 'split ' || key, 0, 0, '{}', '{"stamps":[],"keys":{}}', '', key << 24, 1000000, 0, 0 ${identity}
          on conflict (id) do nothing`,
      sql`update distinct_ids set person_id = 1000000 + key
          where project_id = ${this.#id} and distinct_id = ${who}`
    ])
  }

  async #erase(who: string): Promise<void> {
    await writeBatch(db, [
      sql`insert into erased_identities (key, project_id, hash, erasure_id, person_id, erased_at)
          select key, project_id, '', 0, coalesce(person_id, 2000000 + key), 0 from distinct_ids
          where project_id = ${this.#id} and distinct_id = ${who}`,
      sql`delete from distinct_ids where project_id = ${this.#id} and distinct_id = ${who}`
    ])
  }
}

const boundsOf = ({ from, slots }: { from: number; slots: number }) => ({
  since: START + from * SLOT,
  until: START + (from + slots) * SLOT
})

const SERIES = [
  { id: 'view', math: 'total' },
  { id: null, math: 'dau' },
  { id: 'view', math: 'weekly_active' },
  { id: 'buy', math: 'unique_session' },
  { id: 'buy', math: 'median', math_property: 'size' },
  { id: 'view', math: 'first_time_for_user' },
  { id: 'view', math: 'sum', math_property: 'size', properties: [{ key: 'color', value: 'red' }] },
  { id: null, math: 'total', properties: [{ key: 'plan', value: 'pro', type: 'person' }] },
  { id: 'view', math: 'avg_count_per_actor' }
]

const TRENDS = [
  { events: SERIES },
  { events: [SERIES[0], SERIES[2]], breakdown: 'color' },
  { events: [SERIES[1]], interval: 'hour', display: 'ActionsLineGraphCumulative' }
]

async function readTrends(id: number, trends: object[]): Promise<unknown[]> {
  const now = new Date(START + DAYS * DAY)
  const project = { id, timezone: 'Europe/Berlin', weekStart: 1 as const, testAccountFilters: [] }
  const answers: unknown[] = []
  for (const trend of trends) {
    const query = readTrend({ ...trend, date_from: '2026-03-26' }, project, now)
    if (!query) {
      throw new Error('The request was not understood.')
    }
    answers.push((await computeTrend(db, project, { query, now })).result.map(({ data }) => data))
  }
  return answers
}

/** Runs some work while none of the project's segments can be read. */
async function withoutSegments<T>(id: number, work: () => Promise<T>): Promise<T> {
  const ids = await db.all<{ id: number }>(
    sql`update segments set is_sealed = 0 where project_id = ${id} and is_sealed returning id`
  )
  const list = JSON.stringify(ids.map((row) => row.id))
  try {
    return await work()
  } finally {
    await db.run(
      sql`update segments set is_sealed = 1 where id in (select value from json_each(${list}))`
    )
  }
}

/** A thousand histories take an hour on a busy machine. */
const TIMEOUT_MS = 4_000_000

it('trends from segments and rows agree after each step', { timeout: TIMEOUT_MS }, async () => {
  const runs = deep(50)
  let sealed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 10, size: 'max' }),
      async (steps) => {
        projectId += 1
        const id = projectId
        const history = new History(id)
        for (const [i, one] of steps.entries()) {
          await history.apply(one)
          // One trend after each step, and all trends after the last one: comparing all takes seconds.
          const trends = i === steps.length - 1 ? TRENDS : TRENDS.slice(i % 3, (i % 3) + 1)
          const found = await readTrends(id, trends)
          expect(found).toEqual(await withoutSegments(id, () => readTrends(id, trends)))
        }
        const [row] = await db.all<{ count: number }>(
          sql`select coalesce(sum(count), 0) as count from segments where project_id = ${id} and is_sealed`
        )
        sealed += row?.count ?? 0
      }
    ),
    { ...runs, endOnFailure: true }
  )
  console.log(`${runs.numRuns} histories, which left ${sealed} events in segments`)

  expect(sealed).toBeGreaterThan(0)
  expect(await verifyColumns(db, Number.MAX_SAFE_INTEGER)).toMatchObject({
    wrong_segments: 0,
    wrong_chunks: 0
  })
})

import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { HOUR } from '../../../src/calendar/units.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { expectEqualToRows, seal } from '../../support/columns.ts'
import { deep } from '../../support/depth.ts'
import { holdErasures } from '../../support/erasures.ts'
import { evaluate, type Filter } from '../../support/evaluate.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'

beforeEach(() => void listenToLog())

const START = Date.UTC(2026, 9, 1)
const NAMES = ['opened', 'bought', 'closed']
const KEYS = ['email', 'plan', 'price', 'a.b']

const value = fc.constantFrom<Json>('a', 'b', 'Ab', 1, 2, '2', true, null)
const properties = fc.dictionary(fc.constantFrom(...KEYS), value)

/** Up to 40 events, some of which happen at the same time. */
const events: fc.Arbitrary<TestEvent[]> = fc.array(
  fc.record({
    event: fc.constantFrom(...NAMES),
    distinct_id: fc.constantFrom('ada', 'bob', 'eve'),
    timestamp: fc.integer({ min: 0, max: 20 }).map((hours) => START + hours * HOUR),
    uuid: fc.uuid({ version: 7 }),
    properties: fc
      .record({
        own: properties,
        $session_id: fc.constantFrom('s1', 's2', undefined),
        $set: fc.option(properties, { nil: undefined })
      })
      .map(({ own, $session_id, $set }) =>
        Object.fromEntries(
          Object.entries({ ...own, $session_id, $set }).filter(([, one]) => one !== undefined)
        )
      )
  }),
  { minLength: 1, maxLength: 40 }
) as fc.Arbitrary<TestEvent[]>

const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('exact', 'is_not', 'is_set', 'is_not_set', 'icontains'),
    value: fc.constantFrom('a', 'b', '1', '2')
  }),
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('gt', 'lt'),
    value: fc.constantFrom(1, 2)
  })
)

type Filters = {
  events?: string[]
  after?: string
  before?: string
  distinct_id?: string
  session_id?: string
  property_filters?: { type: 'AND' | 'OR'; values: Filter[] }
}

const hour = fc
  .integer({ min: 0, max: 21 })
  .map((hours) => new Date(START + hours * HOUR).toISOString())

const filters: fc.Arbitrary<Filters> = fc
  .record(
    {
      events: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
      after: hour,
      before: hour,
      distinct_id: fc.constantFrom('ada', 'bob'),
      session_id: fc.constantFrom('s1', 's2'),
      property_filters: fc.record({
        type: fc.constantFrom('AND' as const, 'OR' as const),
        values: fc.array(filter, { minLength: 1, maxLength: 3 })
      })
    },
    { requiredKeys: [] }
  )
  .filter((one) => Object.keys(one).length > 0)
  .filter(({ after, before }) => after === undefined || before === undefined || after < before)

const names = fc.option(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1 }))

/** Whether an event matches, as the API reference defines it. */
function isMeant(event: TestEvent, wanted: Filters, removed: string[] | null): boolean {
  const { $session_id, $set, ...own } = event.properties ?? {}
  const time = new Date(event.timestamp ?? 0).toISOString()
  const objects = [own, ($set ?? {}) as JsonObject]
  return (
    (wanted.events?.includes(event.event ?? '') ?? true) &&
    (wanted.after === undefined || time >= wanted.after) &&
    (wanted.before === undefined || time < wanted.before) &&
    (wanted.distinct_id ?? event.distinct_id) === event.distinct_id &&
    (wanted.session_id ?? $session_id) === $session_id &&
    (wanted.property_filters === undefined || evaluate(wanted.property_filters, own)) &&
    (removed === null || removed.some((name) => objects.some((one) => Object.hasOwn(one, name))))
  )
}

/** Returns an event's properties without the removed ones, which are also removed from `$set`. */
function without(event: TestEvent, removed: string[]): JsonObject {
  const drop = (object: JsonObject) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => !removed.includes(key)))
  const { $set, ...own } = event.properties ?? {}
  return { ...drop(own), ...($set !== undefined && { $set: drop($set as JsonObject) }) }
}

type Listed = { id: string; properties: JsonObject }

const list = async (project: TestProject): Promise<Map<string, JsonObject>> => {
  const { body } = await project.call('GET', 'events')
  return new Map(body.results.map(({ id, properties }: Listed) => [id, properties]))
}

async function runSunday() {
  const { cron, drain } = holdErasures()
  await cron(WEEKLY, Date.now() + 1_000)
  await drain()
}

it('a deletion by filters removes what its dry run has found, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(events, filters, names, async (stored, wanted, removed) => {
      const project = await newProject()
      await project.ingest(stored)
      await seal(project.id)
      const meant = stored.filter((event) => isMeant(event, wanted, removed))
      const asked = { ...wanted, ...(removed && { properties: removed }) } as JsonObject

      const { body } = await project.send('POST', 'events/delete', { ...asked, dry_run: true })
      expect(body, JSON.stringify(body)).toMatchObject({ events: meant.length })
      if (meant.length === 0) {
        expect(body.token).toBeNull()
        return
      }
      await project.send('POST', 'events/delete', { ...asked, token: body.token })
      await runSunday()

      const { receipt } = (await project.call('GET', `events/deletions`)).body.results[0]
      const found = receipt.stores.find(({ store }: { store: string }) => store === 'events')
      expect(found).toMatchObject({ removed: meant.length, remaining: 0 })
      const uuids = new Set(meant.map(({ uuid }) => uuid))
      const left = stored.flatMap((event) => {
        const isOurs = uuids.has(event.uuid)
        if (isOurs && removed === null) {
          return []
        }
        return [[event.uuid, isOurs ? without(event, removed ?? []) : event.properties] as const]
      })
      expect(await list(project)).toEqual(new Map(left))
      await expectCounted(project, left.length)
      await seal(project.id)
      await expectEqualToRows(project.id)
    }),
    deep(100)
  )
})

/** Checks that counts and sessions are those of the stored events. */
async function expectCounted({ id }: TestProject, events: number) {
  const [found] = await db.all<Record<string, number>>(sql`select
    (select coalesce(sum(count), 0) from event_counts where project_id = ${id}) as counted,
    (select count(distinct session_id) from events where project_id = ${id}) -
      (select count(*) from sessions where project_id = ${id}) as sessions,
    (select count(*) from sessions s where project_id = ${id} and events <> (
      select count(*) from events e where e.project_id = s.project_id and e.session_id = s.session_id)) as wrong`)
  expect(found).toEqual({ counted: events, sessions: 0, wrong: 0 })
}

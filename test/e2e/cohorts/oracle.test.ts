import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { numberOfActor } from '../../../src/columns/actor-numbers.ts'
import { type Db, newUsage, openDb } from '../../../src/db/client.ts'
import type { Json, JsonObject } from '../../../src/input/json.ts'
import { compilePersonFilter } from '../../../src/membership/person-filter.ts'
import { resolveCohorts } from '../../../src/membership/resolve.ts'
import { readMatching } from '../../../src/membership/store.ts'
import { inCohort } from '../../../src/properties/filter.ts'
import { startDatabase } from '../../support/database.ts'
import { deep } from '../../support/depth.ts'
import type { Stored } from '../../support/oracle/duck.ts'
import { makeWorld, readStored, sealAll } from '../../support/oracle/history.ts'
import { NAMES, type World, world } from '../../support/oracle/world.ts'
import { unseal } from '../../support/segments.ts'

/*
 * Random data and random cohorts: the product must find the same actors as plain code, half sealed, from rows and from
 * segments. A failure prints its seed and the smallest failing case.
 */

let database: Awaited<ReturnType<typeof startDatabase>>
let db: Db

beforeAll(async () => {
  database = await startDatabase()
  db = openDb(database.binding, newUsage()).db
})

afterAll(async () => {
  await database.end()
})

type Filter = { type: 'event' | 'person'; key: string; operator: string; value: Json }

const filterOf = (type: Filter['type'], key: string, ...values: Json[]): fc.Arbitrary<Filter> =>
  fc.record({
    type: fc.constant(type),
    key: fc.constant(key),
    operator: fc.constantFrom('exact', 'is_not', 'is_set', 'is_not_set'),
    value: fc.constantFrom(...values)
  })

const negation = fc.constantFrom(true, false)

const behavior = fc.record({
  type: fc.constant('behavioral'),
  value: fc.constantFrom(
    'performed_event',
    'performed_event_multiple',
    'performed_event_first_time'
  ),
  key: fc.constantFrom(...NAMES, 'unheard of'),
  event_type: fc.constant('events'),
  /** Which of the world's events the time begins with, and how many ms before or after it. */
  begin: fc.nat(1_000),
  beside: fc.constantFrom(-1, 0, 1),
  event_filters: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    fc.array(
      fc.oneof(filterOf('event', 'color', 'a', 'b', 10), filterOf('person', 'plan', 'pro', 3)),
      { minLength: 1, maxLength: 2 }
    )
  ),
  operator: fc.constantFrom('gte', 'gt', 'lte', 'lt', 'eq', 'exact'),
  operator_value: fc.integer({ min: 0, max: 4 }),
  negation
})

const leaf = fc.oneof(
  { weight: 3, arbitrary: behavior },
  fc
    .tuple(filterOf('person', 'plan', 'pro', 3, 'free'), negation)
    .map(([filter, isNegated]) => ({ ...filter, negation: isNegated }))
)

const group = (node: fc.Arbitrary<object>) =>
  fc.record({
    type: fc.constantFrom('AND', 'OR'),
    // Of one filter, each mistake shows.
    values: fc.oneof(
      { weight: 2, arbitrary: fc.tuple(node) },
      { weight: 1, arbitrary: fc.array(node, { minLength: 2, maxLength: 3 }) }
    )
  })

const definition = group(fc.oneof({ weight: 3, arbitrary: leaf }, group(leaf)))

type Behavior = {
  type: 'behavioral'
  value: string
  key: string
  begin: number
  beside: number
  event_filters: Filter[]
  operator: string
  operator_value: number
}
type Node = { negation?: boolean } & ({ type: 'AND' | 'OR'; values: Node[] } | Filter | Behavior)

/** An actor: its events, and the properties of its person now, if there is one. */
type Known = { events: Stored[]; properties: JsonObject }

const textOf = (value: Json | undefined): string | undefined => {
  if (value === undefined || value === null) {
    return undefined
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function matches({ key, operator, value }: Filter, properties: JsonObject): boolean {
  const text = textOf(Object.hasOwn(properties, key) ? properties[key] : undefined)
  switch (operator) {
    case 'exact':
      return text === String(value)
    case 'is_not':
      return text !== String(value)
    case 'is_set':
      return text !== undefined
    default:
      return text === undefined
  }
}

const COMPARED: Record<string, (done: number, count: number) => boolean> = {
  gte: (done, count) => done >= count,
  gt: (done, count) => done > count,
  lte: (done, count) => done <= count,
  lt: (done, count) => done < count,
  eq: (done, count) => done === count,
  exact: (done, count) => done === count
}

/** Returns where the time of a behaviour begins, ms UTC: beside an event, where mistakes would show. */
const beginOf = ({ begin, beside }: Behavior, { events, now }: World): number =>
  (events[begin % events.length]?.at ?? now) + beside

/** Returns the filter that the product gets. */
function toFilter(node: Node, one: World): object {
  if (node.type === 'AND' || node.type === 'OR') {
    return { ...node, values: node.values.map((inner) => toFilter(inner, one)) }
  }
  if (node.type !== 'behavioral') {
    return node
  }
  const { begin: _, beside: __, ...filter } = node
  return { ...filter, explicit_datetime: new Date(beginOf(node, one)).toISOString() }
}

function hasDone(asked: Behavior, { events }: Known, one: World): boolean {
  const since = beginOf(asked, one)
  const own = events.filter(
    ({ name, at, event, person }) =>
      name === asked.key &&
      at <= one.now &&
      asked.event_filters.every((filter) =>
        matches(filter, JSON.parse((filter.type === 'event' ? event : person) ?? '{}'))
      )
  )
  const recent = own.filter(({ at }) => at >= since)
  switch (asked.value) {
    case 'performed_event':
      return recent.length > 0
    case 'performed_event_first_time':
      return recent.length > 0 && recent.length === own.length
    default:
      return COMPARED[asked.operator]?.(recent.length, asked.operator_value) ?? false
  }
}

function isIn(node: Node, known: Known, one: World): boolean {
  const holds = (): boolean => {
    switch (node.type) {
      case 'AND':
        return node.values.every((inner) => isIn(inner, known, one))
      case 'OR':
        return node.values.some((inner) => isIn(inner, known, one))
      case 'behavioral':
        return hasDone(node, known, one)
      default:
        return matches(node, known.properties)
    }
  }
  return holds() !== (node.negation ?? false)
}

async function check(one: World, definitions: readonly Node[]): Promise<void> {
  const id = await makeWorld(db, one)
  const project = { id, timezone: one.zone, weekStart: 0 }
  const now = new Date(one.now)
  const stored = await readStored(db, id)
  const persons = await db.all<{ id: number; properties: string }>(
    sql`select id, properties from persons where project_id = ${id}`
  )
  const actors = new Map<number, Known>()
  for (const person of persons) {
    actors.set(person.id, { events: [], properties: JSON.parse(person.properties) })
  }
  for (const event of stored) {
    const known = actors.get(event.actor) ?? { events: [], properties: {} }
    actors.set(event.actor, { ...known, events: [...known.events, event] })
  }
  const cohorts: { cohort: number; node: Node }[] = []
  for (const node of definitions) {
    const [row] = await db.all<{ id: number }>(sql`
      insert into cohorts (project_id, description, is_static, filters, created_by, created_at, changed_at)
      values (${id}, '', 0, ${JSON.stringify({ properties: toFilter(node, one) })}, '{}', 0, 0) returning id`)
    cohorts.push({ cohort: row?.id ?? 0, node })
  }

  const agree = async (stepEvents: number) => {
    const filters = cohorts.map(({ cohort }) => inCohort(cohort))
    const found = await resolveCohorts(
      db,
      project,
      [{ type: 'AND', values: filters }],
      now,
      stepEvents
    )
    for (const { cohort, node } of cohorts) {
      const expected = [...actors].filter(([, known]) => isIn(node, known, one))
      const members = [...actors.keys()].filter((actor) =>
        found.get(String(cohort))?.has(numberOfActor(actor))
      )
      expect(members).toEqual(expected.map(([actor]) => actor))

      const asked = { type: 'AND' as const, values: [inCohort(cohort)] }
      const condition = await compilePersonFilter(db, project, asked, now)
      const listed: number[] = []
      for await (const ids of readMatching({ db, project }, condition)) {
        listed.push(...ids)
      }
      const known = new Set(persons.map((person) => person.id))
      const persisted = members.filter((actor) => known.has(actor))
      expect(listed.sort((a, b) => a - b)).toEqual(persisted.sort((a, b) => a - b))
    }
  }
  await agree(40_000)
  await agree(3)
  await unseal(db, id)
  await agree(40_000)
  await sealAll(db, id, one)
  await agree(40_000)
}

it('finds the same actors as plain code', async () => {
  const details = await fc.check(
    fc.asyncProperty(
      world,
      fc.array(definition as fc.Arbitrary<Node>, { minLength: 12, maxLength: 12 }),
      check
    ),
    deep(20)
  )
  if (details.failed) {
    throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
  }
})

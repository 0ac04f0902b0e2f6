import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { deep } from '../../support/depth.ts'
import { holdErasures } from '../../support/erasures.ts'
import { db, newProject, type TestEvent, type TestProject } from '../../support/project.ts'

/*
 * Runs random histories of captures and API requests in a project and in a simple model. Afterwards
 * both must have the same persons, with the same ids, properties and number of events.
 */

const IDS = ['ada', 'bob', 'eve', 'phone', 'laptop']
const KEYS = ['plan', 'city']

type Value = { at: number; value: number | undefined }
type Person = { isIdentified: boolean; properties: Map<string, Value> }
type Identity = { person: Person; events: number }

class Model {
  readonly identities = new Map<string, Identity>()
  /** Number of events of deleted persons that are kept. */
  keptEvents = 0
  /** Number of events of deleted persons that wait for their purge. */
  doomedEvents = 0

  #identity(id: string): Identity {
    const known = this.identities.get(id)
    if (known) {
      return known
    }
    const identity = { person: { isIdentified: false, properties: new Map() }, events: 0 }
    this.identities.set(id, identity)
    return identity
  }

  idsOf(person: Person): string[] {
    return [...this.identities]
      .filter(([, identity]) => identity.person === person)
      .map(([id]) => id)
  }

  personOf = (id: string): Person | undefined => this.identities.get(id)?.person

  capture(id: string, key: string, value: number, at: number): void {
    const identity = this.#identity(id)
    identity.events += 1
    identity.person.properties.set(key, { at, value })
  }

  merge(id: string, other: string, isDangerous: boolean): void {
    const areKnown = this.identities.has(id) && this.identities.has(other)
    const [target, source] = [this.#identity(id), this.#identity(other)]
    target.events += 1
    if (id === other) {
      return
    }
    const [kept, folded] = [target.person, source.person]
    const isRefused = areKnown && folded !== kept && folded.isIdentified && !isDangerous
    kept.isIdentified = true
    if (isRefused || folded === kept) {
      return
    }
    for (const [key, theirs] of folded.properties) {
      const own = kept.properties.get(key)
      if (!own || theirs.at > own.at) {
        kept.properties.set(key, theirs)
      }
    }
    for (const name of this.idsOf(folded)) {
      this.#identity(name).person = kept
    }
  }

  split(id: string): void {
    const identity = this.identities.get(id)
    if (!identity) {
      return
    }
    for (const name of this.idsOf(identity.person)) {
      if (name !== id) {
        this.#identity(name).person = { isIdentified: false, properties: new Map() }
      }
    }
  }

  /**
   * Writes a property of a person. `undefined` removes it and records the time; removing a missing
   * property records nothing.
   */
  write(id: string, key: string, value: number | undefined, at: number): void {
    const properties = this.personOf(id)?.properties
    if (value === undefined && properties?.get(key)?.value === undefined) {
      return
    }
    properties?.set(key, { at, value })
  }

  delete(id: string, withEvents: boolean): void {
    const person = this.personOf(id)
    if (!person) {
      return
    }
    for (const name of this.idsOf(person)) {
      const events = this.#identity(name).events
      if (withEvents) {
        this.doomedEvents += events
      } else {
        this.keptEvents += events
      }
      this.identities.delete(name)
    }
  }

  purge(): void {
    this.doomedEvents = 0
  }

  /** Returns each person's ids, properties and number of events. */
  persons(): unknown[] {
    const persons = [...new Set([...this.identities.values()].map(({ person }) => person))]
    return sorted(
      persons.map((person) => {
        const ids = this.idsOf(person).sort()
        const shown = [...person.properties].flatMap(([key, { value }]) =>
          value === undefined ? [] : [[key, value]]
        )
        const events = ids.reduce((sum, id) => sum + this.#identity(id).events, 0)
        return { ids, properties: Object.fromEntries(shown.sort()), events }
      })
    )
  }
}

const sorted = (persons: unknown[]): unknown[] =>
  persons.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const id = fc.constantFrom(...IDS)
const key = fc.constantFrom(...KEYS)
const value = fc.integer({ min: 0, max: 99 })

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('capture'), id, key, value }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('merge'), id, other: id, isDangerous: fc.boolean() })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('split'), id }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('patch'), id, key, value }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unset'), id, key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete'), id, withEvents: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('purge') }) }
) as fc.Arbitrary<Step>

type Step =
  | { do: 'capture'; id: string; key: string; value: number }
  | { do: 'merge'; id: string; other: string; isDangerous: boolean }
  | { do: 'purge' }
  | PersonStep

/** A step that needs a person. */
type PersonStep =
  | { do: 'split'; id: string }
  | { do: 'patch'; id: string; key: string; value: number }
  | { do: 'unset'; id: string; key: string }
  | { do: 'delete'; id: string; withEvents: boolean }

const mergeEvent = (from: string, other: string, isDangerous: boolean): TestEvent =>
  isDangerous
    ? { event: '$merge_dangerously', distinct_id: from, properties: { alias: other } }
    : { event: '$identify', distinct_id: from, properties: { $anon_distinct_id: other } }

type Sides = { project: TestProject; model: Model; erasures: ReturnType<typeof holdErasures> }

/** Performs a step in the project and in the model. */
async function takeStep(one: Step, sides: Sides, now: number): Promise<void> {
  const { project, model, erasures } = sides
  switch (one.do) {
    case 'capture': {
      const properties = { $set: { [one.key]: one.value } }
      await project.ingest([{ event: '$set', distinct_id: one.id, properties }], now)
      model.capture(one.id, one.key, one.value, now)
      break
    }
    case 'merge':
      await project.ingest([mergeEvent(one.id, one.other, one.isDangerous)], now)
      model.merge(one.id, one.other, one.isDangerous)
      break
    case 'purge':
      await erasures.cron(WEEKLY, now)
      await erasures.drain()
      model.purge()
      break
    default:
      await changePerson(one, sides, now)
  }
}

/** Performs a step through the API if the id has a person; project and model must agree on that. */
async function changePerson(one: PersonStep, sides: Sides, now: number): Promise<void> {
  const { project, model, erasures } = sides
  const found = await erasures.call(project, 'GET', `persons?distinct_id=${one.id}`)
  const person: number | undefined = found.body.results[0]?.id
  expect(person !== undefined).toBe(model.personOf(one.id) !== undefined)
  if (person === undefined) {
    return
  }
  const path = `persons/${person}`
  switch (one.do) {
    case 'split':
      await erasures.call(project, 'POST', `${path}/split`, { main_distinct_id: one.id })
      model.split(one.id)
      break
    case 'patch':
      await erasures.call(project, 'PATCH', path, { properties: { [one.key]: one.value } })
      model.write(one.id, one.key, one.value, now)
      break
    case 'unset':
      await erasures.call(project, 'POST', `${path}/delete_property`, { $unset: one.key })
      model.write(one.id, one.key, undefined, now)
      break
    case 'delete':
      await erasures.call(project, 'DELETE', `${path}?delete_events=${one.withEvents}`)
      model.delete(one.id, one.withEvents)
  }
}

afterEach(() => {
  vi.useRealTimers()
})

it('the database matches the model after any history of captures and requests', async () => {
  const erasures = holdErasures()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const project = await newProject()
      const model = new Model()
      let now = Date.UTC(2027, 5, 1)
      for (const one of steps) {
        now += 1000
        vi.useFakeTimers({ toFake: ['Date'], now })
        await takeStep(one, { project, model, erasures }, now)
      }
      expect(await stored(project.id)).toEqual({
        persons: model.persons(),
        count: model.persons().length,
        withoutPerson: model.keptEvents + model.doomedEvents
      })
    }),
    deep(40)
  )
})

/** Returns a project's data from the database, in the model's form. */
async function stored(projectId: number) {
  const rows = await db.all<{ ids: string; properties: string; events: number }>(sql`
    select (select json_group_array(distinct_id) from
              (select distinct_id from distinct_ids where person_id = p.id order by distinct_id)) as ids,
           p.properties,
           (select count(*) from distinct_ids d join events e on e.identity = d.key where d.person_id = p.id) as events
    from persons p where p.project_id = ${projectId}`)
  const [rest] = await db.all<{ count: number; withoutPerson: number }>(sql`
    select (select coalesce(sum(value), 0) from counters where project_id = ${projectId} and name = 'persons') as count,
           (select count(*) from events e where e.project_id = ${projectId}
              and not exists (select 1 from distinct_ids d where d.key = e.identity)) as withoutPerson`)
  const persons = rows.map(({ ids, properties, events }) => {
    const known = Object.entries(JSON.parse(properties)).filter(([name]) => KEYS.includes(name))
    return { ids: JSON.parse(ids), properties: Object.fromEntries(known.sort()), events }
  })
  return { persons: sorted(persons), ...rest }
}

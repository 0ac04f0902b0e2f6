import { type Changes, type Ids, type Incoming, type Known, planEvents } from '../../src/capture/plan.ts'
import { type StoredPerson, storePerson } from '../../src/persons/person.ts'

/** The tables that capture writes, kept in maps: what a plan does to a database, without one. */
export class MemoryStore {
  readonly events = new Map<string, Changes['events'][number]>()
  readonly identities = new Map<string, { key: number; personId: number | null }>()
  readonly persons = new Map<number, StoredPerson>()
  readonly eventNames = new Map<string, number>()
  readonly versions = new Map<number, unknown>()
  readonly warnings: Changes['warnings'] = []
  #numbers = 0

  /** Plans and applies one batch. */
  deliver(batch: Incoming[]): void {
    const ids: Ids = {
      identity: () => this.#next(),
      person: () => this.#next(),
      eventName: () => this.#next(),
      uuid: () => `person-${this.#next()}`
    }
    this.#apply(planEvents(batch, this.#known(), ids))
  }

  #next(): number {
    this.#numbers += 1
    return this.#numbers
  }

  #known(): Known {
    return structuredClone({
      seen: new Set(this.events.keys()),
      identities: this.identities,
      persons: this.persons,
      eventNames: this.eventNames,
      lastErasure: 0,
      tombstones: new Map()
    })
  }

  #apply(changes: Changes): void {
    for (const { id, name } of changes.eventNames) this.eventNames.set(name, id)
    for (const person of [...changes.newPersons, ...changes.changedPersons]) {
      const row = JSON.parse(JSON.stringify(storePerson(person)))
      this.persons.set(row.id, {
        ...row,
        createdAt: row.created_at,
        isIdentified: row.is_identified,
        revision: row.revision + 1
      })
    }
    for (const { id, into } of changes.mergedPersons) {
      for (const identity of this.identities.values()) if (identity.personId === id) identity.personId = into
      this.persons.delete(id)
    }
    for (const { key, person_id } of changes.attached)
      for (const identity of this.identities.values()) if (identity.key === key) identity.personId = person_id
    for (const { key, distinct_id, person_id } of changes.newIdentities)
      this.identities.set(distinct_id, { key, personId: person_id })
    for (const { id, properties } of changes.versions) {
      if (this.versions.has(id)) throw new Error(`version ${id} was given out twice`)
      this.versions.set(id, structuredClone(properties))
    }
    for (const event of changes.events) this.events.set(event.uuid, event)
    this.warnings.push(...changes.warnings)
  }

  personOf(distinctId: string): StoredPerson | undefined {
    const identity = this.identities.get(distinctId)
    return identity?.personId ? this.persons.get(identity.personId) : undefined
  }

  /** Each person by its sorted distinct ids. */
  groups(): string[][] {
    const byPerson = Map.groupBy(this.identities, ([, { personId }]) => personId)
    const groups = [...byPerson].filter(([personId]) => personId !== null)
    return groups.map(([, identities]) => identities.map(([id]) => id).sort()).sort()
  }
}

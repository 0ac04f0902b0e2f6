import type { Changes, Ids, Incoming, Known } from '../../src/capture/changes.ts'
import { planEvents } from '../../src/capture/plan.ts'
import type { PersonChange, PersonSubject } from '../../src/persons/change.ts'
import {
  loadPerson,
  type Person,
  type PersonVersion,
  type StoredPerson,
  storePerson
} from '../../src/persons/person.ts'

type Identity = { key: number; personId: number | null }

/** The tables that capture writes, as maps. Applies plans without a database. */
export class MemoryStore {
  readonly events = new Map<string, Changes['events'][number]>()
  readonly identities = new Map<string, Identity>()
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
    const changes = planEvents(batch, this.#known(), ids)
    this.#apply(changes)
    if (changes.rest.length > 0) {
      this.deliver(changes.rest)
    }
  }

  /** Applies a change to the person with this distinct id, as the API does. */
  change(distinctId: string, rule: (subject: PersonSubject) => PersonChange): void {
    const stored = this.personOf(distinctId)
    const all = [...this.identities].map(([distinctId, { key, personId }]) => ({
      key,
      distinctId,
      personId
    }))
    const [first, ...rest] = all
      .filter(({ personId }) => personId === stored?.id)
      .sort((a, b) => a.key - b.key)
    if (!stored || !first) {
      throw new Error(`No person has the distinct id ${distinctId}.`)
    }
    const person = loadPerson(structuredClone(stored))
    const { versions } = rule({ person, identities: [first, ...rest] })
    this.#save(person)
    this.#addVersions(versions)
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
      identityCounts: this.#identityCounts(),
      eventNames: this.eventNames,
      eventNameCount: this.eventNames.size,
      lastErasure: 0,
      suppressionSerial: 0,
      tombstones: new Map(),
      sessions: []
    })
  }

  #identityCounts(): Map<number, number> {
    const counts = new Map<number, number>()
    for (const { personId } of this.identities.values()) {
      counts.set(personId ?? 0, (counts.get(personId ?? 0) ?? 0) + 1)
    }
    return counts
  }

  #apply(changes: Changes): void {
    for (const { id, name } of changes.eventNames) {
      this.eventNames.set(name, id)
    }
    for (const person of [...changes.newPersons, ...changes.changedPersons]) {
      this.#save(person)
    }
    for (const { id, into } of changes.mergedPersons) {
      this.#assign(into, (identity) => identity.personId === id)
      this.persons.delete(id)
    }
    for (const { key, person_id } of changes.attached) {
      this.#assign(person_id, (identity) => identity.key === key)
    }
    for (const { key, distinct_id, person_id } of changes.newIdentities) {
      this.identities.set(distinct_id, { key, personId: person_id })
    }
    this.#addVersions(changes.versions)
    for (const event of changes.events) {
      this.events.set(event.uuid, event)
    }
    this.warnings.push(...changes.warnings)
  }

  /** Assigns the matching identities to a person. */
  #assign(personId: number, isMatching: (identity: Identity) => boolean): void {
    for (const identity of this.identities.values()) {
      if (isMatching(identity)) {
        identity.personId = personId
      }
    }
  }

  #save(person: Person): void {
    const row = JSON.parse(JSON.stringify(storePerson(person)))
    this.persons.set(row.id, {
      ...row,
      createdAt: row.created_at,
      isIdentified: row.is_identified,
      copyCredit: row.copy_credit,
      isVersionStale: row.is_version_stale,
      revision: row.revision + 1
    })
  }

  #addVersions(versions: PersonVersion[]): void {
    for (const { id, properties } of versions) {
      if (this.versions.has(id)) {
        throw new Error(`The version id ${id} was assigned twice.`)
      }
      this.versions.set(id, structuredClone(properties))
    }
  }

  personOf(distinctId: string): StoredPerson | undefined {
    const identity = this.identities.get(distinctId)
    return identity?.personId ? this.persons.get(identity.personId) : undefined
  }

  /** Returns the sorted distinct ids of each person. */
  groups(): string[][] {
    const byPerson = Map.groupBy(this.identities, ([, { personId }]) => personId)
    const groups = [...byPerson].filter(([personId]) => personId !== null)
    return groups.map(([, identities]) => identities.map(([id]) => id).sort()).sort()
  }
}

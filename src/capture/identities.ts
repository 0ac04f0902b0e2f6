import { loadPerson, newPerson, type Person } from '../persons/person.ts'
import type { IdentityChanges, Ids, Known } from './changes.ts'
import { NEW_IDENTITY } from './cost.ts'

/** A distinct id of the batch, with its person if it has one. */
export type PlannedIdentity = {
  key: number
  distinctId: string
  person: Person | undefined
  /** The id of its stored person: null without one, undefined if it is not stored itself. */
  storedPersonId: number | null | undefined
}

/** The identities and persons of a batch of events, stored and new, while the batch is planned. */
export class Identities {
  readonly #known: Known
  readonly #ids: Ids
  readonly #identities = new Map<string, PlannedIdentity>()
  readonly #persons = new Map<number, Person>()
  readonly #mergedInto = new Map<Person, { person: Person; at: number }>()
  #cost = 0

  constructor(known: Known, ids: Ids) {
    this.#known = known
    this.#ids = ids
  }

  get cost(): number {
    return this.#cost
  }

  /** Returns the identity of a distinct id; creates it if it is not stored. */
  of(distinctId: string): PlannedIdentity {
    const present = this.#identities.get(distinctId)
    if (present) {
      return present
    }
    const stored = this.#known.identities.get(distinctId)
    const identity: PlannedIdentity = {
      key: stored?.key ?? this.#ids.identity(),
      distinctId,
      person: stored?.personId ? this.#person(stored.personId) : undefined,
      storedPersonId: stored?.personId
    }
    this.#identities.set(distinctId, identity)
    this.#cost += stored ? 0 : NEW_IDENTITY
    return identity
  }

  /** Returns the person of an identity, or the person that it was merged into. */
  personOf({ person }: PlannedIdentity): Person | undefined {
    return person && this.#survivor(person)
  }

  createPerson(identity: PlannedIdentity, createdAt: number): Person {
    const person = newPerson(this.#ids.person(), this.#ids.uuid(), createdAt)
    this.#persons.set(person.id, person)
    identity.person = person
    return person
  }

  /** From now on, the identities of `folded` belong to `kept`. `at` is ms UTC. */
  merge(folded: Person, kept: Person, at: number): void {
    this.#mergedInto.set(folded, { person: kept, at })
  }

  changes(): IdentityChanges {
    const identities = [...this.#identities.values()]
    const persons = [...this.#persons.values()]
    const remaining = persons.filter((person) => !this.#mergedInto.has(person))
    // A person without a revision is new and has no stored row to change or delete.
    return {
      newPersons: remaining.filter((person) => person.revision === undefined),
      changedPersons: remaining.filter((person) => person.revision !== undefined && person.touched),
      mergedPersons: [...this.#mergedInto].flatMap(([person, { at }]) =>
        person.revision === undefined
          ? []
          : [{ id: person.id, revision: person.revision, into: this.#survivor(person).id, at }]
      ),
      newIdentities: identities
        .filter(({ storedPersonId }) => storedPersonId === undefined)
        .map((identity) => ({
          key: identity.key,
          distinct_id: identity.distinctId,
          person_id: this.personOf(identity)?.id ?? null
        })),
      attached: identities.flatMap((identity) => {
        const person = this.personOf(identity)
        return identity.storedPersonId === null && person
          ? [{ key: identity.key, person_id: person.id }]
          : []
      }),
      expectedIdentities: identities
        .filter(({ storedPersonId }) => storedPersonId !== undefined)
        .map(({ key }) => key)
    }
  }

  #person(id: number): Person {
    const stored = this.#known.persons.get(id)
    if (!stored) {
      throw new Error(`person ${id} was not read`)
    }
    const person = this.#persons.get(id) ?? loadPerson(stored)
    this.#persons.set(id, person)
    return person
  }

  #survivor(person: Person): Person {
    const into = this.#mergedInto.get(person)
    return into ? this.#survivor(into.person) : person
  }
}

import { byteLength } from '../input/json.ts'
import {
  isMergeable,
  mergePersons,
  type Person,
  type PersonVersion,
  searchText,
  tryVersion,
  writePerson
} from '../persons/person.ts'
import { earnCredit, searchCost } from '../persons/version-credit.ts'
import {
  type Changes,
  type Incoming,
  type Known,
  MAX_FOLDED,
  type Merge,
  sizeOf,
  type Warning
} from './changes.ts'
import { MOVED_ROW, personCost, versionCost } from './cost.ts'
import { mergeSource } from './distinct-ids.ts'
import type { Identities, PlannedIdentity } from './identities.ts'
import { writesOf } from './person-writes.ts'
import { stampOf } from './write-order.ts'

/** Whether the person who owned a distinct id when an event was accepted has been erased since. */
type IsErased = (distinctId: string, event: Incoming) => boolean

/** Plans what a batch of events changes in its persons: properties, versions and merges. */
export class PersonPlan {
  readonly versions: PersonVersion[] = []
  readonly merges: Merge[] = []
  readonly warnings: Changes['warnings'] = []
  readonly #identities: Identities
  readonly #storedCounts: Known['identityCounts']
  readonly #isErased: IsErased
  /** The cost of writing each person. A person without an entry is not written. */
  readonly #personCosts = new Map<Person, number>()
  /** The new search text of changed persons. */
  readonly #searched = new Map<Person, string>()
  /** Stored distinct ids of each person into which others were merged, theirs included. */
  readonly #identityCounts = new Map<Person, number>()
  #cost = 0

  constructor(identities: Identities, storedCounts: Known['identityCounts'], isErased: IsErased) {
    this.#identities = identities
    this.#storedCounts = storedCounts
    this.#isErased = isErased
  }

  get cost(): number {
    return this.#cost
  }

  /** Applies an event to its person, which may be new. */
  apply(identity: PlannedIdentity, event: Incoming): Person {
    // The client's clock may be ahead, but nothing happens to a person in the future.
    const happenedAt = Math.floor(Math.min(event.timestamp, event.received_at))
    const isMerged = this.#merge(identity, event, happenedAt)
    const person =
      this.#identities.personOf(identity) ?? this.#identities.createPerson(identity, happenedAt)
    if (happenedAt < person.createdAt) {
      person.createdAt = happenedAt
      person.touched = true
      person.changed = true
    }
    const isWritten = this.#write(person, event)
    person.copyCredit = earnCredit(person.copyCredit, sizeOf(event), person.properties.bytes.shown)
    const isChanged = isMerged || isWritten
    if (isChanged) {
      this.#payForSearch(person)
    }
    const hasVersion = person.version !== 0
    if (isChanged || !hasVersion || person.isVersionStale) {
      this.#addVersion(person, identity, event)
    }
    this.#countCost(person)
    return person
  }

  /** Applies the event's writes to the person. @returns whether properties changed */
  #write(person: Person, event: Incoming): boolean {
    const { changed, refused } = writePerson(person, writesOf(event, stampOf(event)))
    if (refused) {
      this.#warn('person_properties_size_violation', event)
    }
    return changed
  }

  /**
   * Charges text added to the search index to the person's credit for versions (see
   * `persons/version-credit.ts`), because both take space in the database.
   */
  #payForSearch(person: Person): void {
    const before = this.#searched.get(person) ?? person.indexed
    const now = searchText(person.properties.shown)
    person.copyCredit -= searchCost(Math.max(0, byteLength(now) - byteLength(before)))
    this.#searched.set(person, now)
  }

  #addVersion(person: Person, identity: PlannedIdentity, event: Incoming): void {
    const version = tryVersion(person, identity.key)
    if (version) {
      this.versions.push(version)
      this.#cost += versionCost(person.properties.bytes.shown)
    } else {
      this.#warn('person_version_limit_exceeded', event)
    }
  }

  #countCost(person: Person): void {
    if (!person.touched) {
      return
    }
    const now = this.#searched.get(person) ?? person.indexed
    const isSearchedAnew = now !== person.indexed
    const cost = personCost(
      person.properties.bytes,
      isSearchedAnew ? { out: byteLength(person.indexed), in: byteLength(now) } : undefined
    )
    this.#cost += cost - (this.#personCosts.get(person) ?? 0)
    this.#personCosts.set(person, cost)
  }

  /**
   * Merges the two persons that an event names, if it names two. @returns whether the properties of
   * the remaining person changed
   */
  #merge(target: PlannedIdentity, event: Incoming, at: number): boolean {
    const source = mergeSource(event)
    if (source === undefined || source === target.distinctId) {
      return false
    }
    if (!isMergeable(source) || !isMergeable(target.distinctId)) {
      this.#warn('cannot_merge_with_illegal_distinct_id', event)
      return false
    }
    if (this.#isErased(source, event)) {
      // Nothing of the erased person may be merged, but the event still identifies its own person.
      this.#identify(this.#identities.personOf(target) ?? this.#identities.createPerson(target, at))
      return false
    }
    const from = this.#identities.of(source)
    const [folded, kept] = [this.#identities.personOf(from), this.#identities.personOf(target)]
    if (folded && kept) {
      return this.#mergeTwo(folded, kept, event, source)
    }
    this.#noteMerge(event, source)
    const person = kept ?? folded ?? this.#identities.createPerson(target, at)
    from.person = person
    target.person = person
    person.isIdentified = true
    // Writing the person makes the batch fail if another batch merges or deletes the person at
    // the same moment.
    person.touched = true
    return false
  }

  /** Folds a person into another, if it may be merged. @returns as `#merge` */
  #mergeTwo(folded: Person, kept: Person, event: Incoming, source: string): boolean {
    this.#identify(kept)
    if (folded === kept) {
      return false
    }
    if (folded.isIdentified && event.event !== '$merge_dangerously') {
      this.#warn('cannot_merge_already_identified', event)
      return false
    }
    const moved = this.#identityCountOf(folded)
    if (moved > MAX_FOLDED) {
      this.#warn('merge_limit_exceeded', event)
      return false
    }
    this.#noteMerge(event, source)
    this.#cost += moved * MOVED_ROW
    this.#identityCounts.set(kept, this.#identityCountOf(kept) + moved)
    const { changed, refused } = mergePersons(kept, folded)
    if (refused) {
      this.#warn('person_properties_size_violation', event)
    }
    this.#identities.merge(folded, kept, event.received_at)
    return changed
  }

  /**
   * Counts the stored distinct ids that would move with the person. New distinct ids are stored
   * with the right person at once.
   */
  #identityCountOf(person: Person): number {
    return this.#identityCounts.get(person) ?? this.#storedCounts.get(person.id) ?? 0
  }

  #identify(person: Person): void {
    if (person.isIdentified) {
      return
    }
    person.isIdentified = true
    person.touched = true
  }

  #noteMerge({ distinct_id: target, received_at: at }: Incoming, source: string): void {
    this.merges.push({ target, source, at })
  }

  #warn(type: Warning, event: Incoming): void {
    this.warnings.push({ type, event: event.uuid })
  }
}

import type { Json, JsonObject } from '../input/json.ts'
import { copyCost, NEW_CREDIT } from './copies.ts'
import {
  type Bytes,
  commitDraft,
  decodeWrites,
  draftMerge,
  draftWrites,
  emptyProperties,
  encodeWrites,
  type PersonProperties,
  type Stamp,
  type StoredWrites,
  toObject,
  type Write
} from './properties.ts'

/** A person as stored, decoded. Times are ms UTC; `version` is a row of `person_versions`, `versions` their count. */
export type StoredPerson = {
  id: number
  uuid: string
  createdAt: number
  isIdentified: boolean
  properties: JsonObject
  writes: StoredWrites
  version: number
  versions: number
  /** Bytes that copies of the properties may still take: see `copies.ts`. Less than none after one too many. */
  copyCredit: number
  /** The version in force is not what the properties are: there was no credit for a copy. */
  isVersionStale: boolean
  revision: number
}

/** A person while a batch of changes to it is worked out; `revision` is undefined until it is stored. */
export type Person = Omit<StoredPerson, 'properties' | 'writes' | 'revision'> & {
  properties: PersonProperties
  /** What search looks in, as stored. */
  indexed: string
  revision: number | undefined
  /** Something has to be stored; `changed`: something that answers, versions or indexes show. */
  touched: boolean
  changed: boolean
}

/** A row of `person_versions`. */
export type Version = { id: number; properties: JsonObject }

/** A person's properties and, separately, their write times may take this many bytes of JSON. */
export const MAX_PROPERTIES_BYTES = 512 * 1024

export const newPerson = (id: number, uuid: string, createdAt: number): Person => ({
  id,
  uuid,
  createdAt,
  isIdentified: false,
  properties: emptyProperties(),
  indexed: '',
  version: 0,
  versions: 0,
  copyCredit: NEW_CREDIT,
  isVersionStale: false,
  revision: undefined,
  touched: true,
  changed: true
})

export function loadPerson({ properties: stored, writes, ...person }: StoredPerson): Person {
  const properties = decodeWrites(stored, writes)
  return {
    ...person,
    properties,
    indexed: searchText(properties.shown),
    touched: false,
    changed: false
  }
}

export const storePerson = (person: Person) => {
  const properties = toObject(person.properties)
  return {
    id: person.id,
    uuid: person.uuid,
    created_at: person.createdAt,
    is_identified: person.isIdentified,
    properties,
    writes: encodeWrites(person.properties),
    search: searchText(person.properties.shown),
    version: person.version,
    versions: person.versions,
    copy_credit: person.copyCredit,
    is_version_stale: person.isVersionStale,
    revision: person.revision ?? 0
  }
}

/** A version's row: 24 bits number an identity's versions, the 29 above them are the identity's key. */
const versionId = (identity: number, number: number): number => identity * 2 ** 24 + number

/** The key of the identity that a version belongs to. */
export const identityOf = (version: number): number => Math.floor(version / 2 ** 24)

/** Makes what the person's properties are now its version in force, come through the identity with this key. */
export function addVersion(person: Person, identity: number): Version {
  person.versions += 1
  person.version = versionId(identity, person.versions)
  person.isVersionStale = false
  person.touched = true
  person.changed = true
  return { id: person.version, properties: toObject(person.properties) }
}

/**
 * Adds a version if the person's credit pays for it, as it has to for all but the first. Without one the version in force
 * is stale from now on.
 */
export function tryVersion(person: Person, identity: number): Version | undefined {
  const cost = copyCost(person.properties.bytes.shown)
  if (person.version === 0 || person.copyCredit >= cost) {
    person.copyCredit -= cost
    return addVersion(person, identity)
  }
  person.touched ||= !person.isVersionStale
  person.isVersionStale = true
  return undefined
}

/** Applies an event's writes, all or, when the person would become too large, none of them. */
export function writePerson(
  person: Person,
  writes: Write[]
): { changed: boolean; refused: boolean } {
  const draft = draftWrites(person.properties, writes)
  if (draft.changed && isTooLarge(draft.bytes)) {
    return { changed: false, refused: true }
  }
  commitDraft(person.properties, draft)
  person.touched ||= draft.touched
  person.changed ||= draft.changed
  return { changed: draft.changed, refused: false }
}

/** Removes a property, however large the person is. */
export function unsetProperty(person: Person, key: string, stamp: Stamp): void {
  const draft = draftWrites(person.properties, [{ kind: 'unset', key, stamp }])
  commitDraft(person.properties, draft)
  person.touched ||= draft.touched
  person.changed ||= draft.changed
}

/** Makes `target` what both were; when that would be too large the target's properties stay as they are. */
export function mergePersons(
  target: Person,
  source: Person
): { changed: boolean; refused: boolean } {
  const draft = draftMerge(target.properties, source.properties)
  const refused = draft.changed && isTooLarge(draft.bytes)
  if (!refused) {
    commitDraft(target.properties, draft)
  }
  target.createdAt = Math.min(target.createdAt, source.createdAt)
  target.versions = Math.max(target.versions, source.versions)
  target.copyCredit += source.copyCredit
  target.isIdentified = true
  target.touched = true
  target.changed = true
  return { changed: draft.changed && !refused, refused }
}

const isTooLarge = ({ shown, writes }: Bytes): boolean =>
  shown > MAX_PROPERTIES_BYTES || writes > MAX_PROPERTIES_BYTES

const NAME_KEYS = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName']

/** The first non-empty name-like property, else the first non-anonymous distinct id, else the first. */
export function nameOf(properties: JsonObject, distinctIds: string[]): string {
  const named = NAME_KEYS.map((key) => text(properties[key])).find((value) => value !== '')
  return named ?? distinctIds.find((id) => !isAnonymous(id)) ?? distinctIds[0] ?? ''
}

/** What `search` looks in: the name-like properties, folded as `foldSearch` folds the term. */
export const searchText = (properties: ReadonlyMap<string, Json>): string =>
  NAME_KEYS.map((key) => foldSearch(text(properties.get(key))))
    .filter((value) => value !== '')
    .join(SEPARATOR)
    .slice(0, MAX_SEARCHED)
    .toWellFormed()

/** One character between two values that no term contains, so that a term is found only within a value. */
const SEPARATOR = '\u001f'

/**
 * Characters of a value, and of all values of a person, that search looks in. Each takes about ten bytes in the full-text
 * index, and 20 µs to be taken out of it.
 */
const MAX_SEARCH = 128
const MAX_SEARCHED = 512

/** Upper and lower case, composed and decomposed letters are the same to a search. */
export const foldSearch = (value: string): string =>
  value
    .slice(0, MAX_SEARCH)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('\0', '')
    .replaceAll(SEPARATOR, '')
    .toWellFormed()

/** Five lower-case groups joined by hyphens: ids that SDKs make up. */
export const isAnonymous = (distinctId: string): boolean =>
  /^[0-9a-z]+(-[0-9a-z]+){4}$/.test(distinctId)

/** Distinct ids as the API lists them: the anonymous ones last. */
export const sortDistinctIds = (ids: string[]): string[] =>
  ids.toSorted((a, b) => Number(isAnonymous(a)) - Number(isAnonymous(b)))

function text(value: Json | undefined): string {
  if (typeof value === 'string') {
    return value.trim()
  }
  return typeof value === 'number' ? String(value) : ''
}

/** Whether events may merge this distinct id: not a placeholder that many strangers share, in any case and in quotes. */
export function isMergeable(distinctId: string): boolean {
  const bare = distinctId
    .trim()
    .replace(/^(['"])(.*)\1$/, '$2')
    .trim()
  return bare !== '' && !PLACEHOLDERS.has(bare.toLowerCase())
}

/** PostHog's list, `ILLEGAL_DISTINCT_IDS` of its capture service, and what posthog-js sends for visitors without cookies. */
const PLACEHOLDERS = new Set([
  '$posthog_cookieless',
  '0',
  '00000000-0000-0000-0000-000000000000',
  '[object object]',
  'anonymous',
  'anonymous-user',
  'backend',
  'distinct_id',
  'distinctid',
  'email',
  'false',
  'guest',
  'id',
  'nan',
  'none',
  'not_authenticated',
  'null',
  'system',
  'true',
  'undefined',
  'user'
])

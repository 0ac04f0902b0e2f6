import { versionId } from '../db/version-id.ts'
import type { Json, JsonObject } from '../input/json.ts'
import type { Stamp, Write } from './last-write.ts'
import {
  commitDraft,
  draftMerge,
  draftWrites,
  emptyProperties,
  type PersonProperties,
  type PropertiesDraft,
  toObject
} from './properties.ts'
import { decodeWrites, encodeWrites, type StoredWrites } from './stored-writes.ts'
import { copyCost, NEW_CREDIT } from './version-credit.ts'

/**
 * A stored person, decoded. Times are ms UTC; `version` is the id of the current version (0: none
 * yet), `versions` the number of versions.
 */
export type StoredPerson = {
  id: number
  uuid: string
  createdAt: number
  isIdentified: boolean
  properties: JsonObject
  writes: StoredWrites
  version: number
  versions: number
  /** Bytes that copies may still take, see `version-credit.ts`; may be negative. */
  copyCredit: number
  /** Whether the version differs from the properties: the credit did not cover a copy. */
  isVersionStale: boolean
  revision: number
}

/** A person to which a batch is applied; `revision` is undefined until it is stored. */
export type Person = Omit<StoredPerson, 'properties' | 'writes' | 'revision'> & {
  properties: PersonProperties
  /** The searchable text as it is stored. */
  indexed: string
  revision: number | undefined
  /** Whether the row must be written. */
  touched: boolean
  /** Whether a change affects responses, versions or indexes. */
  changed: boolean
}

/** A row of `person_versions`. */
export type PersonVersion = { id: number; properties: JsonObject }

/**
 * Largest properties of a person, and largest record of their writes, which includes values that
 * are not shown; bytes of JSON. D1 limits a row to 2 MB.
 */
export const MAX_PROPERTIES_BYTES = 512 * 1024

/** Creates an anonymous person without properties. */
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

/** Decodes a stored person, so that changes can be applied to it. */
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

/** Encodes a person for storage, in snake case for SQL. */
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

/**
 * Makes the present properties the current version. The version belongs to the identity with this
 * key.
 */
export function addVersion(person: Person, identity: number): PersonVersion {
  person.versions += 1
  person.version = versionId(identity, person.versions)
  person.isVersionStale = false
  person.touched = true
  person.changed = true
  return { id: person.version, properties: toObject(person.properties) }
}

/** Adds a version if the credit covers it or it is the first; else marks it as stale. */
export function tryVersion(person: Person, identity: number): PersonVersion | undefined {
  const cost = copyCost(person.properties.bytes.shown)
  if (person.version === 0 || person.copyCredit >= cost) {
    person.copyCredit -= cost
    return addVersion(person, identity)
  }
  person.touched ||= !person.isVersionStale
  person.isVersionStale = true
  return undefined
}

/** Applies writes, or none of them (`refused`) if the person would become too large. */
export function writePerson(
  person: Person,
  writes: Write[]
): { changed: boolean; refused: boolean } {
  const draft = draftWrites(person.properties, writes)
  if (isTooLarge(draft, person.properties)) {
    return { changed: false, refused: true }
  }
  commitDraft(person.properties, draft)
  person.touched ||= draft.touched
  person.changed ||= draft.changed
  return { changed: draft.changed, refused: false }
}

/** Removes a property. Works on persons of any size. */
export function unsetProperty(person: Person, key: string, stamp: Stamp): void {
  const draft = draftWrites(person.properties, [{ kind: 'unset', key, stamp }])
  commitDraft(person.properties, draft)
  person.touched ||= draft.touched
  person.changed ||= draft.changed
}

/**
 * Merges `source` into `target`. If the merged properties would be too large (`refused`), the
 * target keeps its own.
 */
export function mergePersons(
  target: Person,
  source: Person
): { changed: boolean; refused: boolean } {
  const draft = draftMerge(target.properties, source.properties)
  const refused = isTooLarge(draft, target.properties)
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

/**
 * Whether a draft may not be stored. `unsetProperty` may make a person too large: drafts that
 * neither change what they show nor make them larger are allowed.
 */
function isTooLarge({ bytes, changed }: PropertiesDraft, before: PersonProperties): boolean {
  const isLarge = bytes.shown > MAX_PROPERTIES_BYTES || bytes.writes > MAX_PROPERTIES_BYTES
  return isLarge && (changed || bytes.writes > before.bytes.writes)
}

const NAME_KEYS = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName']

/**
 * Returns a person's name: the first non-empty name-like property, else the first distinct id that
 * is not anonymous, else the first distinct id.
 */
export function nameOf(properties: JsonObject, distinctIds: string[]): string {
  const named = NAME_KEYS.map((key) => text(properties[key])).find((value) => value !== '')
  return named ?? distinctIds.find((id) => !isAnonymous(id)) ?? distinctIds[0] ?? ''
}

/** Returns the name-like properties, folded like the term that `search` looks for. */
export const searchText = (properties: ReadonlyMap<string, Json>): string =>
  NAME_KEYS.map((key) => foldSearch(text(properties.get(key))))
    .filter((value) => value !== '')
    .join(SEPARATOR)
    .slice(0, MAX_SEARCHED)
    .toWellFormed()

/** Separates searchable values. No term contains it, so that it matches within one. */
const SEPARATOR = '\u001f'

/**
 * Searchable characters of one value. Each takes about ten bytes in the full-text index and 20 µs
 * to remove from it.
 */
const MAX_SEARCHED_VALUE = 128
/** Searchable characters of all values of a person together. */
const MAX_SEARCHED = 512

/** Folds a value or term for search, so that case and composition do not matter: `ÉVA` → `éva`. */
export const foldSearch = (value: string): string =>
  value
    .slice(0, MAX_SEARCHED_VALUE)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('\0', '')
    .replaceAll(SEPARATOR, '')
    .toWellFormed()

/** Whether an SDK generated a distinct id: five groups joined by hyphens, as in a UUID. */
export const isAnonymous = (distinctId: string): boolean =>
  /^[0-9a-z]+(-[0-9a-z]+){4}$/.test(distinctId)

/** Sorts distinct ids as the API lists them, anonymous ids last. */
export const sortDistinctIds = (ids: string[]): string[] =>
  ids.toSorted((a, b) => Number(isAnonymous(a)) - Number(isAnonymous(b)))

function text(value: Json | undefined): string {
  if (typeof value === 'string') {
    return value.trim()
  }
  return typeof value === 'number' ? String(value) : ''
}

/**
 * Whether events may merge this distinct id. Placeholders that many strangers share are not
 * mergeable, in upper or lower case, with or without quotes: `ada` → true, `"NULL"` → false.
 */
export function isMergeable(distinctId: string): boolean {
  const bare = distinctId
    .trim()
    .replace(/^(['"])(.*)\1$/, '$2')
    .trim()
  return bare !== '' && !PLACEHOLDERS.has(bare.toLowerCase())
}

/** `ILLEGAL_DISTINCT_IDS` of PostHog's capture, and posthog-js's id without cookies. */
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

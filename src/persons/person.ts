import { byteLength, type Json, type JsonObject } from '../json.ts'
import {
  applyWrites,
  copyProperties,
  decodeWrites,
  emptyProperties,
  encodeWrites,
  mergeProperties,
  type PersonProperties,
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
  revision: number
}

/** A person while a batch of changes to it is worked out; `revision` is undefined until it is stored. */
export type Person = Omit<StoredPerson, 'properties' | 'writes' | 'revision'> & {
  properties: PersonProperties
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
  version: 0,
  versions: 0,
  revision: undefined,
  touched: true,
  changed: true
})

export const loadPerson = ({ properties, writes, ...person }: StoredPerson): Person => ({
  ...person,
  properties: decodeWrites(properties, writes),
  touched: false,
  changed: false
})

export const storePerson = (person: Person) => {
  const properties = toObject(person.properties)
  return {
    id: person.id,
    uuid: person.uuid,
    created_at: person.createdAt,
    is_identified: person.isIdentified,
    properties,
    writes: encodeWrites(person.properties),
    search: searchText(properties),
    version: person.version,
    versions: person.versions,
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
  person.touched = true
  person.changed = true
  return { id: person.version, properties: toObject(person.properties) }
}

/** Applies an event's writes, all or, when the person would become too large, none of them. */
export function writePerson(
  person: Person,
  writes: Write[]
): { changed: boolean; refused: boolean } {
  const before = copyProperties(person.properties)
  const { touched, changed } = applyWrites(person.properties, writes)
  if (changed && isTooLarge(person.properties)) {
    person.properties = before
    return { changed: false, refused: true }
  }
  person.touched ||= touched
  person.changed ||= changed
  return { changed, refused: false }
}

/** Makes `target` what both were; when that would be too large the target's properties stay as they are. */
export function mergePersons(
  target: Person,
  source: Person
): { changed: boolean; refused: boolean } {
  const before = copyProperties(target.properties)
  const { changed } = mergeProperties(target.properties, source.properties)
  const refused = changed && isTooLarge(target.properties)
  if (refused) {
    target.properties = before
  }
  target.createdAt = Math.min(target.createdAt, source.createdAt)
  target.versions = Math.max(target.versions, source.versions)
  target.isIdentified = true
  target.touched = true
  target.changed = true
  return { changed: changed && !refused, refused }
}

function isTooLarge(properties: PersonProperties): boolean {
  const [shown, writes] = [
    JSON.stringify(toObject(properties)),
    JSON.stringify(encodeWrites(properties))
  ]
  return [shown, writes].some(
    (json) => json.length * 3 > MAX_PROPERTIES_BYTES && byteLength(json) > MAX_PROPERTIES_BYTES
  )
}

const NAME_KEYS = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName']

/** The first non-empty name-like property, else the first non-anonymous distinct id, else the first. */
export function nameOf(properties: JsonObject, distinctIds: string[]): string {
  const named = NAME_KEYS.map((key) => text(properties[key])).find((value) => value !== '')
  return named ?? distinctIds.find((id) => !isAnonymous(id)) ?? distinctIds[0] ?? ''
}

/** What `search` looks in: the name-like properties, folded as `foldSearch` folds the term. */
export const searchText = (properties: JsonObject): string =>
  NAME_KEYS.map((key) => foldSearch(text(properties[key])))
    .filter((value) => value !== '')
    .join(SEPARATOR)

/** One character between two values that no term contains, so that a term is found only within a value. */
const SEPARATOR = '\u001f'
const MAX_SEARCH = 1_000

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

/** Who may not be merged: placeholders that many strangers share. */
export function isMergeable(distinctId: string): boolean {
  const bare = distinctId.trim().replace(/^(['"])(.*)\1$/, '$2')
  return bare.trim() !== '' && !ILLEGAL.has(bare) && !ILLEGAL_ANY_CASE.has(bare.toLowerCase())
}

const ILLEGAL = new Set(['[object Object]', 'NaN', 'None', 'none', 'null', '0'])
const ILLEGAL_ANY_CASE = new Set([
  'anonymous',
  'guest',
  'distinctid',
  'distinct_id',
  'id',
  'not_authenticated',
  'email',
  'undefined',
  'true',
  'false'
])

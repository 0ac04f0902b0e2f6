import * as z from 'zod'
import { parseTimestamp } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { refusing } from '../input/fields.ts'
import { isEmpty, isObject, type Json, type JsonObject } from '../input/json.ts'
import { readDistinctId } from '../persons/distinct-id.ts'
import type { PersonName } from '../persons/store.ts'
import { RecordingJson } from './schemas.ts'

/** Longest distinct id, characters. */
const MAX_DISTINCT_ID = 200

export const DistinctId = z.string().max(MAX_DISTINCT_ID)

/** An object that names a person, or a person as a response shows it. */
const PersonObject = z.object({
  id: z.int().nullish(),
  uuid: z.guid().nullish(),
  distinct_ids: z.union([DistinctId, z.array(DistinctId).min(1).max(1000)]).nullish(),
  properties: z.record(z.string(), z.unknown()).nullish()
})

/** A person in a request: a distinct id, or an object. */
export const PersonInput = z.union(
  [DistinctId.min(1), PersonObject],
  'A person must be a distinct id, or an object with `id`, `uuid` or `distinct_ids`.'
)
export type PersonInput = z.infer<typeof PersonInput>

/** The writable fields of a recording. */
export const RecordingUpdateJson = refusing(
  z
    .object({
      distinct_id: DistinctId.optional().meta({
        description: 'The new distinct id of the recording.'
      }),
      person: PersonInput.optional().meta({
        description:
          'The new person of the recording: a distinct id, or an object with `id`, `uuid` or `distinct_ids`.'
      }),
      viewed: z.boolean().optional().meta({
        description:
          "`true` marks the recording as viewed by the key's user, which cannot be undone. `false` is accepted together with other fields, as long as the user has not viewed the recording."
      }),
      analyzed: z
        .boolean()
        .optional()
        .meta({ description: 'Accepted for compatibility with PostHog; changes nothing.' })
    })
    .refine(
      ({ distinct_id, person, viewed, analyzed }) =>
        distinct_id !== undefined || person !== undefined || viewed || analyzed,
      { error: 'Send `distinct_id` or `person`, or `viewed` or `analyzed` as `true`.' }
    )
    .meta({ id: 'RecordingUpdate', examples: [{ distinct_id: 'ada' }] }),
  {},
  Object.keys(RecordingJson.shape)
)
export type RecordingUpdate = z.infer<typeof RecordingUpdateJson>

/** Fields that may have changed to any value since a client read the recording. */
const CHANGING = [
  'viewers',
  'activity',
  'ongoing',
  'activity_score',
  'inactive_seconds',
  'start_url',
  'snapshot_source'
]
/** Numbers that only grow with each new part. */
const GROWING = [
  'recording_duration',
  'active_seconds',
  'click_count',
  'keypress_count',
  'mouse_activity_count',
  'console_log_count',
  'console_warn_count',
  'console_error_count'
] as const

/**
 * Returns the names of the read-only fields that may hold old values: a client may send back the
 * whole recording as it was before later parts arrived.
 * @param sent the read-only fields of the body
 */
export function listOutdated(sent: JsonObject, shown: RecordingJson): string[] {
  const smaller = GROWING.filter((name) => {
    const value = sent[name]
    return typeof value === 'number' && value >= 0 && value <= shown[name]
  })
  const started = timeOf(sent.start_time)
  const ended = timeOf(sent.end_time)
  return [
    ...CHANGING,
    ...smaller,
    ...(started !== undefined && started >= Date.parse(shown.start_time) ? ['start_time'] : []),
    ...(ended !== undefined && ended <= Date.parse(shown.end_time) ? ['end_time'] : [])
  ]
}

/** Reads a time, ms UTC; undefined for anything else. */
const timeOf = (value: Json | undefined): number | undefined =>
  typeof value === 'string' ? parseTimestamp(value) : undefined

/** The owner of a recording, as the recording shows it. */
export type Owner = { distinctId: string; personId: number | null; uuid: string }

/** A recording's new owner: a distinct id, a person, or a person by a distinct id. */
export type Relink =
  | { distinctId: string; person: undefined }
  | { distinctId: string | undefined; person: PersonName }

/**
 * Returns the new owner that an update names, or undefined if the owner stays. Sending back the
 * owner that the recording shows is no change.
 * @throws invalid_input, blank
 */
export function readRelink(
  { distinct_id, person }: RecordingUpdate,
  owner: Owner
): Relink | undefined {
  const isUnchanged = distinct_id === undefined || distinct_id === owner.distinctId
  const distinctId = isUnchanged ? undefined : expectDistinctId(distinct_id)
  // The person `{"properties": {}}` is ignored next to a `distinct_id`; alone, it is refused.
  const isNamed = person !== undefined && (distinct_id === undefined || !namesNobody(person))
  const newPerson = isNamed ? readNewPerson(person, owner) : undefined
  if (newPerson !== undefined) {
    return { distinctId, person: newPerson }
  }
  return distinctId === undefined ? undefined : { distinctId, person: undefined }
}

/** @throws blank, attr `distinct_id` */
function expectDistinctId(text: string): string {
  const distinctId = readDistinctId(text)
  if (distinctId === undefined) {
    throw new AppError('blank', 'This field may not be blank.', 'distinct_id')
  }
  return distinctId
}

/** Returns the person of an update; undefined for the owner. @throws invalid_input, blank */
function readNewPerson(person: PersonInput, owner: Owner): PersonName | undefined {
  const name = readPersonName(person)
  if (!namesOwner(name, owner)) {
    return name
  }
  // `expectOnePerson` checks the names of a stored person. A visitor without a person has only the
  // names that the recording shows.
  if (owner.personId === null) {
    expectOnlyNamesOf({ uuid: owner.uuid, distinctIds: [owner.distinctId] }, person)
  }
  return undefined
}

const namesOwner = (name: PersonName, owner: Owner): boolean =>
  ('id' in name && name.id === owner.personId) ||
  ('uuid' in name && name.uuid === owner.uuid) ||
  ('distinctId' in name && name.distinctId === owner.distinctId)

/**
 * Whether a person is `{"properties": {}}`. PostHog's API reference lists only the properties of a
 * person as writable, so generated clients send nothing else and name the person by `distinct_id`.
 */
export const namesNobody = (person: PersonInput): boolean =>
  isObject(person) &&
  isEmpty(person.properties) &&
  [person.id, person.uuid, person.distinct_ids].every((name) => (name ?? null) === null)

/**
 * Returns the name by which a request selects a person: its `id`, else its `uuid`, else its first
 * distinct id. @throws invalid_input, attr `person`, if it has none of them; blank
 */
export function readPersonName(person: PersonInput): PersonName {
  const { id, uuid, distinctIds } = readNames(person)
  const [distinctId] = distinctIds
  if (id !== undefined) {
    return { id }
  }
  if (uuid !== undefined) {
    return { uuid }
  }
  if (distinctId !== undefined) {
    return { distinctId }
  }
  throw new AppError(
    'invalid_input',
    'A person must be named by `id`, `uuid` or `distinct_ids`.',
    'person'
  )
}

/**
 * Checks that a person in a request has no other names than `found`: the person, or the visitor
 * without a person, that `readPersonName` selects. An `id` needs no check, because it selects
 * first.
 * @throws invalid_input, attr `person`; blank
 */
export function expectOnlyNamesOf(
  found: { uuid: string | undefined; distinctIds: string[] },
  person: PersonInput
): void {
  const { uuid, distinctIds } = readNames(person)
  const own = new Set(found.distinctIds)
  const isOne = (uuid ?? found.uuid) === found.uuid && distinctIds.every((id) => own.has(id))
  if (!isOne) {
    throw new AppError(
      'invalid_input',
      'The `id`, `uuid` and `distinct_ids` must belong to one person: send only one of them, or correct them.',
      'person'
    )
  }
}

type PersonNames = { id: number | undefined; uuid: string | undefined; distinctIds: string[] }

/**
 * Reads all names of a person in a request. @throws blank, attr `person` for a text,
 * `person__distinct_ids__0` for the first distinct id
 */
function readNames(person: PersonInput): PersonNames {
  if (!isObject(person)) {
    return { id: undefined, uuid: undefined, distinctIds: [expectName(String(person), 'person')] }
  }
  const { id, uuid, distinct_ids: ids } = PersonObject.parse(person)
  const attr = 'person__distinct_ids'
  const distinctIds = [ids ?? []]
    .flat()
    .map((name, i) => expectName(name, Array.isArray(ids) ? `${attr}__${i}` : attr))
  return { id: id ?? undefined, uuid: uuid?.toLowerCase(), distinctIds }
}

/** @throws blank, with this `attr` */
function expectName(name: string, attr: string): string {
  if (name.trim() === '') {
    throw new AppError('blank', 'This field may not be blank.', attr)
  }
  return name
}

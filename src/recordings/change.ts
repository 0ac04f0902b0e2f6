import * as z from 'zod'
import { AppError } from '../errors.ts'
import { refusing } from '../input/fields.ts'
import { isEmpty, isObject } from '../input/json.ts'
import { readDistinctId } from '../persons/distinct-id.ts'
import { RecordingJson } from './schemas.ts'

const MAX_DISTINCT_ID = 200

export const DistinctId = z.string().max(MAX_DISTINCT_ID)

/** A person as a client names one, or sends one back. */
const PersonObject = z.object({
  id: z.int().nullish(),
  uuid: z.guid().nullish(),
  distinct_ids: z.union([DistinctId, z.array(DistinctId).min(1).max(1000)]).nullish(),
  properties: z.record(z.string(), z.unknown()).nullish()
})

/** A person as a client names one: by a distinct id, or with an object. */
export const PersonInput = z.union(
  [DistinctId.min(1), PersonObject],
  'A person is a distinct id, or an object with id, uuid or distinct_ids.'
)
export type PersonInput = z.infer<typeof PersonInput>

/** What may be changed of a recording; all other fields are left as they are. */
export const RecordingUpdateJson = refusing(
  z
    .object({
      distinct_id: DistinctId.optional().meta({
        description: 'Whose the recording is from now on.'
      }),
      person: PersonInput.optional().meta({
        description:
          'Whose the recording is from now on: a distinct id, or an object that names a person.'
      }),
      viewed: z.boolean().optional().meta({
        description:
          '`true`: the user whose key asks has viewed it. What was viewed cannot be made unviewed: `false` only goes with other fields, while it is so.'
      }),
      analyzed: z
        .boolean()
        .optional()
        .meta({ description: '`true`: it was looked into, which changes nothing of it.' })
    })
    .refine(
      ({ distinct_id, person, viewed, analyzed }) =>
        distinct_id !== undefined || person !== undefined || viewed || analyzed,
      { error: 'Provide distinct_id or person, or viewed or analyzed as true.' }
    )
    .meta({ id: 'RecordingUpdate', examples: [{ distinct_id: 'ada' }] }),
  {},
  Object.keys(RecordingJson.shape)
)
export type RecordingUpdate = z.infer<typeof RecordingUpdateJson>

/** Whose a recording is, as it shows it. */
export type Owner = { distinctId: string; personId: number | null; uuid: string }

/** What names a person to be found: one of these. */
export type PersonName = { id: number } | { uuid: string } | { distinctId: string }

/** To whom a recording is to go: to a distinct id, to a person, or to a person under one of its distinct ids. */
export type Relink = { distinctId?: string | undefined; person?: PersonName | undefined }

/**
 * To whom an update gives a recording; undefined when it stays whose it is. What is sent back as the recording shows it
 * is no change.
 * @throws invalid_input, blank
 */
export function readRelink(
  { distinct_id, person }: RecordingUpdate,
  owner: Owner
): Relink | undefined {
  const given = distinct_id === owner.distinctId ? undefined : distinct_id
  const distinctId = readDistinctId(given)
  if (given !== undefined && distinctId === undefined) {
    throw new AppError('blank', 'This field may not be blank.', 'distinct_id')
  }
  const isNamed = person !== undefined && !(distinct_id !== undefined && namesNobody(person))
  const name = isNamed ? readPersonName(person) : undefined
  const isSame =
    name === undefined ||
    ('id' in name && name.id === owner.personId) ||
    ('uuid' in name && name.uuid === owner.uuid) ||
    ('distinctId' in name && name.distinctId === owner.distinctId)
  if (isSame && distinctId === undefined) {
    return undefined
  }
  return { distinctId, person: isSame ? undefined : name }
}

/**
 * Whether a person is `{"properties": {}}`. Of a person the interface documents only the properties as writable, so that
 * strict clients can send no other: they name whom they mean by `distinct_id`.
 */
export const namesNobody = (person: PersonInput): boolean =>
  isObject(person) &&
  isEmpty(person.properties) &&
  [person.id, person.uuid, person.distinct_ids].every((name) => (name ?? null) === null)

/** @throws invalid_input, attr `person`, when it names nobody */
export function readPersonName(person: PersonInput): PersonName {
  if (!isObject(person)) {
    return { distinctId: String(person) }
  }
  const { id, uuid, distinct_ids: ids } = PersonObject.parse(person)
  if (typeof id === 'number') {
    return { id }
  }
  if (typeof uuid === 'string') {
    return { uuid: uuid.toLowerCase() }
  }
  const distinctId = Array.isArray(ids) ? ids[0] : ids
  if (distinctId) {
    return { distinctId }
  }
  throw new AppError('invalid_input', 'A person is named by id, uuid or distinct_ids.', 'person')
}

import { clean } from '../../persons/distinct-id.ts'
import type { PersonToErase, Selection } from './erase.store.ts'

/** A person or visitor. `id` and `uuid` are null for a visitor who is not erased yet. */
type Found = Pick<PersonToErase, 'identities'> & { id: number | null; uuid: string | null }

/** The persons that a request names, either by `ids` or by `distinct_ids`. */
type NamedPersons = {
  ids?: (string | number)[] | null | undefined
  distinct_ids?: string[] | null | undefined
}

type Result = {
  id: string | number
  result: 'deleted' | 'found' | 'not_found'
  person_uuid: string | null
}

/** Returns the selection of the persons that a request names. */
export function selectionOf({ ids, distinct_ids: distinctIds }: NamedPersons): Selection {
  if (distinctIds) {
    return { distinctIds: distinctIds.map(clean) }
  }
  const names = (ids ?? []).map(normalize)
  return {
    ids: names.filter(isNumber).map(Number),
    uuids: names.filter((name) => !isNumber(name))
  }
}

/**
 * Returns a result for each person that a request names, in the order of the request.
 * @param persons the persons and visitors that were deleted or, in a dry run, found
 * @param result the result of these persons; all others are `not_found`
 */
export function resultsOf(
  { ids, distinct_ids: distinctIds }: NamedPersons,
  persons: Found[],
  result: 'deleted' | 'found'
): Result[] {
  const uuids = new Map<string | null, string | null>()
  for (const { id, uuid, identities } of persons) {
    const names = distinctIds ? identities.map(({ distinctId }) => distinctId) : [String(id), uuid]
    for (const name of names) {
      uuids.set(name, uuid)
    }
  }
  return (ids ?? distinctIds ?? []).map((id) => {
    const uuid = uuids.get(ids ? normalize(id) : clean(String(id)))
    return {
      id,
      result: uuid === undefined ? 'not_found' : result,
      person_uuid: uuid ?? null
    }
  })
}

/** Returns an id as the database stores it: `007` as `7`, a UUID in lower case. */
export function normalize(id: string | number): string {
  const name = String(id).toLowerCase()
  return isNumber(name) ? String(Number(name)) : name
}

const isNumber = (name: string): boolean => /^\d+$/.test(name)

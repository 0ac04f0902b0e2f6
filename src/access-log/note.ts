import type { Context } from 'hono'
import { v7 as uuidv7 } from 'uuid'
import type { AppEnv } from '../http/env.ts'
import type { JsonObject } from '../input/json.ts'
import { parametersOf } from '../input/url.ts'
import { type AccessEntry, MAX_NAMED, type READ_OBJECTS } from './entry.ts'
import { describeFilters } from './filters.ts'
import { recordAccess } from './record.ts'

/** A read of one object: of a person by the UUID, of anything else by its id. */
type ObjectRead = {
  object: Exclude<(typeof READ_OBJECTS)[number], 'list'>
  id: string
  /** The UUIDs of the persons whom it is about, if any. */
  persons: readonly string[]
}

/**
 * Records that the caller reads an object. Call it before answering, once the object is found.
 * @throws unavailable
 */
export const noteRead = (c: Context<AppEnv>, { object, id, persons }: ObjectRead): Promise<void> =>
  note(c, { object, object_id: id, filters: {}, count: 1, persons })

/**
 * Records that the caller reads a list.
 * @param persons the UUIDs of the persons in it, of which the first 1,000 are kept
 * @param count the number of rows in the answer
 * @param filters what was asked for; the parameters of the URL by default
 * @throws unavailable
 */
export const noteList = (
  c: Context<AppEnv>,
  persons: Iterable<string>,
  count: number,
  filters: JsonObject = describeFilters(parametersOf(c.req.url))
): Promise<void> => note(c, { object: 'list', object_id: null, filters, count, persons })

type Noted = Pick<AccessEntry, 'object' | 'object_id' | 'filters' | 'count'> & {
  persons: Iterable<string>
}

function note(c: Context<AppEnv>, { persons, ...noted }: Noted): Promise<void> {
  const { now, requestId, operationId } = c.var
  // A shared link has neither a key nor a user.
  const [key, user] = [c.get('key') ?? null, c.get('user') ?? null]
  return recordAccess(c.env, {
    id: uuidv7({ msecs: now.getTime() }),
    at: now.getTime(),
    project_id: c.get('projectId'),
    request_id: requestId,
    key: key && { id: key.id, label: key.label },
    user: user && { id: user.id, email: user.email },
    operation: operationId,
    ...noted,
    persons: firstOf(persons)
  })
}

function firstOf(persons: Iterable<string>): string[] {
  const first = new Set<string>()
  for (const uuid of persons) {
    if (first.size === MAX_NAMED) {
      break
    }
    first.add(uuid)
  }
  return [...first]
}

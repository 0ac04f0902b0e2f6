import { sql } from 'drizzle-orm'
import { query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { inJson } from '../../db/rows.ts'
import { eventNames, events } from '../../db/schema.ts'
import type { JsonObject } from '../../input/json.ts'
import type { WholeSession } from './store.ts'

/** The events of one identity in a session; `after` is the last event that has been read. */
export type Range = Pick<WholeSession, 'projectId' | 'sessionId' | 'startTime' | 'endTime'> & {
  identity: number
  after?: StoredEvent | undefined
}

export type StoredEvent = {
  timestamp: number
  eventId: number
  uuid: string
  name: string
  properties: JsonObject
}

/** Most characters that are read of a text property. */
const MAX_TEXT = 1_000

/**
 * Reads the next `limit` events of each range in order of time, with the named properties that are
 * texts or numbers.
 */
export async function readEvents(
  db: Db,
  ranges: readonly Range[],
  properties: readonly string[],
  limit: number
): Promise<StoredEvent[][]> {
  if (ranges.length === 0) {
    return []
  }
  const wanted = ranges.map(({ projectId, sessionId, identity, startTime, endTime, after }) => ({
    project: projectId,
    session: sessionId,
    identity,
    end: endTime,
    timestamp: after?.timestamp ?? startTime,
    event: after?.eventId ?? 0,
    uuid: after?.uuid ?? ''
  }))
  const of = (name: string) => sql`range.value ->> ${name}`
  const [rows] = await readBatch(
    db,
    query<{ i: number; events: string }>(sql`
      select range.key as i, (
        select json_group_array(json_object('timestamp', timestamp, 'eventId', event_id, 'uuid', uuid, 'name', name,
                                            'properties', json(properties)))
        from (select ${events.timestamp}, ${events.eventId}, hex(${events.uuid}) as uuid, ${eventNames.name}, (
                select json_group_object(p.key, case p.type when 'text' then substr(p.value, 1, ${MAX_TEXT}) else p.value end)
                from json_each(${events.properties}) as p
                where p.key in ${inJson(properties)} and p.type in ('text', 'integer', 'real')) as properties
              from ${events} indexed by events_identity cross join ${eventNames} on ${eventNames.id} = ${events.eventId}
              where ${events.identity} = ${of('identity')}
                and ${events.timestamp} between ${of('timestamp')} and ${of('end')}
                and (${events.timestamp}, ${events.eventId}, ${events.uuid})
                  > (${of('timestamp')}, ${of('event')}, unhex(${of('uuid')}))
                and ${events.sessionId} = ${of('session')} and +${events.projectId} = ${of('project')}
              order by ${events.timestamp}, ${events.projectId}, ${events.eventId}, ${events.uuid}
              limit ${limit})) as events
      from json_each(${JSON.stringify(wanted)}) as range`)
  )
  const found = new Map(rows.map(({ i, events }) => [i, JSON.parse(events) as StoredEvent[]]))
  return ranges.map((_, i) => found.get(i) ?? [])
}

import { type SQL, sql } from 'drizzle-orm'
import { v7 as uuidv7 } from 'uuid'
import { countRows, eachChunk } from '../db/rows.ts'
import type { Entry } from './entry.ts'

/** Writes entries, in the transaction of what they tell of. */
export const activityStatements = (projectId: number, entries: readonly Entry[]): SQL[] => [
  ...eachChunk(
    entries.map((entry) => ({ ...entry, uuid: uuidv7({ msecs: entry.at }) })),
    (rows) => [
      sql`insert into activity (project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at)
          select ${projectId}, value ->> 'uuid', value ->> 'scope', value ->> 'itemId', value ->> 'itemId',
                 value ->> 'activity', nullif(value -> 'actor', 'null'), value -> 'detail', value ->> 'at'
          from json_each(${rows})`
    ]
  ),
  ...countRows(projectId, 'activity', entries.length)
]

/**
 * Tells of persons folded into others, by whom nobody knows, and hands on what is told of them: before the fold itself,
 * in its transaction. `at` is ms UTC.
 */
export const mergeActivity = (
  projectId: number,
  merged: readonly { id: number; into: number; at: number }[]
): SQL[] => [
  ...eachChunk(
    merged.map(({ id, into, at }) => ({ id, into, at, uuid: uuidv7({ msecs: at }) })),
    (rows) => [
      sql`update activity set owner_id = merged.value ->> 'into' from json_each(${rows}) as merged
          where activity.project_id = ${projectId} and activity.scope = 'Person'
            and activity.owner_id = merged.value ->> 'id'`,
      sql`insert into activity (project_id, uuid, scope, item_id, owner_id, activity, actor, detail, created_at)
          select ${projectId}, merged.value ->> 'uuid', 'Person', merged.value ->> 'into', merged.value ->> 'into',
                 'merged', null,
                 json_object('name', null, 'changes', json_array(json_object(
                   'type', 'Person', 'action', 'merged', 'field', 'distinct_ids',
                   'before', null, 'after', json_object('uuid', folded.uuid),
                   'identities', json_object('distinct_ids', (
                     select json_group_array(key) from (
                       select d.key from distinct_ids d where d.person_id = folded.id order by d.key)))))),
                 merged.value ->> 'at'
          from json_each(${rows}) as merged cross join persons as folded
          where folded.id = merged.value ->> 'id' and +folded.project_id = ${projectId}`
    ]
  ),
  ...countRows(projectId, 'activity', merged.length)
]

import { sql } from 'drizzle-orm'
import { db } from './project.ts'

type EventRow = {
  uuid: string
  event: string
  distinct_id: string
  timestamp: number
  version: string | null
  properties: string
}
type PersonRow = {
  properties: string
  created_at: number
  is_identified: number
  distinct_ids: string
}

/** Returns a project's persons, events and counter of persons, without ids that differ from run to run. */
export async function contentsOf(projectId: number) {
  const persons = await db.all<PersonRow>(sql`
    select properties, created_at, is_identified,
           (select json_group_array(distinct_id) from
              (select distinct_id from distinct_ids where person_id = persons.id order by distinct_id)) as distinct_ids
    from persons where project_id = ${projectId} order by distinct_ids`)
  const events = await db.all<EventRow>(sql`
    select lower(hex(e.uuid)) as uuid, n.name as event, d.distinct_id, e.timestamp, json(v.properties) as version,
           json(e.properties) as properties
    from events e join event_names n on n.id = e.event_id join distinct_ids d on d.key = e.identity
    left join person_versions v on v.id = e.version
    where e.project_id = ${projectId} order by uuid`)
  const [counted] = await db.all<{ value: number }>(sql`
    select value from counters where project_id = ${projectId} and name = 'persons'`)
  return {
    persons: persons.map(({ properties, distinct_ids, ...row }) => ({
      ...row,
      distinct_ids: JSON.parse(distinct_ids),
      properties: JSON.parse(properties)
    })),
    events: events.map(({ properties, version, ...row }) => ({
      ...row,
      properties: JSON.parse(properties),
      version: version === null ? null : JSON.parse(version)
    })),
    count: counted?.value ?? 0
  }
}

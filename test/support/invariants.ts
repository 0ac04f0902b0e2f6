import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { db } from './project.ts'

/**
 * Checks a project's invariants: counters equal counts, current versions equal the persons' properties, every person has an
 * identity, and identities and events refer only to persons and versions that exist.
 */
export async function expectSound(projectId: number): Promise<void> {
  const of = (name: string) => sql`coalesce((
    select value from counters where project_id = ${projectId} and name = ${name}), 0)`
  const [sound] = await db.all(sql`select
    ${of('persons')} - (select count(*) from persons where project_id = ${projectId}) as persons,
    ${of('activity')} - (select count(*) from activity where project_id = ${projectId}) as activity,
    ${of('event_names')} - (select count(*) from event_names where project_id = ${projectId}) as event_names,
    (select count(*) from persons p left join person_versions v on v.id = p.version
     where p.project_id = ${projectId} and json(v.properties) is not json(p.properties)) as stale_versions,
    (select count(*) from persons p left join distinct_ids d on d.person_id = p.id
     where p.project_id = ${projectId} and d.key is null) as without_identity,
    (select count(*) from distinct_ids d left join persons p on p.id = d.person_id
     where d.project_id = ${projectId} and d.person_id is not null and p.id is null) as without_person,
    (select count(*) from events e left join person_versions v on v.id = e.version
     where e.project_id = ${projectId} and e.version is not null and v.id is null) as events_without_version`)
  const nothing = {
    persons: 0,
    activity: 0,
    event_names: 0,
    stale_versions: 0,
    without_identity: 0,
    without_person: 0,
    events_without_version: 0
  }
  expect(sound).toEqual(nothing)
}

import { sql } from 'drizzle-orm'
import { DAY } from '../../../src/calendar/units.ts'
import { withSize } from '../../../src/capture/changes.ts'
import { ingestEvents } from '../../../src/capture/ingest.ts'
import { uncountEvents } from '../../../src/columns/slots/store.ts'
import { writeBatch } from '../../../src/db/batch.ts'
import type { Db } from '../../../src/db/client.ts'
import { markStale } from '../../../src/sessions/store.ts'
import { sessionRebuilder } from '../../../src/sessions/upkeep/rebuild.ts'
import { buildFirstChunk, sealRange } from '../segments.ts'
import { numberedUuid } from '../text.ts'
import type { Stored, StoredPerson } from './duck.ts'
import { DAYS, NAMES, type World } from './world.ts'

let projectId = 0

/** Builds a world in a new project. @returns the id of the project */
export async function makeWorld(
  db: Db,
  { events, splits, erased, deleted, now, early, sealed }: World
): Promise<number> {
  projectId += 1
  const id = projectId
  const incoming = events.map(({ name, who, at, hasPerson, properties, folds }, i) =>
    withSize({
      uuid: numberedUuid(i),
      event: folds ? '$merge_dangerously' : name,
      distinct_id: who,
      timestamp: at,
      received_at: now + 100 * DAY,
      properties: {
        ...properties,
        ...(folds && { alias: folds }),
        ...(!hasPerson && { $process_person_profile: false })
      }
    })
  )
  const some = incoming.slice(0, early)
  if (some.length > 0) {
    await ingestEvents(db, { id, erasureSalt: '' }, some)
  }
  for (const range of sealed) {
    await seal(db, id, range)
  }
  await buildFirstChunk(db, id)
  const late = incoming.slice(early)
  if (late.length > 0) {
    await ingestEvents(db, { id, erasureSalt: '' }, late)
  }
  await writeBatch(db, [
    ...splits.map(
      (who) =>
        sql`update distinct_ids set person_id = 1000000 + key where project_id = ${id} and distinct_id = ${who}`
    ),
    ...erased.flatMap((who) => [
      sql`insert into erased_identities (key, project_id, hash, erasure_id, person_id, erased_at)
          select key, project_id, '', 0, coalesce(person_id, 2000000 + key), 0 from distinct_ids
          where project_id = ${id} and distinct_id = ${who}`,
      sql`delete from distinct_ids where project_id = ${id} and distinct_id = ${who}`
    ]),
    ...deleted.flatMap(({ name, from, until }) => {
      const chunk = sql`from events where project_id = ${id} and timestamp >= ${from} and timestamp < ${until}
        and event_id in (select id from event_names where project_id = ${id} and name = ${name})`
      return [
        markStale(id, sql`select session_id ${chunk}`),
        uncountEvents(id, sql`select event_id, timestamp ${chunk}`),
        sql`delete ${chunk}`
      ]
    })
  ])
  await sessionRebuilder({ db, project: { id: id } })(1_000)
  return id
}

/** Seals a range of a name that has events, unless a segment overlaps the range. */
async function seal(
  db: Db,
  projectId: number,
  { name, from, until }: World['sealed'][number]
): Promise<void> {
  const [kind] = await db.all<{ project_id: number; event_id: number }>(sql`
    select project_id, id as event_id from event_names where project_id = ${projectId} and name = ${name}`)
  if (kind) {
    await sealRange(db, kind, from, until)
  }
}

/** Seals all events of a world in ranges of a week, except where segments are already. */
export async function sealAll(db: Db, projectId: number, { now }: World): Promise<void> {
  for (const name of NAMES) {
    for (let day = -DAYS; day < 2 * DAYS; day += 7) {
      const from = Math.floor(now / DAY) * DAY - day * DAY
      await seal(db, projectId, { name, from, until: from + 7 * DAY })
    }
  }
}

/** Reads the stored events of a project. */
export const readStored = (db: Db, id: number): Promise<Stored[]> =>
  db.all<Stored>(sql`
    select n.name, e.timestamp as at, e.session_id as session, lower(hex(e.uuid)) as uuid, json(e.properties) as event,
           (select json(properties) from person_versions where id = e.version) as person,
           coalesce((select person_id from distinct_ids where key = e.identity),
                    (select person_id from erased_identities where key = e.identity), -e.identity) as actor
    from events e, event_names n where n.id = e.event_id and e.project_id = ${id}`)

/** Reads the persons of a project. */
export const readStoredPersons = (db: Db, id: number): Promise<StoredPerson[]> =>
  db.all<StoredPerson>(sql`
    select id as actor, created_at as at, json(properties) as person, is_identified as identified
    from persons where project_id = ${id}`)

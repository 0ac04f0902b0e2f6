import { type SQL, sql } from 'drizzle-orm'
import type { Scope } from '../../access/open.ts'
import { query, readBatch } from '../../db/batch.ts'
import { events, sessions } from '../../db/schema.ts'

/** The device and the country of a visit. */
export type Visit = {
  browser: string | null
  os: string | null
  device: string | null
  country: string | null
}

/** Events that are read of a visit to find its device: nearly always the first one names it. */
const READ_EVENTS = 100

/** Reads the device and the country of a visit from its events; undefined if no event names a device. */
export async function findVisit(
  { db, project }: Scope,
  sessionId: string
): Promise<Visit | undefined> {
  const rows = query<Visit>(sql`
    select * from (
      select ${property('$browser')} as browser, ${property('$os')} as os,
             ${property('$device_name')} as device, ${property('$geoip_country_code')} as country
      from ${sessions} cross join json_each(${sessions.identities}) as own cross join ${events}
        on ${events.identity} = own.value and ${events.timestamp} between ${sessions.startTime} and ${sessions.endTime}
          and ${events.sessionId} = ${sessions.sessionId} and ${events.projectId} = ${sessions.projectId}
      where ${sessions.projectId} = ${project.id} and ${sessions.sessionId} = ${sessionId}
      limit ${READ_EVENTS})
    where coalesce(browser, os, device) is not null limit 1`)
  return (await readBatch(db, rows))[0][0]
}

const property = (name: string): SQL => sql`${events.properties} ->> ${sql.raw(`'$."${name}"'`)}`

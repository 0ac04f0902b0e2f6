import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { SERIAL } from '../barred/suppressions/store.ts'
import { bindWrite, query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { inJson } from '../db/rows.ts'
import { counters, distinctIds, eventNames, events, persons, removedEvents } from '../db/schema.ts'
import { advance, type LastNumber, selectLast } from '../db/sequences.ts'
import { uuidFromHex, uuidToHex } from '../input/uuid.ts'
import { type PersonRecord, RECORD, toStoredPerson } from '../persons/write.store.ts'
import { type Known, MAX_FOLDED } from './changes.ts'
import { visitorSessions } from './cookieless/store.ts'

/** Bytes of persons read at once; two persons of the largest size always fit. */
const MAX_PERSONS_BYTES = 2_500_000

/** The rows to read for a batch of events. */
export type WantedRows = {
  uuids: string[]
  /** Distinct ids, beginning with the first event's. */
  distinctIds: string[]
  /** Distinct ids whose persons may be merged. */
  mergedIds: string[]
  /** Distinct ids that get persons. */
  personalIds: string[]
  eventNames: string[]
  visitors: string[]
}

const SEQUENCES = ['identity', 'person', 'event_name'] as const
type Sequence = (typeof SEQUENCES)[number]

/** Blocks of numbers: the first number and the size of each. */
export type Reserved = Record<Sequence, { first: number; count: number }>

/**
 * Reads the stored facts that a batch of events needs, and reserves numbers for what is not stored,
 * in one round trip. Unused numbers are lost.
 */
export async function readKnown(
  db: Db,
  projectId: number,
  wanted: WantedRows
): Promise<{ read: Omit<Known, 'tombstones'>; reserved: Reserved }> {
  const [seen, identities, persons, identityCounts, names, counters, sessions, before, after] =
    await readBatch(
      db,
      selectSeen(projectId, wanted.uuids),
      selectIdentities(projectId, wanted.distinctIds),
      selectPersons(projectId, wanted.distinctIds),
      countIdentities(projectId, wanted.mergedIds),
      selectEventNames(projectId, wanted.eventNames),
      selectCounters(projectId),
      visitorSessions(projectId, wanted.visitors),
      query<LastNumber<Sequence>>(selectLast(SEQUENCES)),
      query<LastNumber<Sequence>>(bindWrite(advance(countUnknown(projectId, wanted))))
    )
  const blockOf = (name: Sequence) => {
    const [last = 0, next = last] = [before, after].map(
      (rows) => rows.find((row) => row.name === name)?.value
    )
    return { first: last + 1, count: next - last }
  }
  const reserved = {
    identity: blockOf('identity'),
    person: blockOf('person'),
    event_name: blockOf('event_name')
  }
  const read = {
    seen: new Set(seen.map(({ uuid }) => uuidFromHex(uuid))),
    identities: new Map(
      identities.map((row) => [row.distinct_id, { key: row.key, personId: row.person_id }])
    ),
    persons: new Map(persons.map((row) => [row.id, toStoredPerson(row)])),
    identityCounts: new Map(identityCounts.map((row) => [row.person_id, row.count])),
    eventNames: new Map(names.map((row) => [row.name, row.id])),
    eventNameCount: counters.find(({ name }) => name === 'event_names')?.value ?? 0,
    lastErasure: counters.find(({ name }) => name === 'last_erasure')?.value ?? 0,
    suppressionSerial: counters.find(({ name }) => name === SERIAL)?.value ?? 0,
    sessions
  }
  return { read, reserved }
}

/** Selects the sequences, and a number for each id, person and name that is not stored. */
function countUnknown(
  projectId: number,
  { distinctIds: ids, personalIds, eventNames: names }: WantedRows
) {
  const countOf = (sequence: Sequence, list: readonly string[], isKnown: SQL) =>
    sql`select ${sequence} as name, count(*) as count from json_each(${JSON.stringify(list)}) as list where not exists (${isKnown})`
  const isStored = sql`
    select 1 from ${distinctIds}
    where ${distinctIds.projectId} = ${projectId} and ${distinctIds.distinctId} = list.value`
  const isNamed = sql`
    select 1 from ${eventNames}
    where ${eventNames.projectId} = ${projectId} and ${eventNames.name} = list.value`
  return sql`
    select name, count from (
      ${countOf('identity', ids, isStored)}
      union all ${countOf('person', personalIds, sql`${isStored} and ${distinctIds.personId} is not null`)}
      union all ${countOf('event_name', names, isNamed)})
    where count > 0`
}

/** Selects the UUIDs whose events are stored, or were removed by filters. */
const selectSeen = (projectId: number, uuids: readonly string[]) => {
  const wanted = sql`(select unhex(value) from json_each(${JSON.stringify(uuids.map(uuidToHex))}))`
  return query<{ uuid: string }>(sql`
    select hex(${events.uuid}) as uuid from ${events}
    where ${events.projectId} = ${projectId} and ${events.uuid} in ${wanted}
    union all
    select hex(${removedEvents.uuid}) from ${removedEvents}
    where ${removedEvents.projectId} = ${projectId} and ${removedEvents.uuid} in ${wanted}`)
}

const selectIdentities = (projectId: number, ids: readonly string[]) =>
  query<{ key: number; distinct_id: string; person_id: number | null }>(sql`
    select ${distinctIds.key}, ${distinctIds.distinctId}, ${distinctIds.personId} from ${distinctIds}
    where ${distinctIds.projectId} = ${projectId} and ${distinctIds.distinctId} in ${inJson(ids)}`)

const identity = alias(distinctIds, 'identity')
const person = alias(persons, 'person')

/**
 * Selects the persons of distinct ids, in the order of the ids, up to `MAX_PERSONS_BYTES`; leaves
 * out the persons after that.
 */
const selectPersons = (projectId: number, ids: readonly string[]) => {
  const asked = sql`
    select ${identity.personId} as id, min(list.key) as position
    from json_each(${JSON.stringify(ids)}) as list cross join ${distinctIds} ${identity}
      on ${identity.projectId} = ${projectId} and ${identity.distinctId} = list.value
    where ${identity.personId} is not null group by ${identity.personId}`
  const sized = sql`
    select ${person.id} as id, sum(octet_length(${person.properties}) + octet_length(${person.writes})) over (
             order by asked.position rows between unbounded preceding and 1 preceding) as bytes_before
    from (${asked}) as asked cross join ${persons} ${person} on ${person.id} = asked.id`
  return query<PersonRecord>(sql`
    select ${RECORD} from ${persons} where +${persons.projectId} = ${projectId} and ${persons.id} in (
      select id from (${sized}) where coalesce(bytes_before, 0) < ${MAX_PERSONS_BYTES})`)
}

const sibling = alias(distinctIds, 'sibling')

/** Counts the ids of persons to merge, up to one more than may be folded. */
const countIdentities = (projectId: number, mergedIds: readonly string[]) =>
  query<{ person_id: number; count: number }>(sql`
    select ${distinctIds.personId}, (select count(*) from (
             select 1 from ${distinctIds} ${sibling} where ${sibling.personId} = ${distinctIds.personId}
             limit ${MAX_FOLDED + 1})) as count
    from ${distinctIds}
    where ${distinctIds.projectId} = ${projectId} and ${distinctIds.distinctId} in ${inJson(mergedIds)}
      and ${distinctIds.personId} is not null
    group by ${distinctIds.personId}`)

const selectEventNames = (projectId: number, names: readonly string[]) =>
  query<{ id: number; name: string }>(sql`
    select ${eventNames.id}, ${eventNames.name} from ${eventNames}
    where ${eventNames.projectId} = ${projectId} and ${eventNames.name} in ${inJson(names)}`)

const selectCounters = (projectId: number) =>
  query<{ name: string; value: number }>(sql`
    select ${counters.name}, ${counters.value} from ${counters}
    where ${counters.projectId} = ${projectId} and ${counters.name} in ('last_erasure', 'event_names', ${SERIAL})`)

import { type SQL, sql } from 'drizzle-orm'
import { countValues, query, readBatch } from '../../db/batch.ts'
import { type Db, isTooBig } from '../../db/client.ts'
import { compileFilter, distinctTexts, textOf } from '../../db/filter.ts'
import { inJson } from '../../db/rows.ts'
import { distinctIds, eventNames, events, persons, recordings, sessions } from '../../db/schema.ts'
import { session, sessionColumn } from '../../db/session.ts'
import { AppError } from '../../errors.ts'
import { idOfPerson } from '../../persons/store.ts'
import {
  type FilterGroup,
  isGroup,
  isOpposite,
  leavesOf,
  type PropertyFilter
} from '../../properties/filter.ts'
import { type Matching, matchTexts } from '../../properties/matching.ts'
import type { RecordingFilters } from './query.ts'
import { METADATA_KEYS, RECORDING_KEYS } from './schemas.ts'
import {
  ACTIVE_SECONDS,
  ACTIVITY_SCORE,
  COUNTS,
  DURATION,
  INACTIVE_SECONDS,
  RECORDINGS
} from './store.ts'

/** Maximum number of recordings whose events a filter may scan. */
const MAX_SCANNED_RECORDINGS = 20_000

/** Maximum number of distinct values of a property for an operator without an SQL equivalent. */
const MAX_DISTINCT_VALUES = 100_000

/** Bound values of the filters: D1 allows 100 in a statement, and the page needs some. */
const MAX_VALUES = 90

/** Writes a number as JSON does: `2.0` as `2`. */
const whole = (value: SQL): SQL =>
  sql`iif(${value} = cast(${value} as integer), cast(${value} as integer), ${value})`

const FIELDS: Record<string, SQL> = {
  duration: DURATION,
  recording_duration: DURATION,
  active_seconds: whole(ACTIVE_SECONDS),
  inactive_seconds: whole(INACTIVE_SECONDS),
  activity_score: whole(ACTIVITY_SCORE),
  ...COUNTS,
  start_url: sql`${recordings.startUrl}`,
  snapshot_source: sql`${recordings.snapshotSource}`
}

/** Rows that belong to a recording: a complete source, and a complete condition. */
type Rows = { from: SQL; where: SQL }

const isSession = sql`${session.projectId} = ${recordings.projectId} and ${session.sessionId} = ${recordings.sessionId}`

/** The events of the recording's session. */
const EVENTS: Rows = {
  from: sql`${sessions} ${session} cross join json_each(${session.identities}) as own cross join ${events}
    on ${events.identity} = own.value and ${events.timestamp} between ${session.startTime} and ${session.endTime}
      and ${events.sessionId} = ${session.sessionId} and ${events.projectId} = ${session.projectId}`,
  where: isSession
}

const EVENT_NAME = sql`(select ${eventNames.name} from ${eventNames} where ${eventNames.id} = ${events.eventId})`

const PAGES: Rows = { from: sql`json_each(${recordings.urls}) as visit`, where: sql`1` }

/**
 * Returns SQL, without bound values, for a JSON object that contains the property of a filter.
 * `many`: the rows with the property, if a recording can have several.
 */
function placeOf({ type, key }: PropertyFilter): { properties: SQL; many?: Rows } {
  switch (type) {
    case 'person':
      return { properties: sql`coalesce(${persons.properties}, '{}')` }
    case 'session':
      return {
        properties: sql`coalesce(
          (select ${sessionColumn(key)} from ${sessions} ${session} where ${isSession}), '{}')`
      }
    case 'event':
      return { properties: sql`${events.properties}`, many: EVENTS }
    case 'event_metadata':
      return { properties: objectOf(METADATA_KEYS, key, EVENT_NAME), many: EVENTS }
    case 'recording':
      if (key === 'visited_page') {
        return { properties: objectOf(RECORDING_KEYS, key, sql`visit.value ->> 1`), many: PAGES }
      }
      return { properties: objectOf(RECORDING_KEYS, key, FIELDS[key]) }
    case 'cohort':
      throw new Error('Recordings are not filtered by cohorts.')
  }
}

/** SQL of a JSON object with one of `keys`, because the key becomes part of the SQL. */
function objectOf(keys: readonly string[], key: string, value: SQL | undefined): SQL {
  const name = keys.find((known) => known === key)
  if (name === undefined || value === undefined) {
    throw new Error(`${key} is not a known key`)
  }
  return sql`json_object('${sql.raw(name)}', ${value})`
}

/**
 * Compiles the filters of a list to a condition on `RECORDINGS`. Operators without an SQL
 * equivalent are first tested on the distinct values.
 * @throws query_too_large for too many filters, or too many recordings or values to scan
 */
export async function compileFilters(
  db: Db,
  project: { id: number; timezone: string },
  filters: RecordingFilters,
  now: Date
): Promise<SQL> {
  const base = baseCondition(project.id, filters)
  const leaves = [
    ...filters.groups,
    ...filters.chosen,
    ...filters.events.map(({ group }) => group)
  ].flatMap(leavesOf)
  const scansEvents =
    filters.events.length > 0 ||
    leaves.some(({ type }) => type === 'event' || type === 'event_metadata')
  if (scansEvents) {
    await expectFew(db, base)
  }
  const matching = await readMatching(db, base, leaves, { timezone: project.timezone, now })
  const condition = sql.join(
    [
      base,
      ...filters.groups.map((group) => conditionOf(group, matching)),
      ...chosenConditions(project.id, filters, matching)
    ],
    sql` and `
  )
  if (countValues(condition) > MAX_VALUES) {
    throw new AppError(
      'query_too_large',
      'There are too many filters for one query: send fewer filters.',
      'properties'
    )
  }
  return condition
}

/** Compiles the filters that read neither events nor properties. */
function baseCondition(projectId: number, filters: RecordingFilters): SQL {
  // With the `+`, SQLite searches by identity instead of scanning all recordings of the project in
  // order.
  const inProject =
    filters.persons.length + filters.distinctIds.length > 0
      ? sql`+${recordings.projectId}`
      : sql`${recordings.projectId}`
  return sql.join(
    [
      sql`${inProject} = ${projectId}`,
      sql`not ${recordings.deleted}`,
      ...simpleConditions(projectId, filters)
    ],
    sql` and `
  )
}

/** Compiles `events` and `properties` to one condition, or none without such filters. */
function chosenConditions(projectId: number, filters: RecordingFilters, matching: Matching): SQL[] {
  const conditions = [
    ...filters.chosen.map((group) => conditionOf(group, matching)),
    ...filters.events.map((event) => hasEvent(projectId, event, matching))
  ]
  return conditions.length > 0
    ? [sql`(${sql.join(conditions, filters.isAny ? sql` or ` : sql` and `)})`]
    : []
}

/** SQL: whether the session has a fitting event of this name, or of any for null. */
function hasEvent(
  projectId: number,
  { name, group }: RecordingFilters['events'][number],
  matching: Matching
): SQL {
  const fulfilled = compileFilter((filter) => placeOf(filter).properties, group, matching)
  if (name === null) {
    return exists(EVENTS, fulfilled)
  }
  const isNamed = sql`${events.eventId} = (
    select ${eventNames.id} from ${eventNames}
    where ${eventNames.projectId} = ${projectId} and ${eventNames.name} = ${name})`
  return exists(EVENTS, sql`${fulfilled} and ${isNamed}`)
}

function simpleConditions(projectId: number, filters: RecordingFilters): SQL[] {
  const { persons: owners, distinctIds: idLists, sessionIds, from, until } = filters
  const ofIdentity = (where: SQL) => sql`${recordings.identity} in (
    select ${distinctIds.key} from ${distinctIds} where ${distinctIds.projectId} = ${projectId} and ${where})`
  return [
    ...owners.map((person) =>
      ofIdentity(sql`${distinctIds.personId} = ${idOfPerson(projectId, person)}`)
    ),
    ...idLists.map((ids) => ofIdentity(sql`${distinctIds.distinctId} in ${inJson(ids)}`)),
    ...(sessionIds ? [sql`${recordings.sessionId} in ${inJson(sessionIds)}`] : []),
    ...(from === undefined ? [] : [sql`${recordings.startTime} >= ${from}`]),
    ...(until === undefined ? [] : [sql`${recordings.startTime} < ${until}`])
  ]
}

async function expectFew(db: Db, base: SQL): Promise<void> {
  const counted = query<{ count: number }>(sql`
    select count(*) as count from (select 1 from ${recordings} where ${base} limit ${MAX_SCANNED_RECORDINGS + 1})`)
  const [[row]] = await readBatch(db, counted)
  if (row && row.count > MAX_SCANNED_RECORDINGS) {
    throw new AppError(
      'query_too_large',
      `Filters on events can scan at most ${MAX_SCANNED_RECORDINGS} recordings, but the period has more: send a later \`date_from\`.`,
      'date_from'
    )
  }
}

function conditionOf(group: FilterGroup, matching: Matching): SQL {
  const conditions = group.values.map((node) =>
    isGroup(node) ? conditionOf(node, matching) : leafCondition(node, matching)
  )
  if (conditions.length === 0) {
    return sql`1`
  }
  return sql`(${sql.join(conditions, group.type === 'OR' ? sql` or ` : sql` and `)})`
}

/**
 * Compiles one filter. If a recording can have several rows with the property, one row must match,
 * but for a negated filter such as `is_not` all rows must.
 */
function leafCondition(filter: PropertyFilter, matching: Matching): SQL {
  const { properties, many } = placeOf(filter)
  const condition = compileFilter(() => properties, { type: 'AND', values: [filter] }, matching)
  if (!many) {
    return condition
  }
  return isOpposite(filter.operator)
    ? sql`not ${exists(many, sql`not ${condition}`)}`
    : exists(many, condition)
}

const exists = ({ from, where }: Rows, condition: SQL): SQL =>
  sql`exists (select 1 from ${from} where ${where} and ${condition})`

/**
 * Finds, for each filter with an operator that SQL does not have, the matching values among all
 * values in the recordings. Takes one round trip.
 */
const readMatching = (
  db: Db,
  base: SQL,
  leaves: PropertyFilter[],
  { timezone, now }: { timezone: string; now: Date }
): Promise<Matching> =>
  matchTexts(leaves, {
    timezone,
    now,
    limit: MAX_DISTINCT_VALUES,
    tooMany: (key) =>
      new AppError(
        'query_too_large',
        `${JSON.stringify(key)} has more than ${MAX_DISTINCT_VALUES} distinct values, too many for this operator.`,
        'properties'
      ),
    readTexts: async (filters, bytes) => {
      const most = { texts: MAX_DISTINCT_VALUES, bytes }
      const queries = filters.map((filter) =>
        query<{ text: string }>(distinctTexts(textsOf(base, filter), most))
      )
      const answers = await readBatch(db, ...queries).catch(refuseTooBig)
      return answers.map((rows) => rows.map(({ text }) => text))
    }
  })

/** @throws query_too_large, attr `properties`, if a recording has too much text; else `error` */
function refuseTooBig(error: unknown): never {
  if (!isTooBig(error)) {
    throw error
  }
  throw new AppError(
    'query_too_large',
    'A recording has too many different values for this operator: use an operator such as icontains or exact, or filter another property.',
    'properties'
  )
}

/** Selects the texts of a filter's property in the recordings. A text may occur several times. */
function textsOf(base: SQL, filter: PropertyFilter): SQL {
  const { properties, many } = placeOf(filter)
  const text = textOf(properties, filter.key)
  return many
    ? sql`select value as text from (
        select ${recordings.sessionId}, (
          select json_group_array(distinct text) from (select ${text} as text from ${many.from} where ${many.where})) as texts
        from ${RECORDINGS} where ${base}) cross join json_each(texts)`
    : sql`select ${text} as text from ${RECORDINGS} where ${base}`
}

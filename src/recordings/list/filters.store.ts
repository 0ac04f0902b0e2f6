import { type SQL, sql } from 'drizzle-orm'
import { countValues, query, readBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { compileFilter, textOf } from '../../db/filter.ts'
import { inJson } from '../../db/rows.ts'
import { AppError } from '../../errors.ts'
import {
  type FilterGroup,
  isGroup,
  isOpposite,
  leavesOf,
  type PropertyFilter
} from '../../properties/filter.ts'
import { matcherOf } from '../../properties/match.ts'
import { Work } from '../../properties/work.ts'
import { sessionColumn } from '../../sessions/store.ts'
import type { RecordingFilters } from './query.ts'
import { METADATA_KEYS, RECORDING_KEYS } from './schemas.ts'
import { ACTIVE_SECONDS, ACTIVITY_SCORE, DURATION, INACTIVE_SECONDS, RECORDINGS } from './store.ts'

/** Most recordings whose events a filter may scan. */
const MAX_SCANNED_RECORDINGS = 20_000

/** Most distinct values of a property for an operator without an SQL equivalent. */
const MAX_DISTINCT_VALUES = 100_000

/** Most bound values in the filters. A D1 statement allows 100, of which the page needs some. */
const MAX_VALUES = 90

type Matching = ReadonlyMap<PropertyFilter, string[]>

/** Writes a number as JSON does: `2.0` as `2`. */
const whole = (value: SQL): SQL =>
  sql`iif(${value} = cast(${value} as integer), cast(${value} as integer), ${value})`

const FIELDS: Record<string, SQL> = {
  duration: DURATION,
  recording_duration: DURATION,
  active_seconds: whole(ACTIVE_SECONDS),
  inactive_seconds: whole(INACTIVE_SECONDS),
  activity_score: whole(ACTIVITY_SCORE)
}

/** The session of recording `r`, as a complete `from … where …`. */
const SESSION = sql`sessions s where s.project_id = r.project_id and s.session_id = r.session_id`

/** The events of that session, also complete. */
const EVENTS = sql`
  sessions s cross join json_each(s.identities) as own cross join events e
    on e.identity = own.value and e.timestamp between s.start_time and s.end_time
       and e.session_id = s.session_id and e.project_id = s.project_id
  where s.project_id = r.project_id and s.session_id = r.session_id`

const EVENT_NAME = sql`(select name from event_names where id = e.event_id)`

const PAGES = sql`json_each(r.urls) as visit where true`

/**
 * Returns SQL for the JSON object with a filter's property. `many` is the `from … where …` of the
 * rows that have the property, if a recording has several such rows. Neither fragment binds a
 * value.
 */
function placeOf({ type, key }: PropertyFilter): { properties: SQL; many?: SQL } {
  switch (type) {
    case 'person':
      return { properties: sql`coalesce(p.properties, '{}')` }
    case 'session':
      return { properties: sql`coalesce((select ${sessionColumn(key)} from ${SESSION}), '{}')` }
    case 'event':
      return { properties: sql`e.properties`, many: EVENTS }
    case 'event_metadata':
      return { properties: objectOf(METADATA_KEYS, key, EVENT_NAME), many: EVENTS }
    case 'recording':
      if (key === 'visited_page') {
        return { properties: objectOf(RECORDING_KEYS, key, sql`visit.value ->> 1`), many: PAGES }
      }
      return {
        properties: objectOf(RECORDING_KEYS, key, FIELDS[key] ?? sql`r.${sql.identifier(key)}`)
      }
  }
}

/** Builds SQL for a JSON object with one member. The key must be one of `keys`, because it becomes part of the SQL. */
function objectOf(keys: readonly string[], key: string, value: SQL): SQL {
  const name = keys.find((known) => known === key)
  if (name === undefined) {
    throw new Error(`${key} is not a known key`)
  }
  return sql`json_object('${sql.raw(name)}', ${value})`
}

/**
 * Compiles the filters of a list to a condition on `RECORDINGS`. Operators without an SQL
 * equivalent are first tested on the distinct values.
 * @throws query_too_large when too many recordings or values would have to be scanned
 */
export async function compileFilters(
  db: Db,
  project: { id: number; timezone: string },
  filters: RecordingFilters,
  now: Date
): Promise<SQL> {
  // The `+` keeps SQLite from scanning all recordings of the project in order instead of searching by identity.
  const inProject =
    filters.persons.length + filters.distinctIds.length > 0 ? sql`+r.project_id` : sql`r.project_id`
  const simple = simpleConditions(project.id, filters)
  const base = sql.join(
    [sql`${inProject} = ${project.id}`, sql`not r.deleted`, ...simple],
    sql` and `
  )
  const leaves = [
    ...filters.groups,
    ...filters.chosen,
    ...filters.events.map(({ group }) => group)
  ].flatMap(leavesOf)
  if (
    filters.events.length > 0 ||
    leaves.some(({ type }) => type === 'event' || type === 'event_metadata')
  ) {
    await expectFew(db, base)
  }
  const matching = await readMatching(db, base, leaves, project.timezone, now)
  const chosen = [
    ...filters.chosen.map((group) => conditionOf(group, matching)),
    ...filters.events.map(({ name, group }) => {
      const named = sql`and e.event_id = (
        select id from event_names where project_id = ${project.id} and name = ${name})`
      const fulfilled = compileFilter((filter) => placeOf(filter).properties, group, matching)
      return sql`exists (select 1 from ${EVENTS} and ${fulfilled} ${name === null ? sql`` : named})`
    })
  ]
  const conditions = [
    base,
    ...filters.groups.map((group) => conditionOf(group, matching)),
    ...(chosen.length > 0
      ? [sql`(${sql.join(chosen, filters.isAny ? sql` or ` : sql` and `)})`]
      : [])
  ]
  const condition = sql.join(conditions, sql` and `)
  if (countValues(condition) > MAX_VALUES) {
    throw new AppError(
      'query_too_large',
      'There are too many filters for one query: send fewer filters.',
      'properties'
    )
  }
  return condition
}

function simpleConditions(projectId: number, filters: RecordingFilters): SQL[] {
  const { persons, distinctIds, sessionIds, from, until } = filters
  const identities = (where: SQL) => sql`r.identity in (
    select key from distinct_ids where project_id = ${projectId} and ${where})`
  return [
    ...persons.map((person) =>
      identities(sql`person_id = (select id from persons where project_id = ${projectId}
        and ${'id' in person ? sql`id = ${person.id}` : sql`uuid = ${person.uuid}`})`)
    ),
    ...distinctIds.map((ids) => identities(sql`distinct_id in ${inJson(ids)}`)),
    ...(sessionIds ? [sql`r.session_id in ${inJson(sessionIds)}`] : []),
    ...(from === undefined ? [] : [sql`r.start_time >= ${from}`]),
    ...(until === undefined ? [] : [sql`r.start_time < ${until}`])
  ]
}

async function expectFew(db: Db, base: SQL): Promise<void> {
  const counted = query<{ count: number }>(sql`
    select count(*) as count from (select 1 from recordings r where ${base} limit ${MAX_SCANNED_RECORDINGS + 1})`)
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
 * If a recording has several rows with the property, one row must match a filter, but all rows must
 * match a negated filter such as `is_not`.
 */
function leafCondition(filter: PropertyFilter, matching: Matching): SQL {
  const { properties, many } = placeOf(filter)
  const condition = compileFilter(() => properties, { type: 'AND', values: [filter] }, matching)
  if (!many) {
    return condition
  }
  return isOpposite(filter.operator)
    ? sql`not exists (select 1 from ${many} and not ${condition})`
    : sql`exists (select 1 from ${many} and ${condition})`
}

/**
 * Returns the matching values of the filters that SQL cannot evaluate, from all values in the
 * recordings, in one round trip.
 */
async function readMatching(
  db: Db,
  base: SQL,
  leaves: PropertyFilter[],
  timezone: string,
  now: Date
): Promise<Matching> {
  const examined = leaves.flatMap((filter) => {
    const match = matcherOf(filter, timezone, now)
    return match ? [{ filter, match }] : []
  })
  const columns = await readBatch(db, ...examined.map(({ filter }) => distinctTexts(base, filter)))
  const matching = new Map<PropertyFilter, string[]>()
  const work = new Work()
  for (const [i, { filter, match }] of examined.entries()) {
    const texts = (columns[i] ?? []).map(({ text }) => text)
    if (texts.length > MAX_DISTINCT_VALUES) {
      throw new AppError(
        'query_too_large',
        `${JSON.stringify(filter.key)} has more than ${MAX_DISTINCT_VALUES} distinct values, too many for this operator.`,
        'properties'
      )
    }
    matching.set(filter, await match(texts, work))
  }
  return matching
}

function distinctTexts(base: SQL, filter: PropertyFilter) {
  const { properties, many } = placeOf(filter)
  const text = textOf(properties, filter.key)
  const each = many ? sql`${text} as text from ${many}` : sql`${text} as text`
  const of = many
    ? sql`select value as text from (
        select r.session_id, (select json_group_array(distinct text) from (select ${each})) as texts
        from ${RECORDINGS} where ${base}) cross join json_each(texts)`
    : sql`select ${each} from ${RECORDINGS} where ${base}`
  return query<{ text: string }>(
    sql`select distinct text from (${of}) where text is not null limit ${MAX_DISTINCT_VALUES + 1}`
  )
}

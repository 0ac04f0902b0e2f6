import { type SQL, sql } from 'drizzle-orm'
import {
  compileFilter,
  jsonOf,
  kindOf,
  numberOf,
  numberOfPlain,
  plainOf,
  textOf
} from '../../db/filter.ts'
import { isIn } from '../../db/rows.ts'
import {
  type FilterGroup,
  isOneOf,
  leavesOf,
  type PropertyFilter,
  type PropertyType
} from '../../properties/filter.ts'
import { sessionColumn } from '../../sessions/store.ts'
import { type Bins, FIRST_BIN } from '../bins.ts'
import { isJoined } from '../cells.ts'
import { type Breakdown, countsSessions, FIRSTS, type Maths, type Property } from '../query.ts'
import { type Known, LETTERS, TOO_LONG } from '../spelling.ts'
import type { Window } from '../windows.ts'

/** For a filter that SQL cannot decide, the texts that fulfil it. */
export type Matching = ReadonlyMap<PropertyFilter, string[]>

/** What of a project's events is asked for. */
export type Scan = {
  projectId: number
  /** Null for all. */
  event: string | null
  filters: FilterGroup
  matching: Matching
  math: Maths
  property: Property | undefined
  breakdowns: Breakdown[]
  /** For a math of first events the actors, as JSON, whose first event lies in a group of windows. */
  firsts?: ReadonlyMap<readonly Window[], string>
}

/**
 * A `Cell` for each window and value, or for each part of one; with `values` for each of these, for none, and for all
 * others. What is counted comes as JSON: a number and, where that is needed to join two parts, of how many.
 */
export const cellsSql = (
  scan: Scan,
  windows: readonly Window[],
  values?: readonly string[]
): SQL =>
  scan.breakdowns.length > 0 || scan.firsts
    ? groupedSql(scan, windows, values, { counted: countedOf(scan.math) })
    : // A sub-select for each window: grouping would sort all of the events.
      sql`select w.point as point, null as value,
                 (select ${countedOf(scan.math)} from (${rowsSql(scan)})) as counted
          from ${rangesOf(windows)}`

/** Of longer values no statement spells the most that it looks at: a value of D1 ends at 2 MB. */
const MAX_SPELLED_BYTES = 46

/** Whether `spelledSql` says what a scan counts. */
export const isSpelled = (scan: Scan, values: readonly string[] | undefined): boolean =>
  scan.math === 'total' && isByJson(scan, values)

/**
 * The values of each window's events, as `countSpelled` reads them; null without any. Grouping would sort the events, which
 * takes as long as looking at them, and reads each twice.
 * @throws what `isTooBig` tells, for more events than a statement should look at
 */
export function spelledSql(
  scan: Scan,
  windows: readonly Window[],
  { values, areMost }: Known
): SQL {
  const events = matchingOf(scan, undefined, neededOf(scan), false)
  const found = sql`coalesce(${groupOf(scan, undefined)}, 'null')`
  const letters = values.map((value, i) => sql`when ${value} then ${literal(LETTERS[i])}`)
  const other = sql`case when octet_length(json) > ${sql.raw(String(MAX_SPELLED_BYTES))}
    then ${literal(TOO_LONG)} else char(10) || json || char(10) end`
  const spell = (json: SQL, other: SQL) =>
    letters.length > 0 ? sql`case ${json} ${sql.join(letters, sql` `)} else ${other} end` : other
  // Looking a value up where it is, and once more if it is another one, takes less than handing each on.
  const spelled = areMost
    ? sql`${spell(found, sql`(select ${other} from (select ${found} as json limit -1))`)}, '') from ${events}`
    : sql`${spell(sql`json`, other)}, '') from (select ${found} as json from ${events} limit -1)`
  return sql`select w.point as point, (select group_concat(${spelled}) as spelled from ${rangesOf(windows)}`
}

/** A letter of our own: a statement takes no more than 100 bound values. */
const literal = (letter = ''): SQL => sql.raw(`'${letter}'`)

/**
 * The subjects of each window and value, or of each part of one, as JSON; of actors their identities, if asked. Sessions
 * whose numbers are asked for come with these.
 */
export function subjectsSql(
  scan: Scan,
  windows: readonly Window[],
  values: readonly string[] | undefined,
  asIdentities: boolean
): SQL {
  const subject = countsActors(scan.math) && !asIdentities ? actorOf(sql`subject`) : sql`subject`
  // A value of D1 ends at 2 MB: so many numbers are less, but nobody says how long the name of a session is.
  if (countsSessions(scan)) {
    const columns = { subjects: sql`json_array(session)`, numbers: sql`json_array(max(subject))` }
    return groupedSql(scan, windows, values, columns, sql`, session`)
  }
  if (scan.math === 'unique_session') {
    return groupedSql(scan, windows, values, { subjects: sql`json_array(subject)` }, sql`, subject`)
  }
  return scan.breakdowns.length > 0
    ? groupedSql(scan, windows, values, { subjects: sql`json_group_array(${subject})` })
    : sql`select w.point as point, null as value,
                 (select json_group_array(${subject}) filter (where subject is not null) from (${rowsSql(scan)})) as subjects
          from ${rangesOf(windows)}`
}

/** These identities, and in the same order their actors; each as JSON. */
export const actorsSql = (identities: string): SQL =>
  sql`select json_group_array(i.value) as identities, json_group_array(coalesce(
        d.person_id, (select person_id from erased_identities where key = i.value), -i.value)) as actors
      from json_each(${identities}) as i left join distinct_ids d on d.key = i.value`

/** The different texts that a property has. */
export const textsSql = (scan: Scan, windows: readonly Window[], property: Property): SQL =>
  sql`select distinct text from (
        select ${textOf(columnOf(property), property.key)} as text
        from ${rangesOf(windows)} cross join ${eventsOf(scan, [property.type])} limit -1)
      where text is not null`

/** The lowest and the highest number of a property. */
export const extremesSql = (scan: Scan, windows: readonly Window[], property: Property): SQL =>
  sql`select min(subject) as low, max(subject) as high
      from (${rowsSql({ ...scan, property, breakdowns: [] }, { windows })})`

/** The limit has the bounds read from the JSON once, and not for each event. */
const rangesOf = (windows: readonly Window[]): SQL => sql`(
  select value ->> 0 as since, value ->> 1 as until, value ->> 2 as point
  from json_each(${JSON.stringify(windows.map(({ from, until, point }) => [from, until, point]))}) limit -1) w`

function groupedSql(
  scan: Scan,
  windows: readonly Window[],
  values: readonly string[] | undefined,
  columns: Record<string, SQL>,
  by = sql``
): SQL {
  const computed = Object.entries(columns).map(
    ([name, column]) => sql`${column} as ${sql.identifier(name)}`
  )
  return sql`
    select point, value, ${sql.join(computed, sql`, `)} from (${rowsSql(scan, { windows, values })}) group by point, value ${by}`
}

type Rows = { windows?: readonly Window[]; values?: readonly string[] | undefined }

/** The types of the properties that are looked at. */
const neededOf = ({ property, breakdowns, filters }: Scan): PropertyType[] =>
  [property, ...breakdowns, ...leavesOf(filters)].flatMap((one) => one?.type ?? [])

/**
 * A row for each event that counts, with only what its math asks for; without windows those of the `w` around it, and those
 * without a number too. The limits keep SQLite from taking the selects apart, and then looking up a value as often as it is
 * mentioned, or carrying whole events through its sorter.
 */
function rowsSql(scan: Scan, { windows, values }: Rows = {}): SQL {
  const { math, property } = scan
  const needed = neededOf(scan)
  const firsts = windows && scan.firsts?.get(windows)
  const [point, events] = firsts
    ? [sql`f.point`, firstsOf(scan, windows, firsts, needed)]
    : [windows ? sql`w.point` : sql`null`, matchingOf(scan, windows, needed, isNarrow(scan))]
  const columns = sql`${point} as point, ${groupOf(scan, values)} as value`
  if (!property) {
    return sql`select ${columns}, ${subjectOf(math)} as subject from ${events} limit -1`
  }
  const held = columnOf(property)
  const session = countsSessions(scan) ? [sql`e.session_id as session,`, sql`session,`] : []
  const rows = sql`
    select ${columns}, ${session[0] ?? sql``} ${plainOf(held, property.key)} as plain, ${held} as held from ${events} limit -1`
  const limit = math === 'sum' && !windows ? sql`` : sql`limit -1` // `total` mentions it once.
  const numbers = sql`
    select point, value, ${session[1] ?? sql``} ${numberOfPlain(sql`plain`, kindOf(sql`held`, property.key))} as subject from (${rows}) ${limit}`
  return windows ? sql`select * from (${numbers}) where subject is not null` : numbers
}

/** Whether an index has all that is asked for: actors, of all events. */
export const isNarrow = ({ math, breakdowns, filters }: Scan): boolean =>
  countsActors(math) && breakdowns.length === 0 && leavesOf(filters).length === 0

/** Whether a math asks who did something. */
export const countsActors = (math: Maths): boolean =>
  isPerActor(math) || math === 'dau' || math === 'weekly_active' || math === 'monthly_active'

const isPerActor = (math: Maths): boolean => math.endsWith('_count_per_actor')

/** What is counted: the identity of the actor, or the session. */
function subjectOf(math: Maths): SQL {
  if (math === 'total' || isOneOf(FIRSTS, math)) {
    return sql`null`
  }
  if (math === 'unique_session') {
    return sql`e.session_id`
  }
  return sql`e.identity`
}

const actorOf = (identity: SQL): SQL => sql`coalesce(
  (select person_id from distinct_ids where key = ${identity}),
  (select person_id from erased_identities where key = ${identity}), -${identity})`

/** The aggregate of a math over `subject`, where there is one. */
function countedOf(math: Maths): SQL {
  if (isJoined(math)) {
    return sql`json_array(coalesce(${sql.raw(math)}(subject), 0), count(subject))`
  }
  // `sum` of whole numbers fails where they leave 64 bits.
  return sql`json_array(${math === 'sum' ? sql`total(subject)` : sql`count(*)`})`
}

/** Events `e` that fulfil the filters, of the windows `w`. */
const matchingOf = (
  scan: Scan,
  windows: readonly Window[] | undefined,
  needed: readonly PropertyType[],
  isByIndex: boolean
): SQL => sql`
  ${windows ? sql`${rangesOf(windows)} cross join` : sql``} ${eventsOf(scan, needed, isByIndex)}
    and ${compileFilter(columnOf, scan.filters, scan.matching)}`

/** Added to a time, it makes each as many digits. */
const SAME_DIGITS = 20_000_000_000_000_000

/**
 * The first events `e` of these actors, which lie in the windows, with their points `f`: of several at the same moment the
 * one with the lowest uuid. They are sought among those that the filters leave, or else have to fulfil them.
 */
function firstsOf(
  scan: Scan,
  windows: readonly Window[],
  actors: string,
  needed: readonly PropertyType[]
): SQL {
  const { looked, filters } = splitFilters(scan)
  const looksAt = leavesOf(looked).map(({ type }) => type)
  return sql`
    (select point, event_id, timestamp, uuid, min(place) from (
       select w.point as point, ${actorOf(sql`e.identity`)} as subject, e.event_id, e.timestamp, e.uuid,
              (e.timestamp + ${sql.raw(String(SAME_DIGITS))}) || hex(e.uuid) as place
       from ${matchingOf({ ...scan, filters: looked }, windows, looksAt, looksAt.length === 0)} limit -1)
     where subject in (select value from json_each(${actors})) group by subject) f
    cross join events e on e.project_id = ${scan.projectId} and e.event_id = f.event_id and e.timestamp = f.timestamp
      and e.uuid = f.uuid
    ${ownersOf(needed)}
    where ${compileFilter(columnOf, filters, scan.matching)}`
}

/** The filters of a math of first events: by which the first ones are looked for, and which they then have to fulfil. */
export function splitFilters({ math, filters }: Scan): {
  looked: FilterGroup
  filters: FilterGroup
} {
  const none: FilterGroup = { type: 'AND', values: [] }
  return math === 'first_matching_event_for_user'
    ? { looked: filters, filters: none }
    : { looked: none, filters }
}

/** Events `e` of the windows `w`; a `where` is open behind it. */
const eventsOf = (
  { projectId, event }: Pick<Scan, 'projectId' | 'event'>,
  needed: readonly PropertyType[],
  isByIndex = false
): SQL => sql`
  event_names n cross join events e ${isByIndex ? sql`indexed by events_actors` : sql``}
    on e.project_id = n.project_id and e.event_id = n.id and e.timestamp >= w.since and e.timestamp < w.until
  ${ownersOf(needed)}
  where n.project_id = ${projectId} ${named(event)}`

/** What the person and the session of each event are, where that is needed. */
const ownersOf = (needed: readonly PropertyType[]): SQL => sql`
  ${needed.includes('person') ? sql`left join person_versions v on v.id = e.version` : sql``}
  ${needed.includes('session') ? sql`left join sessions s on s.project_id = e.project_id and s.session_id = e.session_id` : sql``}`

/** Only events of this name, in a `where` on `event_names`. */
export const named = (event: string | null): SQL =>
  event === null ? sql`` : sql`and n.name = ${event}`

/** The JSON that holds a property. */
function columnOf({ type, key }: Property): SQL {
  if (type === 'session') {
    return sessionColumn(key)
  }
  return type === 'person' ? sql`v.properties` : sql`e.properties`
}

/** Whether the values that are found are JSON, which says enough to group by. */
export const isByJson = ({ breakdowns }: Scan, values: readonly string[] | undefined): boolean =>
  values === undefined && breakdowns.length === 1 && breakdowns[0]?.binCount === undefined

function groupOf(scan: Scan, values: readonly string[] | undefined): SQL {
  const [breakdown] = scan.breakdowns
  if (!breakdown) {
    return sql`null`
  }
  return isByJson(scan, values)
    ? jsonOf(columnOf(breakdown), breakdown.key)
    : listed(breakdownOf(scan.breakdowns), values)
}

/** An empty text is no value either, and what is no number lies in no bin. */
function breakdownOf(breakdowns: readonly Breakdown[]): SQL {
  const texts = breakdowns.map((breakdown) => {
    const { binCount, bins } = breakdown
    if (binCount === undefined) {
      return sql`nullif(${textOf(columnOf(breakdown), breakdown.key)}, '')`
    }
    return bins ? binOf(numberOf(columnOf(breakdown), breakdown.key), bins) : sql`null`
  })
  return texts.length === 1 ? sql`${texts[0]}` : sql`json_array(${sql.join(texts, sql`, `)})`
}

/** The bin whose bounds, as `rangeOf` tells them, are around a number: the quotient may be rounded past one of them. */
const binOf = (number: SQL, { low, width, count }: Bins): SQL => sql`(
  select cast(${sql.raw(String(FIRST_BIN))} + cast(
    min(${count - 1}, bin + (low + (bin + 1) * width <= number) - (low + bin * width > number)) as integer) as text)
  from (select number, low, width, cast((number - low) / width as integer) as bin
        from (select ${number} as number, ${low} as low, ${width} as width)))`

/** 0 stands for the values that are not in the list: no text equals it. */
const listed = (value: SQL, values: readonly string[] | undefined): SQL =>
  values === undefined
    ? value
    : sql`(select case when text is null or ${isIn(sql`text`, values)} then text else 0 end from (select ${value} as text))`

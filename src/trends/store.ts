import { type SQL, sql } from 'drizzle-orm'
import { query, readBatch } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import { compileFilter, numberOf, textOf } from '../db/filter.ts'
import { inJson } from '../db/rows.ts'
import { AppError } from '../errors.ts'
import { type FilterGroup, isOneOf, leavesOf, type PropertyFilter, type PropertyType } from '../properties/filter.ts'
import { matcherOf } from '../properties/match.ts'
import { SLOT } from '../rollups/store.ts'
import { sessionColumn } from '../sessions/store.ts'
import { type Bins, FIRST_BIN } from './bins.ts'
import { type Breakdown, FIRSTS, isAdditive, MAX_BREAKDOWN_VALUES, type Maths, type Property } from './query.ts'
import type { Window } from './windows.ts'

type Matching = ReadonlyMap<PropertyFilter, string[]>

/** What of a project's events is asked for. */
export type Scan = {
  projectId: number
  /** Null for all. */
  event: string | null
  filters: FilterGroup
  /** Texts that fulfil the filters that SQL cannot decide: see `readMatching`. */
  matching: Matching
  math: Maths
  property: Property | undefined
  breakdowns: Breakdown[]
  /** For a math of first events the actors, as JSON, whose first event lies in a group of windows. */
  firsts?: ReadonlyMap<readonly Window[], string>
}

/** The text of a breakdown's value or bin, several as JSON; null for none, and 0 for all others. */
export type Value = string | null | 0

/** What came out for a point and value: a number, of so many that went in. */
export type Cell = { point: number; value: Value; result: number; size: number }

/** So many cells are read at once; more different values are first ranked, and then summed up. */
const MAX_CELLS = 25_000
const ACTOR_PARTS = 8
/** Characters of different values that are held at once. */
const MAX_TEXT = 8_000_000

/** How many events there are in each window, from the counts of quarters of an hour: a little more than exactly if a window cuts one. */
export async function countWindows(db: Db, { projectId, event }: Scan, windows: readonly Window[]): Promise<number[]> {
  const slots = windows.map(({ from, until }) => [Math.floor(from / SLOT), Math.ceil(until / SLOT)])
  const rows = await read<{ count: number }>(
    db,
    sql`select (select coalesce(sum(c.count), 0)
                from event_names n cross join event_counts c
                  on c.project_id = n.project_id and c.event_id = n.id
                    and c.slot >= slots.value ->> 0 and c.slot < slots.value ->> 1
                where n.project_id = ${projectId} ${named(event)}) as count
        from json_each(${JSON.stringify(slots)}) as slots`
  )
  return rows.map(({ count }) => count)
}

/** When the project's first event was; undefined without any. */
export async function findFirst(db: Db, projectId: number): Promise<number | undefined> {
  const [row] = await read<{ first: number | null }>(
    db,
    sql`select min((select timestamp from events e where e.project_id = n.project_id and e.event_id = n.id
                    order by timestamp limit 1)) as first
        from event_names n where n.project_id = ${projectId}`
  )
  return row?.first ?? undefined
}

/**
 * For the filters whose operators SQL lacks, the texts among those of the windows' events that fulfil them.
 * @throws query_too_large for a property with too many different texts
 */
export async function readMatching(
  db: Db,
  scan: Scan,
  groups: readonly Window[][],
  timezone: string,
  now: Date
): Promise<Matching> {
  const asked = leavesOf(scan.filters).flatMap((filter) => {
    const matches = matcherOf(filter, timezone, now)
    return matches ? [{ filter, matches }] : []
  })
  const texts = new Map<string, Set<string>>()
  for (const { filter } of asked) {
    const name = JSON.stringify([filter.type, filter.key])
    if (texts.has(name)) continue
    const found = new Set<string>()
    let length = 0
    texts.set(name, found)
    for (const windows of groups) {
      for (const text of await readTexts(db, scan, windows, filter)) {
        if (!found.has(text)) length += text.length
        found.add(text)
      }
      if (found.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT) throw tooManyValues(filter.key)
    }
  }
  return new Map(
    asked.map(({ filter, matches }) => {
      const found = texts.get(JSON.stringify([filter.type, filter.key])) ?? []
      return [filter, [...found].filter(matches)]
    })
  )
}

async function readTexts(db: Db, scan: Scan, windows: Window[], property: Property) {
  const rows = await read<{ text: string }>(
    db,
    sql`select distinct text from (
          select ${textOf(columnOf(property), property.key)} as text
          from ${rangesOf(windows)} cross join ${eventsOf(scan, [property.type])})
        where text is not null limit ${MAX_BREAKDOWN_VALUES + 1}`
  )
  return rows.map(({ text }) => text)
}

/** The actors of each segment, which the windows are, in the order of time and of the identities that they have. */
export async function* readActors(
  db: Db,
  scan: Scan,
  groups: readonly Window[][]
): AsyncGenerator<{ point: number; actors: number[] }> {
  for (const windows of groups) {
    const rows = await read<{ point: number; actors: string }>(
      db,
      // A value of D1 ends at 2 MB: the actors come in parts.
      sql`select point, json_group_array(subject) as actors
          from (select distinct point, subject from (${rowsSql(scan, windows)})) group by point, subject % ${ACTOR_PARTS}
          order by point`
    )
    for (const { point, actors } of rows) yield { point, actors: JSON.parse(actors) }
  }
}

/** The cells of all values; undefined when they are too many to be read at once. */
export async function readCells(db: Db, scan: Scan, groups: readonly Window[][]): Promise<Cell[] | undefined> {
  const cells: Cell[] = []
  for (const windows of groups) {
    for (const cell of await readGroup(db, scan, windows)) cells.push(cell)
    if (cells.length > MAX_CELLS && scan.breakdowns.length > 0) return undefined
  }
  return merge(cells, scan.math)
}

/** The cells of these values, of none, and of all others together. */
export async function readCellsOf(
  db: Db,
  scan: Scan,
  groups: readonly Window[][],
  values: readonly string[]
): Promise<Cell[]> {
  const cells: Cell[] = []
  for (const windows of groups) for (const cell of await readGroup(db, scan, windows, values)) cells.push(cell)
  return merge(cells, scan.math)
}

/**
 * The sum of each value's points.
 * @throws query_too_large for too many different values
 */
export async function readTotals(db: Db, scan: Scan, groups: readonly Window[][]): Promise<Map<string, number>> {
  const totals = new Map<string, number>()
  let length = 0
  for (const windows of groups) {
    const rows = await read<{ value: string; total: number }>(
      db,
      sql`select value, sum(result) as total from (${cellsSql(scan, windows)})
          where value is not null group by value limit ${MAX_BREAKDOWN_VALUES + 1}`
    )
    for (const { value, total } of rows) {
      if (!totals.has(value)) length += value.length
      totals.set(value, (totals.get(value) ?? 0) + total)
    }
    if (totals.size > MAX_BREAKDOWN_VALUES || length > MAX_TEXT)
      throw tooManyValues(scan.breakdowns.map(({ key }) => key).join(', '))
  }
  return totals
}

/** The lowest and the highest number that a property has in each group's events, where it has any. */
export async function readExtremes(
  db: Db,
  scan: Scan,
  groups: readonly Window[][],
  property: Property
): Promise<number[]> {
  const extremes: number[] = []
  for (const windows of groups) {
    const numbers = rowsSql({ ...scan, math: 'min', property, breakdowns: [] }, windows)
    const [row] = await read<{ low: number | null; high: number | null }>(
      db,
      sql`select min(subject) as low, max(subject) as high from (${numbers})`
    )
    for (const extreme of [row?.low, row?.high]) if (typeof extreme === 'number') extremes.push(extreme)
  }
  return extremes
}

const readGroup = (db: Db, scan: Scan, windows: Window[], values?: readonly string[]): Promise<Cell[]> =>
  read<Cell>(
    db,
    scan.breakdowns.length > 0 || scan.firsts
      ? sql`${cellsSql(scan, windows, values)} ${values ? sql`` : sql`limit ${MAX_CELLS + 1}`}`
      : // A sub-select for each window: grouping would sort all of the events once more.
        sql`select point, null as value, cell ->> 0 as result, cell ->> 1 as size from (
              select w.value ->> 2 as point,
                     (select json_array(${resultOf(scan.math)}, count(*)) from (${rowsSql(scan)})) as cell
              from ${rangesOf(windows)})`
  )

const read = async <Row>(db: Db, statement: SQL): Promise<Row[]> => (await readBatch(db, query<Row>(statement)))[0]

const rangesOf = (windows: readonly Window[]): SQL =>
  sql`json_each(${JSON.stringify(windows.map(({ from, until, point }) => [from, until, point]))}) as w`

const cellsSql = (scan: Scan, windows: readonly Window[], values?: readonly string[]): SQL =>
  sql`select point, value, ${resultOf(scan.math)} as result, count(*) as size
      from (${rowsSql(scan, windows, values)}) group by point, value`

/**
 * A row for each event that counts, with only what its math asks for; without windows those of the `w` around it. The
 * limit keeps SQLite from taking the select apart, and then carrying whole events through its sorter.
 */
function rowsSql(scan: Scan, windows?: readonly Window[], values?: readonly string[]): SQL {
  const { math, property, breakdowns, filters } = scan
  const needed = [property, ...breakdowns, ...leavesOf(filters)].flatMap((one) => one?.type ?? [])
  const isNarrow = needed.length === 0 && countsActors(math)
  const value = breakdowns.length > 0 ? listed(breakdownOf(breakdowns), values) : sql`null`
  const firsts = windows && scan.firsts?.get(windows)
  const [point, events] = firsts
    ? [sql`f.point`, firstsOf(scan, windows, firsts, needed)]
    : [windows ? sql`w.value ->> 2` : sql`null`, matchingOf(scan, windows, needed, isNarrow)]
  const rows = sql`
    select ${point} as point, ${value} as value, ${subjectOf(math, property)} as subject from ${events} limit -1`
  if (property) return ranked(math, sql`select * from (${rows}) where subject is not null`)
  if (!isPerActor(math)) return rows
  return ranked(math, sql`select point, value, count(*) as subject from (${rows}) group by point, value, subject`)
}

const countsActors = (math: Maths): boolean =>
  isPerActor(math) || math === 'dau' || math === 'weekly_active' || math === 'monthly_active'

const isPerActor = (math: Maths): boolean => math.endsWith('_count_per_actor')

/** What is counted or computed with: the actor, the session, or the property's number. */
function subjectOf(math: Maths, property: Property | undefined): SQL {
  if (property) return numberOf(columnOf(property), property.key)
  if (math === 'total' || isOneOf(FIRSTS, math)) return sql`null`
  if (math === 'unique_session') return sql`e.session_id`
  return ACTOR
}

const ACTOR = sql`coalesce((select person_id from distinct_ids where key = e.identity),
                           (select person_id from erased_identities where key = e.identity), -e.identity)`

const PERCENTILES: Record<string, number> = { median: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99 }

const baseOf = (math: Maths): string => math.replace('_count_per_actor', '')

/** For a percentile, the rows with their place among those of their point and value. */
function ranked(math: Maths, rows: SQL): SQL {
  if (PERCENTILES[baseOf(math)] === undefined) return rows
  const group = sql`partition by point, value`
  return sql`select point, value, subject, row_number() over (${group} order by subject) - 1 as place,
                    (count(*) over (${group}) - 1) * ${PERCENTILES[baseOf(math)]} as wanted from (${rows})`
}

/** The aggregate of a math over `subject`; a percentile lies between the two values around it, in proportion. */
function resultOf(math: Maths): SQL {
  switch (baseOf(math)) {
    case 'total':
    case 'first_time_for_user':
    case 'first_matching_event_for_user':
      return sql`count(*)`
    case 'sum':
      return sql`coalesce(sum(subject), 0)`
    case 'avg':
      return sql`coalesce(avg(subject), 0)`
    case 'min':
      return sql`coalesce(min(subject), 0)`
    case 'max':
      return sql`coalesce(max(subject), 0)`
    case 'dau':
    case 'weekly_active':
    case 'monthly_active':
    case 'unique_session':
      return sql`count(distinct subject)`
    default:
      return sql`coalesce(sum(case place - floor(wanted)
        when 0 then subject * (1 - (wanted - floor(wanted))) when 1 then subject * (wanted - floor(wanted)) end), 0)`
  }
}

/** Whether the results of two parts of a window make that of the whole; for a breakdown also their sum. */
export const isDivisible = ({ math, breakdowns }: Scan): boolean =>
  isAdditive(math) || (breakdowns.length === 0 && ['avg', 'min', 'max'].includes(math))

/** Joins the cells of one point and value that were read in parts. */
function merge(cells: readonly Cell[], math: Maths): Cell[] {
  const merged = new Map<string, Cell>()
  for (const cell of cells) {
    const key = JSON.stringify([cell.point, cell.value])
    const before = merged.get(key)
    merged.set(key, before ? join(before, cell, math) : cell)
  }
  return [...merged.values()]
}

function join(a: Cell, b: Cell, math: Maths): Cell {
  const size = a.size + b.size
  if (isAdditive(math) || a.size === 0 || b.size === 0) return { ...a, result: a.result + b.result, size }
  const results: Partial<Record<Maths, number>> = {
    avg: (a.result * a.size + b.result * b.size) / size,
    min: Math.min(a.result, b.result),
    max: Math.max(a.result, b.result)
  }
  const result = results[math]
  if (result === undefined) throw new Error(`${math} cannot be computed in parts`)
  return { ...a, result, size }
}

/** Events `e` that fulfil the filters, of the windows `w`. */
const matchingOf = (
  scan: Scan,
  windows: readonly Window[] | undefined,
  needed: readonly PropertyType[],
  isNarrow: boolean
): SQL => sql`
  ${windows ? sql`${rangesOf(windows)} cross join` : sql``} ${eventsOf(scan, needed, isNarrow)}
    and ${compileFilter(columnOf, scan.filters, scan.matching)}`

/** Added to a time, it makes each as many digits. */
const SAME_DIGITS = 20_000_000_000_000_000

/**
 * The first events `e` of these actors, which lie in the windows, with their points `f`: of several at the same moment the
 * one with the lowest uuid. They are sought among those that the filters leave, or else have to fulfil them.
 */
function firstsOf(scan: Scan, windows: readonly Window[], actors: string, needed: readonly PropertyType[]): SQL {
  const { looked, filters } = splitFilters(scan)
  const looksAt = leavesOf(looked).map(({ type }) => type)
  return sql`
    (select point, event_id, timestamp, uuid, min(place) from (
       select w.value ->> 2 as point, ${ACTOR} as subject, e.event_id, e.timestamp, e.uuid,
              (e.timestamp + ${sql.raw(String(SAME_DIGITS))}) || hex(e.uuid) as place
       from ${matchingOf({ ...scan, filters: looked }, windows, looksAt, looksAt.length === 0)} limit -1)
     where subject in (select value from json_each(${actors})) group by subject) f
    cross join events e on e.project_id = ${scan.projectId} and e.event_id = f.event_id and e.timestamp = f.timestamp
      and e.uuid = f.uuid
    ${ownersOf(needed)}
    where ${compileFilter(columnOf, filters, scan.matching)}`
}

/** The filters of a math of first events: by which the first ones are looked for, and which they then have to fulfil. */
export function splitFilters({ math, filters }: Scan): { looked: FilterGroup; filters: FilterGroup } {
  const none: FilterGroup = { type: 'AND', values: [] }
  return math === 'first_matching_event_for_user' ? { looked: filters, filters: none } : { looked: none, filters }
}

/** Events `e` of the windows `w`; a `where` is open behind it. */
const eventsOf = (
  { projectId, event }: Pick<Scan, 'projectId' | 'event'>,
  needed: readonly PropertyType[],
  isNarrow = false
): SQL => sql`
  event_names n cross join events e ${isNarrow ? sql`indexed by events_actors` : sql``}
    on e.project_id = n.project_id and e.event_id = n.id and e.timestamp >= w.value ->> 0 and e.timestamp < w.value ->> 1
  ${ownersOf(needed)}
  where n.project_id = ${projectId} ${named(event)}`

/** What the person and the session of each event are, where that is needed. */
const ownersOf = (needed: readonly PropertyType[]): SQL => sql`
  ${needed.includes('person') ? sql`left join person_versions v on v.id = e.version` : sql``}
  ${needed.includes('session') ? sql`left join sessions s on s.project_id = e.project_id and s.session_id = e.session_id` : sql``}`

const named = (event: string | null): SQL => (event === null ? sql`` : sql`and n.name = ${event}`)

/** The JSON that holds a property. */
function columnOf({ type, key }: Property): SQL {
  if (type === 'session') return sessionColumn(key)
  return type === 'person' ? sql`v.properties` : sql`e.properties`
}

/** An empty text is no value either, and what is no number lies in no bin. */
function breakdownOf(breakdowns: readonly Breakdown[]): SQL {
  const texts = breakdowns.map((breakdown) => {
    const { binCount, bins } = breakdown
    if (binCount === undefined) return sql`nullif(${textOf(columnOf(breakdown), breakdown.key)}, '')`
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
    : sql`(select case when text is null or text in ${inJson(values)} then text else 0 end from (select ${value} as text))`

const tooManyValues = (key: string): AppError =>
  new AppError(
    'query_too_large',
    `${JSON.stringify(key)} has more than ${MAX_BREAKDOWN_VALUES} different values in this range, or too long ones.`,
    'breakdown_values'
  )

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { DAY, HOUR } from '../../../src/calendar/units.ts'
import { isAggregated } from '../../../src/trends/query.ts'
import type { Asked, Breakdown, Entity, Filter } from './request.ts'
import type { World } from './world.ts'

/** A stored event. */
export type Stored = {
  name: string
  /** ms UTC. */
  at: number
  /** Id of the event's person, or the negative key of an identity without a person. */
  actor: number
  session: string | null
  uuid: string
  /** The event's properties, JSON. */
  event: string
  /** The person's properties as of the event, JSON. */
  person: string | null
}

/** A stored person: when it was created, ms UTC, its properties, JSON, and 1 if it is identified. */
export type StoredPerson = { actor: number; at: number; person: string; identified: number }

/** A bucket `[lo, hi)`, ms UTC; `day` is its label. */
export type Bucket = { lo: number; hi: number; day: string }

/** Computes trends with DuckDB. Of the product's code it uses only the units of time and `isAggregated`. */
export class Duck {
  readonly #db: DuckDBConnection
  #world: World | undefined

  private constructor(db: DuckDBConnection) {
    this.#db = db
  }

  static async start(): Promise<Duck> {
    const instance = await DuckDBInstance.create(':memory:')
    return new Duck(await instance.connect())
  }

  end(): void {
    this.#db.closeSync()
  }

  /** Loads events into the table `ev`. */
  async load(events: Stored[], world: World): Promise<void> {
    this.#world = world
    const zone = quote(world.zone)
    await this.#db.run(
      `create or replace macro clock_of(moment) as make_timestamptz(moment::bigint * 1000) at time zone ${zone}`
    )
    // Of the two moments of a repeated time, DuckDB may take the later one.
    await this.#db.run(
      `create or replace macro first_moment(clock) as epoch_ms(least(clock at time zone ${zone}, list_min(list_filter(
         [(clock at time zone ${zone}) - interval 1 hour, (clock at time zone ${zone}) - interval 30 minute],
         lambda earlier: earlier at time zone ${zone} = clock))))`
    )
    await this.#db.run(
      `create or replace table ev as
       with read as (select unnest(from_json($1::json, '["json"]')) as x),
       typed as (select x->>'name' as name, (x->>'at')::bigint as ms, (x->>'actor')::bigint as actor,
                        x->>'session' as session, x->>'uuid' as uuid, (x->>'event')::json as event,
                        (x->>'person')::json as person from read),
       views as (select *, event->>'$."$current_url"' as url, name = '$pageview' as is_view,
                        case when json_type(event, '/utm_source') in ('VARCHAR', 'BIGINT', 'UBIGINT')
                             then event->>'$.utm_source' end as source from typed),
       sessions as (
         select session as id, count_if(is_view) as pageviews, count_if(name = '$autocapture') as clicks,
                (max(ms) - min(ms)) // 1000 as seconds, max(ms) - min(ms) < 10000 as is_short,
                arg_min({'url': url, 'source': source}, row(not is_view, ms, uuid)) filter (is_view or url <> '') as entry,
                arg_max({'url': url}, row(is_view, ms, uuid)) filter (is_view or url <> '') as last
         from views where session is not null group by session),
       described as (
         select id, to_json({
           '$entry_utm_source': nullif(entry.source, ''), '$entry_current_url': nullif(entry.url, ''),
           '$end_hostname': nullif(split_part(replace(last.url, 'https://', ''), '/', 1), ''),
           '$pageview_count': pageviews, '$session_duration': seconds,
           '$is_bounce': case when pageviews > 0 then pageviews + clicks <= 1 and is_short end
         }) as of_session from sessions)
       select typed.*, of_session from typed left join described on id = session`,
      [JSON.stringify(events)]
    )
    await this.#db.run(
      `create or replace table se as
       select session, session as actor, min(ms) as ms, any_value(of_session) as of_session
       from ev where session is not null group by session`
    )
  }

  /** Loads persons into the table `pe`. */
  async loadPersons(persons: StoredPerson[]): Promise<void> {
    await this.#db.run(
      `create or replace table pe as
       select (x->>'actor')::bigint as actor, (x->>'at')::bigint as ms, (x->>'person')::json as person,
              x->>'identified' = '1' as identified
       from (select unnest(from_json($1::json, '["json"]')) as x)`,
      [JSON.stringify(persons)]
    )
  }

  async #rows<Row>(sql: string, values: (string | number)[] = []): Promise<Row[]> {
    const reader = await this.#db.runAndReadAll(sql, values)
    return reader.getRowObjectsJson().map((row) => row as Row)
  }

  /** Returns the rows of a statement about `ev`, whose numbers may be written as texts. */
  async list(sql: string): Promise<unknown[][]> {
    const reader = await this.#db.runAndReadAll(sql)
    return reader.getRowsJson()
  }

  /** Parses a CSV table whose lines must all have the same number of cells. */
  async table(csv: string, columns: number): Promise<string[][]> {
    const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-oracle-'))
    try {
      const file = join(folder, 'table.csv')
      writeFileSync(file, csv)
      const names = Array.from({ length: columns }, (_, i) => `c${i}: 'VARCHAR'`)
      const reader = await this.#db.runAndReadAll(
        `from read_csv(${quote(file)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"',
                       new_line = '\\r\\n', columns = {${names.join(', ')}})`
      )
      return reader.getRowsJson().map((cells) => cells.map(String))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  /**
   * Returns the buckets of the range and of the period that it is compared with. A display without a
   * time axis has one bucket per period.
   */
  async buckets(ask: Asked): Promise<Bucket[][]> {
    const isHourly = ask.interval === 'hour'
    const [current = [], previous = []] = isHourly
      ? await this.#hourly(ask)
      : await this.#daily(ask)
    const isSingle = isAggregated(ask)
    const whole = isSingle ? [joined(current), joined(previous)] : [current, previous]
    if (typeof ask.from !== 'object' || (isHourly && !isSingle)) {
      return whole
    }
    return this.#exact(ask, ask.from.hours, whole)
  }

  /**
   * Cuts the first bucket of a range such as `-36h` at the start of the range, and the earlier period to
   * the same length.
   */
  async #exact(ask: Asked, hours: number, [current = [], previous = []]: Bucket[][]) {
    const { now } = this.#loadedWorld()
    const begin = now - hours * HOUR
    const end = ask.to === 0 ? now : (current.at(-1)?.hi ?? 0)
    const length = end - begin
    const cut = startAt(current, begin)
    if (isAggregated(ask) && !ask.compareTo) {
      return [cut, [{ lo: begin - length, hi: begin, day: '' }]]
    }
    const lo = await this.#moment(await this.#earlier(await this.#clock(begin), ask, length))
    const hi = lo + length
    if (isAggregated(ask)) {
      return [cut, [{ lo, hi, day: '' }]]
    }
    // No bucket is longer than 31 days: this gives enough buckets, of which the first are kept.
    const start = await this.#clock(lo)
    const days = await this.#days(ask.interval, start, start + (previous.length + 1) * 31 * DAY)
    const other = days.slice(0, previous.length)
    // A bucket after the period is empty, and lies at its end. The last bucket has the rest of the period.
    const ended = other.map((bucket, i) => ({
      ...bucket,
      lo: Math.min(bucket.lo, hi),
      hi: i === other.length - 1 ? hi : Math.min(bucket.hi, hi)
    }))
    return [cut, startAt(ended, lo)]
  }

  async #hourly(ask: Asked): Promise<Bucket[][]> {
    const { now } = this.#loadedWorld()
    const end = await this.#moment((await this.#clock(now)) - ask.to * DAY)
    const current = await this.#hours(await this.#firstHour(ask, end), end + 1)
    const [lo, hi] = [current[0]?.lo ?? 0, current.at(-1)?.hi ?? 0]
    if (isAggregated(ask)) {
      return [current, [{ lo: lo - (hi - lo), hi: lo, day: '' }]]
    }
    const earlier = await this.#hours(lo - (current.length + 2) * HOUR, lo)
    return [current, earlier.slice(-current.length)]
  }

  /** Returns a moment in the first hour of a range that ends with the hour of `end`. */
  async #firstHour(ask: Asked, end: number): Promise<number> {
    if (ask.from === 'all') {
      return Math.min(await this.#first(ask), end)
    }
    return typeof ask.from === 'object'
      ? this.#loadedWorld().now - ask.from.hours * HOUR
      : this.#moment((await this.#today()) - ask.from * DAY)
  }

  async #daily(ask: Asked): Promise<Bucket[][]> {
    const until = (await this.#today()) - ask.to * DAY + DAY
    const start = Math.min(await this.#firstDay(ask), until - DAY)
    const unit = isAggregated(ask) ? 'day' : ask.interval
    const current = await this.#days(unit, start, until)
    const lo = Date.parse(current[0]?.day ?? '')
    // Whole weeks by the day, up to today, are compared with the same weekdays (docs/trends.md).
    const isWeeks =
      typeof ask.from === 'number' && ask.from % 7 === 0 && ask.from > 0 && ask.to === 0
    if (!ask.compareTo && !(isWeeks && ask.interval === 'day')) {
      return [current, await this.#days(unit, this.#back(lo, current.length, unit), lo)]
    }
    const back = ask.compareTo ? await this.#earlier(lo, ask) : lo - Number(ask.from) * DAY
    // No bucket is longer than 31 days: this gives enough buckets, of which the first are kept.
    const many = await this.#days(unit, back, back + (current.length + 1) * 31 * DAY)
    return [current, many.slice(0, current.length)]
  }

  /**
   * Returns the wall-clock time that is earlier than `clock` by `compareTo` or, without it, by the fewest
   * whole buckets that cover `length` ms; a month counts as 28 days.
   */
  async #earlier(clock: number, { compareTo, interval }: Asked, length = 0): Promise<number> {
    const unit = compareTo ? { d: 'day', w: 'week', m: 'month' }[compareTo.unit] : interval
    const days = { hour: 1, day: 1, week: 7, month: 28 }[interval]
    const amount = compareTo ? compareTo.amount : Math.ceil(length / (days * DAY))
    const [row] = await this.#rows<{ clock: number }>(
      `select epoch_ms(make_timestamp(${clock} * 1000) - interval ${amount} ${unit})::double as clock`
    )
    return row?.clock ?? 0
  }

  async #firstDay(ask: Asked): Promise<number> {
    if (typeof ask.from === 'number') {
      return (await this.#today()) - ask.from * DAY
    }
    const begin =
      ask.from === 'all' ? await this.#first(ask) : this.#loadedWorld().now - ask.from.hours * HOUR
    return Math.floor((await this.#clock(begin)) / DAY) * DAY
  }

  /**
   * Returns the time of the first event with the name of a series, ms UTC; now if there is none.
   */
  async #first({ events }: Asked): Promise<number> {
    const ofAny = events.map(({ id }) => isNamed(id)).join(' or ')
    const [row] = await this.#rows<{ first: number }>(
      `select coalesce(min(ms), ${this.#loadedWorld().now})::double as first from ev where ${ofAny}`
    )
    return row?.first ?? 0
  }

  /** Returns the wall-clock time at which today starts, ms. */
  async #today(): Promise<number> {
    return Math.floor((await this.#clock(this.#loadedWorld().now)) / DAY) * DAY
  }

  /** Returns the wall-clock time of a moment, ms, encoded as if it were UTC. */
  async #clock(moment: number): Promise<number> {
    const [row] = await this.#rows<{ clock: number }>(
      `select epoch_ms(make_timestamptz(${moment} * 1000) at time zone $1)::double as clock`,
      [this.#loadedWorld().zone]
    )
    return row?.clock ?? 0
  }

  /** Returns the first moment of a wall-clock time, ms UTC: the inverse of `#clock`. */
  async #moment(clock: number): Promise<number> {
    const [row] = await this.#rows<{ moment: number }>(
      `select first_moment(make_timestamp(${clock} * 1000))::double as moment`
    )
    return row?.moment ?? 0
  }

  #back(lo: number, count: number, unit: string): number {
    if (unit !== 'month') {
      return lo - count * (unit === 'week' ? 7 : 1) * DAY
    }
    const date = new Date(lo)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count, 1)
  }

  /**
   * Returns the wall-clock hours that overlap `[from, until)`. An hour begins where the clock shows a full hour, or goes on in
   * another hour. All zones change their clocks at a full quarter of an hour.
   */
  #hours(from: number, until: number): Promise<Bucket[]> {
    const quarter = HOUR / 4
    const [first, last] = [Math.floor(from / quarter) - 12, Math.ceil(until / quarter) + 12]
    return this.#rows<Bucket>(
      `with quarters as (select n * ${quarter} as t, clock_of(n * ${quarter}) as clock from range(${first}, ${last}) as r(n)),
       hours as (select t, date_trunc('hour', clock) as hour from quarters
                 qualify clock = hour or hour <> lag(hour) over (order by t)),
       buckets as (select t as lo, lead(t) over (order by t) as hi, hour from hours)
       select lo::double as lo, hi::double as hi, strftime(hour, '%Y-%m-%d %H:00:00') as day
       from buckets where lo < ${until} and hi > ${from} order by lo`
    )
  }

  /**
   * Returns the days, weeks or months that overlap `[from, until)`; both are wall-clock times, ms. The
   * first starts at its own beginning; the last ends at `until`.
   */
  #days(unit: string, from: number, until: number): Promise<Bucket[]> {
    const shift = this.#loadedWorld().weekStart === 0 ? `interval 1 day` : `interval 0 day`
    const floor = (time: string) =>
      unit === 'week'
        ? `date_trunc('week', ${time} + ${shift}) - ${shift}`
        : `date_trunc('${unit}', ${time})`
    return this.#rows<Bucket>(
      `select first_moment(s)::double as lo, first_moment(least(s + interval 1 ${unit}, make_timestamp(${until} * 1000)))::double as hi,
              strftime(s, '%Y-%m-%d') as day
       from unnest(generate_series(${floor(`make_timestamp(${from} * 1000)`)}, make_timestamp(${until - 1} * 1000), interval 1 ${unit})) as g(s)
       where epoch_ms(s) < ${until} order by s`
    )
  }

  /** Adds the edges of the bins, computed from the numbers of all series and periods, to a request. */
  async binned(ask: Asked, periods: Bucket[][]): Promise<Asked> {
    const { breakdown } = ask
    if (!breakdown?.bins) {
      return ask
    }
    const all = ask.events.flatMap((entity) =>
      periods.map((buckets) => this.#matching(ask, entity, buckets, `${numberOf(breakdown)} as x`))
    )
    const [{ low = null, high = null } = {}] = await this.#rows<{
      low: number | null
      high: number | null
    }>(`select min(x)::double as low, max(x)::double as high from (${all.join(' union all ')})`)
    if (low === null || high === null) {
      return { ...ask, breakdown: { ...breakdown, edges: [] } }
    }
    const count = low === high ? 1 : breakdown.bins
    const edges = Array.from({ length: count + 1 }, (_, i) => low + (i * (high - low)) / count)
    return { ...ask, breakdown: { ...breakdown, edges } }
  }

  /**
   * Returns the cells of a series: one per bucket and breakdown value that has events. With `listed`,
   * all other values are counted together as `<other>`; null stands for a missing value.
   */
  async cells(ask: Asked, entity: Entity, buckets: Bucket[], listed?: string[]) {
    const text = ask.breakdown ? breakdownOf(ask.breakdown) : 'null'
    const value = listed
      ? `case when ${text} is null then null when list_contains(from_json($1::json, '["varchar"]'), ${text}) then ${text} else '<other>' end`
      : text
    const isOfSession = ofSession(entity)
    const number = numberIn(entity)
    const matching = this.#matching(
      ask,
      entity,
      buckets,
      `${value} as value, actor, session, ${number} as x`
    )
    const math = mathOf(ask, entity)
    if (ask.display === 'ActionsLineGraphCumulative' && UNIQUE[math]) {
      // In a cumulative chart, an actor or a session counts only in its first bucket. A value whose
      // events have no session still has a cell, with 0.
      return this.#rows<{ i: number; value: string | null; y: number }>(
        `select i, value, count(one)::double as y from (
           select value, ${UNIQUE[math]} as one, min(i) as i from (${matching}) group by value, one)
         group by i, value`,
        listed ? [JSON.stringify(listed)] : []
      )
    }
    const perActor = /^(.*)_count_per_actor$/.exec(entity.math)?.[1]
    const sources = {
      actors: `select i, value, count(*)::double as x from (${matching}) group by i, value, actor`,
      sessions: `select distinct i, value, session, x from (${matching})`,
      events: matching
    }
    const source = perActor ? sources.actors : sources[isOfSession ? 'sessions' : 'events']
    const kept = entity.math_property ? `(${source}) where x is not null` : `(${source})`
    return this.#rows<{ i: number; value: string | null; y: number }>(
      `select i, value, (${AGGREGATES[perActor ?? math]})::double as y from ${kept} group by i, value`,
      listed ? [JSON.stringify(listed)] : []
    )
  }

  /**
   * Builds the SQL that selects the matching events, each with the index `i` of its bucket. With the
   * windows of `weekly_active` and `monthly_active`, an event is in several buckets.
   */
  #matching(ask: Asked, entity: Entity, buckets: Bucket[], selected: string): string {
    const days = { weekly_active: 7, monthly_active: 30 }[mathOf(ask, entity)]
    const places = buckets.map(({ lo, hi }, i) => `(${i}, ${lo}, ${hi})`)
    const windowBegin = `first_moment(clock_of(hi - 1) + interval 1 millisecond - interval ${days} day)`
    const { type, values } = ask.properties
    const fulfils = [
      ...entity.properties.map(conditionOf),
      values.length > 0 ? `(${values.map(conditionOf).join(` ${type} `)})` : 'true'
    ]
      .map((condition) => `coalesce(${condition}, false)`)
      .join(' and ')
    const isOfKind = isNamed(entity.id)
    const firstOf = (condition: string) =>
      `(from ev where ${condition} qualify row_number() over (partition by actor order by ms, uuid) = 1)`
    const sources: Record<string, string> = {
      first_time_for_user: firstOf(isOfKind),
      first_matching_event_for_user: firstOf(`${isOfKind} and ${fulfils}`)
    }
    return `
      select i, ${selected}
      from (select i, ${days ? windowBegin : 'lo'} as lo, hi from (values ${places.join(', ')}) as v(i, lo, hi)) as b join ${sources[entity.math] ?? 'ev'} as e on ms >= lo and ms < hi
      where ${isOfKind} and ${fulfils}`
  }

  #loadedWorld(): World {
    if (!this.#world) {
      throw new Error('No world has been loaded.')
    }
    return this.#world
  }
}

const joined = (buckets: Bucket[]): Bucket[] => [
  { lo: buckets[0]?.lo ?? 0, hi: buckets.at(-1)?.hi ?? 0, day: '' }
]

const startAt = (buckets: Bucket[], lo: number): Bucket[] =>
  buckets.map((bucket, i) => (i === 0 ? { ...bucket, lo } : bucket))

/** The column whose distinct values a math counts: actors or sessions. */
const UNIQUE: Record<string, string> = {
  dau: 'actor',
  weekly_active: 'actor',
  monthly_active: 'actor',
  unique_session: 'session'
}

const ofSession = ({ math_property }: Entity) => math_property?.startsWith('$session') ?? false

/** Returns the number that a series takes from an event. */
function numberIn(entity: Entity): string {
  const { math_property: key } = entity
  return key ? numberOf({ key, type: ofSession(entity) ? 'session' : 'event' }) : 'null'
}

/**
 * Returns the math of a series. `weekly_active` and `monthly_active` become `dau` when the interval is
 * at least as long as their window, except in a display without a time axis.
 */
function mathOf(ask: Asked, { math }: Entity): string {
  const longEnough: Record<string, string[]> = {
    weekly_active: ['week', 'month'],
    monthly_active: ['month']
  }
  return longEnough[math]?.includes(ask.interval) && !isAggregated(ask) ? 'dau' : math
}

const AGGREGATES: Record<string, string> = {
  total: 'count(*)',
  first_time_for_user: 'count(*)',
  first_matching_event_for_user: 'count(*)',
  dau: 'count(distinct actor)',
  weekly_active: 'count(distinct actor)',
  monthly_active: 'count(distinct actor)',
  unique_session: 'count(distinct session)',
  sum: 'sum(x)',
  avg: 'avg(x)',
  min: 'min(x)',
  max: 'max(x)',
  median: 'quantile_cont(x, 0.5)',
  p75: 'quantile_cont(x, 0.75)',
  p90: 'quantile_cont(x, 0.9)',
  p95: 'quantile_cont(x, 0.95)',
  p99: 'quantile_cont(x, 0.99)'
}

export const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

const isNamed = (name: string | null) => (name === null ? 'true' : `name = ${quote(name)}`)

const pathOf = (key: string) => quote(`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)

type About = Pick<Filter, 'key' | 'type'>
const columnOf = ({ type }: About) => (type === 'session' ? 'of_session' : type)
const jsonOf = (about: About) => `json_extract(${columnOf(about)}, ${pathOf(about.key)})`
export const textOf = (about: About) =>
  `case json_type(${jsonOf(about)}) when 'NULL' then null when 'VARCHAR' then json_extract_string(${columnOf(about)}, ${pathOf(about.key)}) else ${jsonOf(about)}::varchar end`
export const numberOf = (about: About) =>
  `case when json_type(${jsonOf(about)}) not in ('BOOLEAN', 'NULL') and regexp_full_match(${textOf(about)}, '-?(0|[1-9][0-9]*)([.][0-9]+)?') then (${textOf(about)})::double end`

/**
 * Returns SQL for an event's breakdown value: the text, or null if it is missing or empty. With bins:
 * the index of the bin, as text, or null if the value is not a number.
 */
function breakdownOf(breakdown: Breakdown): string {
  if (!breakdown.bins) {
    return `nullif(${textOf(breakdown)}, '')`
  }
  const begins = (breakdown.edges ?? []).slice(0, -1)
  const steps = begins
    .map((edge, i) => `when ${numberOf(breakdown)} >= ${edge}::double then '${i}'`)
    .reverse()
  return steps.length > 0 ? `case ${steps.join(' ')} end` : 'null'
}

const NEGATED: Record<string, string> = {
  is_not: 'exact',
  not_in: 'in',
  not_icontains: 'icontains',
  not_regex: 'regex',
  is_not_set: 'is_set'
}

const anyOf = (conditions: string[]) => `(${conditions.join(' or ')})`

function conditionOf(filter: Filter): string {
  if (Array.isArray(filter.value) && filter.value.length === 0) {
    return 'true'
  }
  const positive = NEGATED[filter.operator]
  if (positive) {
    return `not coalesce(${conditionOf({ ...filter, operator: positive })}, false)`
  }
  const values = (Array.isArray(filter.value) ? filter.value : [filter.value]).map(String)
  const [low = '', high = ''] = values
  const text = textOf(filter)
  const number = numberOf(filter)
  switch (filter.operator) {
    case 'is_set':
      return `${text} is not null`
    case 'exact':
    case 'in':
      return `${text} in (${values.map(quote).join(', ')})`
    case 'icontains':
      return anyOf(values.map((value) => `contains(lower(${text}), lower(${quote(value)}))`))
    case 'regex':
      return anyOf(values.map((value) => `regexp_matches(${text}, ${quote(value)})`))
    case 'between':
      return `(${number} >= ${low} and ${number} <= ${high})`
    case 'not_between':
      return `(${number} < ${low} or ${number} > ${high})`
    case 'gt':
      return `${number} > ${low}`
    case 'gte':
      return `${number} >= ${low}`
    case 'lt':
      return `${number} < ${low}`
    case 'lte':
      return `${number} <= ${low}`
    default:
      throw new Error(`The oracle does not support the operator ${filter.operator}.`)
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Asked, Breakdown, Entity, Filter } from './request.ts'
import type { World } from './world.ts'
import { DAY, HOUR } from './world.ts'

/** An event as it lies in the store, with whose it is and what that person was. */
export type Stored = {
  name: string
  at: number
  actor: number
  session: string | null
  uuid: string
  event: string
  person: string | null
}

export type Bucket = { lo: number; hi: number; day: string }

/** What a trend is by DuckDB: the product's code has no part in it. */
export class Duck {
  readonly #db: DuckDBConnection
  #world: World | undefined
  #isHourly = false

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

  /** `t` is what the clock shows, as ms; by the hour it is the moment itself, which tells repeated hours apart. */
  async load(events: Stored[], world: World, isHourly: boolean): Promise<void> {
    this.#world = world
    this.#isHourly = isHourly
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
       select typed.*, of_session, case when $2 then ms else epoch_ms(make_timestamptz(ms * 1000) at time zone $3) end as t
       from typed left join described on id = session`,
      [JSON.stringify(events), isHourly, world.zone]
    )
  }

  async #rows<Row>(sql: string, values: (string | number)[] = []): Promise<Row[]> {
    const reader = await this.#db.runAndReadAll(sql, values)
    return reader.getRowObjectsJson().map((row) => row as Row)
  }

  /** The cells of a table of CSV, each line of which has to have so many. */
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

  /** The buckets of the range asked for, and of the one before. */
  async buckets(ask: Asked): Promise<Bucket[][]> {
    const { now } = this.#of()
    const [{ first = 0 } = {}] = await this.#rows<{ first: number }>(
      `select coalesce(min(ms), ${now})::double as first from ev`
    )
    const today = Math.floor((await this.#clock(now)) / DAY) * DAY
    if (this.#isHourly) {
      const clock = (await this.#clock(now)) - ask.to * DAY
      const end = (await this.#moment(Math.floor(clock / HOUR) * HOUR)) + HOUR
      const earliest = Math.min(first, end - 1)
      const begin =
        ask.from === 'all'
          ? earliest - mod(await this.#clock(earliest), HOUR)
          : await this.#moment(today - ask.from * DAY)
      const count = Math.ceil((end - begin) / HOUR)
      return Promise.all([begin, begin - count * HOUR].map((start) => this.#hours(start, count)))
    }
    const until = today - ask.to * DAY + DAY
    const from =
      ask.from === 'all'
        ? Math.floor((await this.#clock(first)) / DAY) * DAY
        : today - ask.from * DAY
    const start = Math.min(from, until - DAY)
    const unit = ['BoldNumber', 'ActionsPie'].includes(ask.display) ? 'day' : ask.interval
    const current = await this.#days(unit, start, until)
    const lo = current[0]?.lo ?? 0
    return [current, await this.#days(unit, this.#back(lo, current.length, unit), lo)]
  }

  /** What the clock shows then. */
  async #clock(moment: number): Promise<number> {
    const [row] = await this.#rows<{ clock: number }>(
      `select epoch_ms(make_timestamptz(${moment} * 1000) at time zone $1)::double as clock`,
      [this.#of().zone]
    )
    return row?.clock ?? 0
  }

  /** When the clock shows this. */
  async #moment(clock: number): Promise<number> {
    const [row] = await this.#rows<{ moment: number }>(
      `select epoch_ms(make_timestamp(${clock} * 1000) at time zone $1)::double as moment`,
      [this.#of().zone]
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

  #hours(start: number, count: number): Promise<Bucket[]> {
    return this.#rows<Bucket>(
      `select (${start} + n * ${HOUR})::double as lo, (${start} + (n + 1) * ${HOUR})::double as hi,
              strftime(make_timestamptz((${start} + n * ${HOUR})::bigint * 1000) at time zone $1, '%Y-%m-%d %H:00:00') as day
       from range(${count}) as r(n) order by n`,
      [this.#of().zone]
    )
  }

  /** Days, weeks and months on the clock. */
  #days(unit: string, from: number, until: number): Promise<Bucket[]> {
    const shift = this.#of().weekStart === 0 ? `interval 1 day` : `interval 0 day`
    const floor = (time: string) =>
      unit === 'week'
        ? `date_trunc('week', ${time} + ${shift}) - ${shift}`
        : `date_trunc('${unit}', ${time})`
    return this.#rows<Bucket>(
      `select epoch_ms(s)::double as lo, least(epoch_ms(s + interval 1 ${unit}), ${until})::double as hi, strftime(s, '%Y-%m-%d') as day
       from unnest(generate_series(${floor(`make_timestamp(${from} * 1000)`)}, make_timestamp(${until - 1} * 1000), interval 1 ${unit})) as g(s)
       where epoch_ms(s) < ${until} order by s`
    )
  }

  /** What is asked, with the edges of the bins that the numbers of all its series and periods lie in. */
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

  /** The cells of a series in these buckets; with `listed` those of these values, of none, and of all others. */
  async cells(ask: Asked, entity: Entity, buckets: Bucket[], listed?: string[]) {
    const text = ask.breakdown ? breakdownOf(ask.breakdown) : 'null'
    const value = listed
      ? `case when ${text} is null then null when list_contains(from_json($1::json, '["varchar"]'), ${text}) then ${text} else '<other>' end`
      : text
    const isOfSession = entity.math_property?.startsWith('$session') ?? false
    const number = entity.math_property
      ? numberOf({ key: entity.math_property, type: isOfSession ? 'session' : 'event' })
      : 'null'
    const matching = this.#matching(
      ask,
      entity,
      buckets,
      `${value} as value, actor, session, ${number} as x`
    )
    const perActor = /^(.*)_count_per_actor$/.exec(entity.math)?.[1]
    const sources = {
      actors: `select i, value, count(*)::double as x from (${matching}) group by i, value, actor`,
      sessions: `select distinct i, value, session, x from (${matching})`,
      events: matching
    }
    const source = perActor ? sources.actors : sources[isOfSession ? 'sessions' : 'events']
    const kept = entity.math_property ? `(${source}) where x is not null` : `(${source})`
    return this.#rows<{ i: number; value: string | null; y: number }>(
      `select i, value, (${AGGREGATES[perActor ?? entity.math]})::double as y from ${kept} group by i, value`,
      listed ? [JSON.stringify(listed)] : []
    )
  }

  /** What is selected of the events that count, with the place of their bucket. */
  #matching(ask: Asked, entity: Entity, buckets: Bucket[], selected: string): string {
    const days = { weekly_active: 7, monthly_active: 30 }[entity.math]
    const places = buckets.map(({ lo, hi }, i) => `(${i}, ${days ? hi - days * DAY : lo}, ${hi})`)
    const { type, values } = ask.properties
    const fulfils = [
      ...entity.properties.map(conditionOf),
      values.length > 0 ? `(${values.map(conditionOf).join(` ${type} `)})` : 'true'
    ]
      .map((condition) => `coalesce(${condition}, false)`)
      .join(' and ')
    const isOfKind = entity.id === null ? 'true' : `name = ${quote(entity.id)}`
    const firstOf = (condition: string) =>
      `(from ev where ${condition} qualify row_number() over (partition by actor order by ms, uuid) = 1)`
    const sources: Record<string, string> = {
      first_time_for_user: firstOf(isOfKind),
      first_matching_event_for_user: firstOf(`${isOfKind} and ${fulfils}`)
    }
    return `
      select i, ${selected}
      from (values ${places.join(', ')}) as b(i, lo, hi) join ${sources[entity.math] ?? 'ev'} as e on t >= lo and t < hi
      where ${isOfKind} and ${fulfils}`
  }

  #of(): World {
    if (!this.#world) {
      throw new Error('There is no world.')
    }
    return this.#world
  }
}

const mod = (a: number, b: number) => ((a % b) + b) % b

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

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

const pathOf = (key: string) => quote(`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)

type About = Pick<Filter, 'key' | 'type'>
const columnOf = ({ type }: About) => (type === 'session' ? 'of_session' : type)
const jsonOf = (about: About) => `json_extract(${columnOf(about)}, ${pathOf(about.key)})`
const textOf = (about: About) =>
  `case json_type(${jsonOf(about)}) when 'NULL' then null when 'VARCHAR' then json_extract_string(${columnOf(about)}, ${pathOf(about.key)}) else ${jsonOf(about)}::varchar end`
const numberOf = (about: About) =>
  `case when json_type(${jsonOf(about)}) not in ('BOOLEAN', 'NULL') and regexp_full_match(${textOf(about)}, '-?(0|[1-9][0-9]*)([.][0-9]+)?') then (${textOf(about)})::double end`

/** A bin is told by its place. */
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
      return values.map((value) => `contains(lower(${text}), lower(${quote(value)}))`).join(' or ')
    case 'regex':
      return values.map((value) => `regexp_matches(${text}, ${quote(value)})`).join(' or ')
    case 'between':
      return `${number} >= ${low} and ${number} <= ${high}`
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
      throw new Error(`The oracle does not know ${filter.operator}.`)
  }
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { overviewIn } from './overview-sql.ts'
import { LATER_STEPS, MIDDLE, type QuestionName, WEEKS, WINDOW_DAYS } from './questions.ts'
import { root } from './runtime.ts'
import { VIEW } from './visits.ts'

/** Writes the SQL of a question, for an event and a range of times. */
type Query = (event: string, from: number, until: number) => string

/**
 * Another engine with the same events. A query returns rows of `[day, value, number]`; that of a statement names its columns by
 * `value`, and numbers the rows of `per person`; that of a funnel returns `[step, value, number]`,
 * that of retention `[week, column, number]`, that of a lifecycle `[day, status, number]`, and that of an overview
 * `[day or name, value, number]`.
 */
export type Engine = {
  name: string
  queries: Record<QuestionName, Query>
  ask(sql: string): Promise<[string, string, number][]>
}

/** Engines that run in this process, until they are closed. */
export type Engines = { engines: Engine[]; close(): void }

const DAY = 86_400_000

/** Six days, ms: with the day itself, the window of `weekly active`. */
const SIX_DAYS = 6 * DAY

const WINDOW_MS = WINDOW_DAYS * DAY

/** Returns the first moment of the first week of a table of retention that ends with a range; weeks begin on Sunday. */
function firstWeek(until: number): number {
  const last = new Date(until - 1)
  return Math.floor(last.getTime() / DAY - last.getUTCDay() - 7 * (WEEKS - 1)) * DAY
}

/** Returns the places of a funnel's steps, from 1 on. */
const stepsOf = (event: string): [step: string, place: number][] =>
  [event, ...LATER_STEPS].map((step, i) => [step, i + 1])

/** Opens DuckDB with a row per event, and a second table of the persons behind identities. */
export async function openDuck(file: string): Promise<Engines> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const columns =
    "{event: 'varchar', timestamp: 'bigint', identity: 'bigint', person: 'bigint', session: 'varchar', properties: 'varchar', person_properties: 'varchar'}"
  const lines = `read_json('${file}', format = 'newline_delimited', columns = ${columns})`
  await connection.run(`
    create table events as
    select event, make_timestamp(timestamp * 1000) as timestamp, identity, session, properties, person_properties
    from ${lines} order by event, timestamp`)
  await connection.run(`create table identities as select distinct identity, person from ${lines}`)
  await connection.run(`
    create table persons as
    select person, date_trunc('day', make_timestamp(min(timestamp) * 1000))::date as created from ${lines} group by person`)
  await connection.run(`
    create table sessions as
    select session, min(timestamp) as begun, max(timestamp) as ended, count(*) as pages,
      arg_min(json_extract_string(properties, '$."$referring_domain"'), timestamp) as referrer
    from events where event = '${VIEW}' group by session`)
  const engine: Engine = {
    name: 'DuckDB',
    queries: duckQueries(),
    async ask(sql) {
      const reader = await connection.runAndReadAll(sql)
      return reader.getRowsJson().map(([a, b, n]) => [String(a), String(b), Number(n)])
    }
  }
  return { engines: [engine], close: () => connection.closeSync() }
}

function duckQueries(): Engine['queries'] {
  const at = (time: number) => `make_timestamp(${time * 1000})`
  const where = (event: string, from: number, until: number) =>
    `event = '${event}' and timestamp >= ${at(from)} and timestamp < ${at(until)}`
  const day = `strftime(date_trunc('day', timestamp), '%Y-%m-%d')`
  const hour = `strftime(date_trunc('hour', timestamp), '%Y-%m-%d %H:00:00')`
  const text = (key: string, column = 'properties') =>
    `json_extract_string(${column}, '$."${key}"')`
  const price = `${text('price')}::double`
  const count = 'count(*)::double'
  /** How many steps each person took: the latest first step, then the latest second one that follows it in time. */
  const levels = (event: string, from: number, until: number) => `
    with taken as (
      select person, epoch_ms(timestamp) as t, step, ${text('$browser')} as browser
      from events join identities using (identity)
      join (values ${stepsOf(event).map(([step, place]) => `('${step}', ${place})`)}) as s(event, step) using (event)
      where timestamp >= ${at(from)} and timestamp < ${at(until)}),
    begun as (
      select *, max(case when step = 1 then t end) over so_far as first from taken
      window so_far as (partition by person order by t, step rows unbounded preceding)),
    followed as (
      select *, max(case when step = 2 and t - first <= ${WINDOW_MS} then first end) over so_far as second from begun
      window so_far as (partition by person order by t, step rows unbounded preceding)),
    levels as (
      select arg_min(browser, t) filter (step = 1) as value, max(case
        when step = 3 and t - second <= ${WINDOW_MS} then 3
        when step = 2 and t - first <= ${WINDOW_MS} then 2
        when step = 1 then 1 else 0 end) as level
      from followed group by person)`
  return {
    total: (...range) =>
      `select ${day}, '', ${count} from events where ${where(...range)} group by 1`,
    filter: (...range) =>
      `select ${day}, '', ${count} from events where ${where(...range)} and ${text('plan')} = 'pro' group by 1`,
    sum: (...range) =>
      `select ${day}, '', sum(${price}) from events where ${where(...range)} group by 1`,
    median: (...range) =>
      `select ${day}, '', median(${price}) from events where ${where(...range)} group by 1`,
    breakdown: (...range) =>
      `select ${day}, ${text('$browser')}, ${count} from events where ${where(...range)} group by 1, 2`,
    'two breakdowns': (...range) =>
      `select ${day}, ${text('$browser')} || '::' || ${text('$os')}, ${count} from events where ${where(...range)} group by 1, 2`,
    'person breakdown': (...range) =>
      `select ${day}, ${text('plan', 'person_properties')}, ${count} from events where ${where(...range)} group by 1, 2`,
    dau: (...range) => `select ${day}, '', count(distinct person)::double
      from events join identities using (identity) where ${where(...range)} group by 1`,
    'dau by the hour': (...range) => `select ${hour}, '', count(distinct person)::double
      from events join identities using (identity) where ${where(...range)} group by 1`,
    'weekly active': (
      event,
      from,
      until
    ) => `select strftime(d, '%Y-%m-%d'), '', count(distinct person)::double
      from (select distinct date_trunc('day', timestamp) + to_days(n::integer) as d, person
            from events join identities using (identity) cross join range(7) as r(n)
            where ${where(event, from - SIX_DAYS, until)})
      where d >= ${at(from)} and d < ${at(until)} group by 1`,
    'first time': (event, from, until) => `select ${day}, '', ${count}
      from (select person, min(timestamp) as timestamp from events join identities using (identity)
            where event = '${event}' and timestamp < ${at(until)} group by person)
      where timestamp >= ${at(from)} group by 1`,
    funnel: (event, from, until) =>
      `${levels(event, from, until)} select 'step ' || n, '', ${count} from levels, range(1, 4) as r(n) where level >= n group by n`,
    'funnel with breakdown': (event, from, until) => `${levels(event, from, until)}
      select 'step ' || n, value, ${count} from levels, range(1, 4) as r(n) where level >= n group by n, value`,
    retention: (event, _, until) => `
      with weeks as (
        select distinct person, (timestamp::date - ${at(firstWeek(until))}::date) // 7 as w
        from events join identities using (identity) where ${where(event, firstWeek(until), until)})
      select strftime(${at(firstWeek(until))}::date + (a.w * 7)::integer, '%Y-%m-%d'), (b.w - a.w)::varchar, ${count}
      from weeks a join weeks b on a.person = b.person and b.w >= a.w group by a.w, b.w - a.w`,
    'top list': (...range) => `
      with top as (
        select ${text('$current_url')} as url, ${count} as n, count(distinct person)::double as u
        from events join identities using (identity) where ${where(...range)} group by 1 order by n desc, url limit 20)
      select url, 'n', n from top union all select url, 'u', u from top`,
    totals: (...range) => `
      with found as (
        select ${text('plan')} as plan, ${text('$browser')} as browser, ${text('$os')} as os, ${price} as price, person, timestamp
        from events join identities using (identity) where ${where(...range)}),
      sums as (
        select count_if(plan = 'pro')::double as a, count_if(browser in ('Chrome', 'Edge'))::double as b,
          count_if(price > 1000)::double as c, (count(distinct person) filter (os = 'iOS'))::double as d,
          (count(distinct person) filter (timestamp >= ${at(MIDDLE)}))::double as e
        from found)
      select 'total', name, n from (unpivot sums on a, b, c, d, e into name name value n)`,
    'daily series': (...range) =>
      `select ${day}, ${text('$browser')}, ${count} from events where ${where(...range)} group by 1, 2`,
    'per person': (...range) => `
      select row_number() over (order by n desc), '', n
      from (select person, ${count} as n, min(timestamp), max(timestamp)
            from events join identities using (identity) where ${where(...range)} group by person order by n desc limit 100)`,
    lifecycle: (event, from, until) => `
      with days as (
        select distinct person, timestamp::date as d
        from events join identities using (identity) where ${where(event, from, until)}),
      neighbours as (
        select *, lag(d) over days_of as before, lead(d) over days_of as after from days window days_of as (partition by person order by d))
      select strftime(d, '%Y-%m-%d'), case when d - before = 1 then 'returning' when d = created then 'new' else 'resurrecting' end as status, ${count}
      from neighbours join persons using (person) group by d, status
      union all
      select strftime(d + 1, '%Y-%m-%d'), 'dormant', -${count} from neighbours
      where (after is null or after - d > 1) and d + 1 < ${at(until)}::date group by d`,
    overview: (_, from, until) =>
      overviewIn(
        {
          events: 'events',
          identities: 'identities',
          sessions: 'sessions',
          values: {
            Page: text('$pathname'),
            InitialReferringDomain: 'referrer',
            Country: text('$geoip_country_code'),
            Browser: text('$browser'),
            DeviceType: text('$device_type')
          },
          at,
          day: (timestamp) => `strftime(${timestamp}, '%Y-%m-%d')`,
          ms: (timestamp) => `epoch_ms(${timestamp})`,
          each: (list) => `select unnest(${list}) as name`
        },
        from,
        until
      )
  }
}

type Session = { query(sql: string, format?: string): string; cleanup(): void }

/** A table of ClickHouse, and the expressions that read the asked properties from it. */
type Table = {
  table: string
  plan: string
  price: string
  browser: string
  url: string
  os: string
  page: string
  country: string
  device: string
  personPlan: string
}

/** Properties as text: each question parses them. */
const TEXT: Table = {
  table: 'bench.events',
  plan: "JSONExtractString(properties, 'plan')",
  price: "JSONExtractFloat(properties, 'price')",
  browser: "JSONExtractString(properties, '$browser')",
  url: "JSONExtractString(properties, '$current_url')",
  os: "JSONExtractString(properties, '$os')",
  page: "JSONExtractString(properties, '$pathname')",
  country: "JSONExtractString(properties, '$geoip_country_code')",
  device: "JSONExtractString(properties, '$device_type')",
  personPlan: "JSONExtractString(person_properties, 'plan')"
}

/** The asked properties as columns of their own, parsed when the events were inserted. */
const MATERIALIZED: Table = {
  table: 'bench.materialized',
  plan: 'plan',
  price: 'price',
  browser: 'browser',
  url: 'url',
  os: 'os',
  page: 'page',
  country: 'country',
  device: 'device',
  personPlan: 'person_plan'
}

/**
 * Opens ClickHouse's engine in this process, with the events in two tables. Its package takes half a gigabyte and does not
 * exist for every platform, so it is installed only when it is measured.
 */
export async function openClickHouse(file: string, folder: string): Promise<Engines> {
  const place = join(root, 'bench/node_modules/chdb/index.mjs')
  if (!existsSync(place)) {
    execFileSync('npm', ['install', '--silent'], { cwd: join(root, 'bench'), stdio: 'inherit' })
  }
  const { Session }: { Session: new (path: string) => Session } = await import(place)
  const session = new Session(folder)
  const lines = `file('${file}', 'JSONEachRow',
    'event String, timestamp Int64, identity UInt64, person UInt64, session String, properties String, person_properties String')`
  const columns = `event String, timestamp DateTime64(3, 'UTC'), identity UInt64, session String, properties String, person_properties String`
  for (const sql of [
    'create database bench',
    `create table ${TEXT.table} (${columns}) engine = MergeTree order by (event, timestamp)`,
    `create table ${MATERIALIZED.table} (${columns},
       plan LowCardinality(String) materialized ${TEXT.plan}, price Float64 materialized ${TEXT.price},
       browser LowCardinality(String) materialized ${TEXT.browser}, os LowCardinality(String) materialized ${TEXT.os},
       page LowCardinality(String) materialized ${TEXT.page}, country LowCardinality(String) materialized ${TEXT.country},
       device LowCardinality(String) materialized ${TEXT.device},
       url LowCardinality(String) materialized ${TEXT.url},
       person_plan LowCardinality(String) materialized ${TEXT.personPlan})
     engine = MergeTree order by (event, timestamp)`,
    'create table bench.identities (identity UInt64, person UInt64) engine = MergeTree order by identity',
    `insert into ${TEXT.table}
     select event, fromUnixTimestamp64Milli(timestamp, 'UTC'), identity, session, properties, person_properties from ${lines}`,
    `insert into ${MATERIALIZED.table} select * from ${TEXT.table}`,
    `insert into bench.identities select distinct identity, person from ${lines}`,
    'create table bench.persons (person UInt64, created Date) engine = MergeTree order by person',
    `insert into bench.persons select person, toDate(fromUnixTimestamp64Milli(min(timestamp), 'UTC')) from ${lines} group by person`,
    `create table bench.sessions (session String, begun DateTime64(3, 'UTC'), ended DateTime64(3, 'UTC'), pages UInt32,
       referrer LowCardinality(String)) engine = MergeTree order by session`,
    `insert into bench.sessions
     select session, min(timestamp), max(timestamp), count(), argMin(JSONExtractString(properties, '$referring_domain'), timestamp)
     from ${TEXT.table} where event = '${VIEW}' group by session`,
    `optimize table ${TEXT.table} final`,
    `optimize table ${MATERIALIZED.table} final`
  ]) {
    session.query(sql)
  }
  const engineOf = (name: string, table: Table): Engine => ({
    name,
    queries: clickHouseQueries(table),
    async ask(sql) {
      const rows = session.query(sql, 'JSONCompactEachRow').trim().split('\n')
      return rows.filter(Boolean).map((row) => {
        const [a, b, n]: unknown[] = JSON.parse(row)
        return [String(a), String(b), Number(n)]
      })
    }
  })
  return {
    engines: [engineOf('ClickHouse', TEXT), engineOf('materialized', MATERIALIZED)],
    close: () => session.cleanup()
  }
}

function clickHouseQueries(one: Table): Engine['queries'] {
  const { table } = one
  const at = (time: number) => `fromUnixTimestamp64Milli(toInt64(${time}), 'UTC')`
  const where = (event: string, from: number, until: number) =>
    `event = '${event}' and timestamp >= ${at(from)} and timestamp < ${at(until)}`
  const day = 'toDate(timestamp)'
  const hour = 'toStartOfHour(timestamp)'
  const levels = (event: string, from: number, until: number, more = '') => `
    select windowFunnel(${WINDOW_MS})(toUInt64(toUnixTimestamp64Milli(timestamp)),
      ${stepsOf(event).map(([step]) => `event = '${step}'`)}) as level ${more}
    from ${table} join bench.identities using (identity)
    where event in (${stepsOf(event).map(([step]) => `'${step}'`)}) and timestamp >= ${at(from)} and timestamp < ${at(until)}
    group by person`
  return {
    'top list': (...range) => `
      with top as (
        select ${one.url} as url, count() as n, uniqExact(person) as u
        from ${table} join bench.identities using (identity) where ${where(...range)} group by url order by n desc, url limit 20)
      select url, 'n', n from top union all select url, 'u', u from top`,
    totals: (...range) => `
      select 'total', t.1, t.2 from (
        select arrayJoin([
          ('a', countIf(${one.plan} = 'pro')), ('b', countIf(${one.browser} in ('Chrome', 'Edge'))),
          ('c', countIf(${one.price} > 1000)), ('d', uniqExactIf(person, ${one.os} = 'iOS')),
          ('e', uniqExactIf(person, timestamp >= ${at(MIDDLE)}))]) as t
        from ${table} join bench.identities using (identity) where ${where(...range)})`,
    'daily series': (...range) =>
      `select ${day} as d, ${one.browser} as b, count() from ${table} where ${where(...range)} group by d, b`,
    'per person': (...range) => `
      select rowNumberInAllBlocks() + 1, '', n
      from (select person, count() as n, min(timestamp), max(timestamp)
            from ${table} join bench.identities using (identity) where ${where(...range)} group by person order by n desc limit 100)`,
    total: (...range) =>
      `select ${day} as d, '', count() from ${table} where ${where(...range)} group by d`,
    filter: (...range) =>
      `select ${day} as d, '', count() from ${table} where ${where(...range)} and ${one.plan} = 'pro' group by d`,
    sum: (...range) =>
      `select ${day} as d, '', sum(${one.price}) from ${table} where ${where(...range)} group by d`,
    median: (...range) =>
      `select ${day} as d, '', quantileExactInclusive(0.5)(${one.price}) from ${table} where ${where(...range)} group by d`,
    breakdown: (...range) =>
      `select ${day} as d, ${one.browser} as b, count() from ${table} where ${where(...range)} group by d, b`,
    'two breakdowns': (...range) =>
      `select d, concat(b, '::', o), n from (
         select ${day} as d, ${one.browser} as b, ${one.os} as o, count() as n from ${table} where ${where(...range)} group by d, b, o)`,
    'person breakdown': (...range) =>
      `select ${day} as d, ${one.personPlan} as b, count() from ${table} where ${where(...range)} group by d, b`,
    dau: (...range) => `select ${day} as d, '', uniqExact(person)
      from ${table} join bench.identities using (identity) where ${where(...range)} group by d`,
    'dau by the hour': (...range) => `select ${hour} as h, '', uniqExact(person)
      from ${table} join bench.identities using (identity) where ${where(...range)} group by h`,
    'weekly active': (event, from, until) => `select day as d, '', uniqExact(person)
      from (select arrayJoin(arrayMap(n -> toDate(timestamp) + n, range(7))) as day, person
            from ${table} join bench.identities using (identity) where ${where(event, from - SIX_DAYS, until)})
      where day >= toDate(${at(from)}) and day < toDate(${at(until)}) group by day`,
    'first time': (event, from, until) => `select toDate(first) as d, '', count()
      from (select person, min(timestamp) as first from ${table} join bench.identities using (identity)
            where event = '${event}' and timestamp < ${at(until)} group by person)
      where first >= ${at(from)} group by d`,
    funnel: (event, from, until) => `
      select concat('step ', toString(n)), '', count() from (${levels(event, from, until)})
      array join [1, 2, 3] as n where level >= n group by n`,
    'funnel with breakdown': (event, from, until) => `
      select concat('step ', toString(n)), value, count()
      from (${levels(event, from, until, `, argMinIf(${one.browser}, timestamp, event = '${event}') as value`)})
      array join [1, 2, 3] as n where level >= n group by n, value`,
    retention: (event, _, until) => `
      select toString(week), toString(intDiv(later - week, 7)), count() from (
        select week, arrayJoin(arrayFilter(w -> w >= week, weeks)) as later from (
          select weeks, arrayJoin(weeks) as week from (
            select groupUniqArray(toStartOfWeek(timestamp)) as weeks from ${table} join bench.identities using (identity)
            where ${where(event, firstWeek(until), until)} group by person)))
      group by week, later`,
    lifecycle: (event, from, until) => `
      select toString(seen.1), seen.2, if(seen.2 = 'dormant', -1, 1) * toInt64(count()) from (
        select arrayJoin(arrayConcat(
          arrayMap(d -> (d, multiIf(has(days, d - 1), 'returning', d = created, 'new', 'resurrecting')), days),
          arrayMap(d -> (d + 1, 'dormant'), arrayFilter(d -> not has(days, d + 1), days)))) as seen
        from (select person, groupUniqArray(toDate(timestamp)) as days from ${table} join bench.identities using (identity)
              where ${where(event, from, until)} group by person) as active join bench.persons using (person))
      where seen.1 < toDate(${at(until)}) group by seen`,
    overview: (_, from, until) =>
      overviewIn(
        {
          events: table,
          identities: 'bench.identities',
          sessions: 'bench.sessions',
          values: {
            Page: one.page,
            InitialReferringDomain: 'referrer',
            Country: one.country,
            Browser: one.browser,
            DeviceType: one.device
          },
          at,
          day: (timestamp) => `toString(toDate(${timestamp}))`,
          ms: (timestamp) => `toUnixTimestamp64Milli(${timestamp})`,
          each: (list) => `select arrayJoin(${list}) as name`
        },
        from,
        until
      )
  }
}

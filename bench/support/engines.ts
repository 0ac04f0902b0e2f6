import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { root } from './runtime.ts'

/** Another engine with the same events. A query returns rows of `[day, value, number]`. */
export type Engine = {
  name: string
  /** SQL per kind of question, for an event and a range of times. */
  queries: Record<string, (event: string, from: number, until: number) => string>
  ask(sql: string): Promise<[string, string, number][]>
  close(): Promise<void>
}

/** Opens DuckDB with a row per event, and a second table of the persons behind identities. */
export async function openDuck(file: string): Promise<Engine> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`
    create table events as select event, make_timestamp(timestamp * 1000) as timestamp, identity, properties
    from read_json('${file}', format = 'newline_delimited', columns = {event: 'varchar', timestamp: 'bigint', identity: 'bigint', person: 'bigint', properties: 'varchar'})
    order by event, timestamp`)
  await connection.run(`
    create table identities as select distinct identity, person
    from read_json('${file}', format = 'newline_delimited', columns = {event: 'varchar', timestamp: 'bigint', identity: 'bigint', person: 'bigint', properties: 'varchar'})`)
  const where = (event: string, from: number, until: number) =>
    `event = '${event}' and timestamp >= make_timestamp(${from * 1000}) and timestamp < make_timestamp(${until * 1000})`
  const day = `strftime(date_trunc('day', timestamp), '%Y-%m-%d')`
  const text = (key: string) => `json_extract_string(properties, '$."${key}"')`
  return {
    name: 'DuckDB',
    queries: {
      total: (...range) =>
        `select ${day}, '', count(*)::double from events where ${where(...range)} group by 1`,
      filter: (...range) =>
        `select ${day}, '', count(*)::double from events where ${where(...range)} and ${text('plan')} = 'pro' group by 1`,
      sum: (...range) =>
        `select ${day}, '', sum(${text('price')}::double) from events where ${where(...range)} group by 1`,
      breakdown: (...range) =>
        `select ${day}, ${text('$browser')}, count(*)::double from events where ${where(...range)} group by 1, 2`,
      dau: (...range) => `select ${day}, '', count(distinct person)::double
        from events join identities using (identity) where ${where(...range)} group by 1`,
      'weekly active': (
        event,
        from,
        until
      ) => `select strftime(d, '%Y-%m-%d'), '', count(distinct person)::double
        from (select distinct date_trunc('day', timestamp) + to_days(n::integer) as d, person
              from events join identities using (identity) cross join range(7) as r(n)
              where ${where(event, from - 6 * 86_400_000, until)})
        where d >= make_timestamp(${from * 1000}) and d < make_timestamp(${until * 1000}) group by 1`
    },
    async ask(sql) {
      const reader = await connection.runAndReadAll(sql)
      return reader.getRowsJson().map(([a, b, n]) => [String(a), String(b), Number(n)])
    },
    async close() {
      connection.closeSync()
    }
  }
}

type Session = { query(sql: string, format?: string): string; cleanup(): void }

/**
 * Opens ClickHouse's engine in this process. The package has half a gigabyte and does not exist for every platform, so it
 * is installed only when measured.
 */
export async function openClickHouse(file: string, folder: string): Promise<Engine> {
  const place = join(root, 'bench/node_modules/chdb/index.mjs')
  if (!existsSync(place)) {
    execFileSync('npm', ['install', '--silent'], { cwd: join(root, 'bench'), stdio: 'inherit' })
  }
  const { Session }: { Session: new (path: string) => Session } = await import(place)
  const session = new Session(folder)
  const columns = 'event String, timestamp Int64, identity UInt64, person UInt64, properties String'
  for (const sql of [
    'create database bench',
    `create table bench.events (event String, timestamp DateTime64(3, 'UTC'), identity UInt64, properties String)
     engine = MergeTree order by (event, timestamp)`,
    'create table bench.identities (identity UInt64, person UInt64) engine = MergeTree order by identity',
    `insert into bench.events select event, fromUnixTimestamp64Milli(timestamp, 'UTC'), identity, properties
     from file('${file}', 'JSONEachRow', '${columns}')`,
    `insert into bench.identities select distinct identity, person from file('${file}', 'JSONEachRow', '${columns}')`,
    'optimize table bench.events final'
  ]) {
    session.query(sql)
  }
  const at = (time: number) => `fromUnixTimestamp64Milli(toInt64(${time}), 'UTC')`
  const where = (event: string, from: number, until: number) =>
    `event = '${event}' and timestamp >= ${at(from)} and timestamp < ${at(until)}`
  const day = 'toString(toDate(timestamp))'
  return {
    name: 'ClickHouse',
    queries: {
      total: (...range) =>
        `select ${day} as d, '', count() from bench.events where ${where(...range)} group by d`,
      filter: (...range) =>
        `select ${day} as d, '', count() from bench.events where ${where(...range)} and JSONExtractString(properties, 'plan') = 'pro' group by d`,
      sum: (...range) =>
        `select ${day} as d, '', sum(JSONExtractFloat(properties, 'price')) from bench.events where ${where(...range)} group by d`,
      breakdown: (...range) =>
        `select ${day} as d, JSONExtractString(properties, '$browser') as b, count() from bench.events where ${where(...range)} group by d, b`,
      dau: (...range) => `select ${day} as d, '', uniqExact(person)
        from bench.events join bench.identities using (identity) where ${where(...range)} group by d`,
      'weekly active': (event, from, until) => `select toString(day) as d, '', uniqExact(person)
        from (select arrayJoin(arrayMap(n -> toDate(timestamp) + n, range(7))) as day, person
              from bench.events join bench.identities using (identity) where ${where(event, from - 6 * 86_400_000, until)})
        where day >= toDate(${at(from)}) and day < toDate(${at(until)}) group by day`
    },
    async ask(sql) {
      const lines = session.query(sql, 'JSONCompactEachRow').trim().split('\n')
      return lines.filter(Boolean).map((line) => {
        const [a, b, n]: unknown[] = JSON.parse(line)
        return [String(a), String(b), Number(n)]
      })
    },
    async close() {
      session.cleanup()
    }
  }
}

import { LISTED_EVENTS, TABLE_ROWS, TABLES } from './questions.ts'
import { VIEW } from './visits.ts'

/** The tables of an engine, and how it writes what engines write differently. */
type Dialect = {
  events: string
  identities: string
  sessions: string
  /** The value of a view by which each table is grouped. */
  values: Record<(typeof TABLES)[number], string>
  at: (time: number) => string
  /** The day of a timestamp, as text. */
  day: (timestamp: string) => string
  /** A timestamp in ms. */
  ms: (timestamp: string) => string
  /** A query of the elements of a list, as `name`. */
  each: (list: string) => string
}

const NUMBERS = ['visitors', 'views', 'sessions', 'session duration', 'bounce rate']

const listOf = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`

/** Returns the SQL of an overview: rows of `[day, key, number]`, `[table and key, value, number]` and `['event', name, number]`. */
export function overviewIn(dialect: Dialect, from: number, until: number): string {
  const { events, identities, sessions, values, at, day, ms, each } = dialect
  const isWithin = (column: string) => `${column} >= ${at(from)} and ${column} < ${at(until)}`
  const views = `from ${events} join ${identities} using (identity) join ${sessions} using (session)
    where event = '${VIEW}' and ${isWithin('timestamp')} and ${isWithin('begun')}`
  const length = `(${ms('ended')} - ${ms('begun')})`
  const numbers = (key: string) => `
    select k, name, case name when 'visitors' then visitors when 'views' then viewed when 'sessions' then visits
                    when 'session duration' then seconds / visits else 100 * bounces / visits end
    from (select k, cast(count(distinct visitor) as double) as visitors, cast(sum(viewed_then) as double) as viewed,
                 cast(count(*) as double) as visits, cast(sum(lasted) as double) as seconds, cast(sum(bounced) as double) as bounces
          from (select ${key} as k, session, any_value(person) as visitor, count(*) as viewed_then,
                       any_value(floor(${length} / 1000)) as lasted,
                       any_value(case when pages <= 1 and ${length} < 10000 then 1 else 0 end) as bounced
                ${views} group by k, session) as visited group by k) as counted
    cross join (${each(listOf(NUMBERS))}) as names`
  const tables = TABLES.map(
    (table) => `
    select concat('${table} ', name), value, cast(case name when 'visitors' then visitors else viewed end as double)
    from (select ${values[table]} as value, count(distinct person) as visitors, count(*) as viewed ${views}
          group by value order by visitors desc, viewed desc, value limit ${TABLE_ROWS}) as ranked
    cross join (${each(listOf(['visitors', 'views']))}) as names`
  )
  const frequent = `
    select 'event', event, cast(happened as double)
    from (select event, count(*) as happened from ${events} where ${isWithin('timestamp')}
          group by event order by happened desc, event limit ${LISTED_EVENTS}) as frequent`
  return [numbers("''"), numbers(day('timestamp')), ...tables, frequent].join(' union all ')
}

import fc from 'fast-check'
import { HOUR } from '../../../src/calendar/units.ts'
import { numberOf, quote, textOf } from './duck.ts'
import { NAMES, type World } from './world.ts'

/*
 * Random statements, each in the product's SQL and in DuckDB's. Comparisons are two-valued in the
 * product: `=` of two nulls holds. DuckDB's table `ev` has an event's name, time in ms, actor, session
 * and properties; `pe` has a person's creation, and `se` a session's beginning, in the same columns.
 */

/** What a statement depends on besides the events: the types of properties, and the calendar. */
export type Place = { types: ReadonlyMap<string, string>; world: World }

/** A part of a statement in both dialects. */
type Both = { ours: string; duck: string }

type Part = (place: Place) => Both

const both =
  (ours: string, duck = ours): Part =>
  () => ({ ours, duck })

const joined =
  (parts: readonly Part[], write: (texts: string[], isOurs: boolean) => string): Part =>
  (place) => {
    const written = parts.map((part) => part(place))
    return {
      ours: write(
        written.map(({ ours }) => ours),
        true
      ),
      duck: write(
        written.map(({ duck }) => duck),
        false
      )
    }
  }

/** Writes the product's form and DuckDB's of some parts. */
const form = (
  parts: readonly Part[],
  ours: (...texts: string[]) => string,
  duck: (...texts: string[]) => string
): Part => joined(parts, (texts, isOurs) => (isOurs ? ours : duck)(...texts))

/** Properties, by their names in the product's SQL. */
const PROPERTIES = {
  'properties.color': { key: 'color', type: 'event' },
  'properties.size': { key: 'size', type: 'event' },
  'properties[\'$weird "key"\']': { key: '$weird "key"', type: 'event' },
  'properties.utm_source': { key: 'utm_source', type: 'event' },
  'person.properties.plan': { key: 'plan', type: 'person' },
  'person.properties.rank': { key: 'rank', type: 'person' }
} as const

export const PROPERTY_NAMES = Object.keys(PROPERTIES) as (keyof typeof PROPERTIES)[]

type PropertyName = (typeof PROPERTY_NAMES)[number]

const flagOf = (text: string): string =>
  `case ${text} when 'true' then true when 'false' then false end`

const typeOf = ({ types }: Place, name: PropertyName): string => types.get(name) ?? ''

/** A property in its own type. */
const propertyOf =
  (name: PropertyName): Part =>
  (place) => {
    const about = PROPERTIES[name]
    const type = typeOf(place, name)
    const duck = type.includes('Float64') ? numberOf(about) : textOf(about)
    return { ours: name, duck: type.includes('Bool') ? flagOf(textOf(about)) : duck }
  }

const textOfProperty =
  (name: PropertyName): Part =>
  (place) => {
    const isText = typeOf(place, name).includes('String')
    const { ours, duck } = propertyOf(name)(place)
    // Numbers and flags are printed differently: only whether there is one is compared.
    return isText
      ? { ours, duck }
      : {
          ours: `if(${ours} IS NULL, NULL, 'some')`,
          duck: `case when (${duck}) is not null then 'some' end`
        }
  }

const numberOfProperty =
  (name: PropertyName): Part =>
  (place) => {
    const { duck } = propertyOf(name)(place)
    const isFlag = typeOf(place, name).includes('Bool')
    return {
      ours: `toFloat(${name})`,
      duck: isFlag ? `(${duck})::int::double` : numberOf(PROPERTIES[name])
    }
  }

const property = fc.constantFrom(...PROPERTY_NAMES)
const literal = fc.constantFrom(
  'a',
  'b',
  'B',
  'abc',
  '',
  '10',
  'x y',
  '"',
  "it's",
  'free',
  'google'
)
const written = (text: string): Both => ({ ours: quote(text), duck: quote(text) })

/** A property of the session, a text, which an event may lack. */
const sessionText = fc
  .constantFrom('$entry_current_url', '$entry_utm_source', '$end_hostname')
  .map((key) => both(`session.${key}`, textOf({ key, type: 'session' })))

const sessionNumber = fc
  .constantFrom('$session_duration', '$pageview_count')
  .map((key) => both(`toFloat(session.${key})`, numberOf({ key, type: 'session' })))

const isBounce = both('session.$is_bounce', flagOf(textOf({ key: '$is_bounce', type: 'session' })))

/** What a statement may name of a table. */
type Columns = {
  /** Texts as they are. */
  plain: fc.Arbitrary<Part>
  text: fc.Arbitrary<Part>
  number: fc.Arbitrary<Part>
  key: fc.Arbitrary<Part>
  condition: fc.Arbitrary<Part>
}

const text: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: property.map(textOfProperty) },
  { weight: 1, arbitrary: sessionText },
  { weight: 2, arbitrary: fc.constant(both('event', 'name')) },
  { weight: 1, arbitrary: fc.constant(both('$session_id', `coalesce(session, '')`)) },
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (x) => `coalesce(${x}, 'none')`,
      (x) => `coalesce(${x}, 'none')`
    )
  ),
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (x) => `nullIf(lower(${x}), 'b')`,
      (x) => `nullif(lower(${x}), 'b')`
    )
  ),
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (x) => `substring(${x}, 2, 2)`,
      (x) => `substring(${x}, 2, 2)`
    )
  ),
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (x) => `concat(event, '-', ${x})`,
      (x) => `concat(name, '-', ${x})`
    )
  ),
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (x) => `replaceRegexpAll(${x}, '[a-c]+', '<\\\\0>')`,
      (x) => `regexp_replace(${x}, '[a-c]+', '<\\0>', 'g')`
    )
  )
)

const number: fc.Arbitrary<Part> = fc.oneof(
  { weight: 3, arbitrary: property.map(numberOfProperty) },
  { weight: 1, arbitrary: sessionNumber },
  property.map((name) =>
    form(
      [numberOfProperty(name)],
      (x) => `round(${x} * 2 + 0.5)`,
      (x) => `round_even(${x} * 2 + 0.5, 0)`
    )
  ),
  property.map((name) =>
    form(
      [numberOfProperty(name)],
      (x) => `coalesce(abs(${x}) / 4, -1)`,
      (x) => `coalesce(abs(${x}) / 4, -1)`
    )
  ),
  property.map((name) =>
    form(
      [numberOfProperty(name)],
      (x) => `floor(-${x} - 0.25)`,
      (x) => `floor(-${x} - 0.25)`
    )
  ),
  fc.constant(both('toHour(timestamp)', 'hour(clock_of(ms))')),
  fc.constant(both('length($session_id)', `length(coalesce(session, ''))`))
)

const clock = 'clock_of(ms)'
const dateOf = (moment: string): string => `strftime(${moment}, '%Y-%m-%d')`

/** The beginning of the project's week. */
const week: Part = ({ world: { weekStart } }) => ({
  ours: 'toStartOfWeek(timestamp)',
  duck:
    weekStart === 1
      ? dateOf(`date_trunc('week', ${clock})`)
      : dateOf(`date_trunc('week', ${clock} + interval 1 day) - interval 1 day`)
})

const timeKey: fc.Arbitrary<Part> = fc.oneof(
  fc.constant(both('toDate(timestamp)', dateOf(clock))),
  fc.constant(week),
  fc.constant(both('toMonday(timestamp)', dateOf(`date_trunc('week', ${clock})`))),
  fc.constant(both('toStartOfMonth(timestamp)', dateOf(`date_trunc('month', ${clock})`))),
  fc.constant(both('toDayOfWeek(timestamp)', `isodow(${clock})`)),
  fc.constant(both('toHour(timestamp)', `hour(${clock})`)),
  fc.constant(both('toISOWeek(timestamp)', `weekofyear(${clock})`)),
  fc.constant(
    both("formatDateTime(timestamp, '%Y/%m/%d %H:%i')", `strftime(${clock}, '%Y/%m/%d %H:%M')`)
  ),
  fc
    .constant(
      both(
        'toStartOfInterval(timestamp, INTERVAL 3 DAY)',
        dateOf(`make_timestamp((epoch_ms(${clock}) // 259200000 * 259200000) * 1000)`)
      )
    )
    .map(
      (part): Part =>
        (place) => {
          const { ours, duck } = part(place)
          return { ours: `toDate(${ours})`, duck }
        }
    ),
  fc.constant(
    both("toDate(toTimeZone(timestamp, 'UTC'))", dateOf('make_timestamp(ms::bigint * 1000)'))
  )
)

const key: fc.Arbitrary<Part> = fc.oneof(
  { weight: 2, arbitrary: text },
  { weight: 2, arbitrary: timeKey },
  { weight: 1, arbitrary: number },
  { weight: 1, arbitrary: property.map(propertyOf) },
  { weight: 1, arbitrary: fc.constant(isBounce) }
)

const isNamed = fc
  .constantFrom(...NAMES)
  .map((name) => both(`event = ${quote(name)}`, `name = ${quote(name)}`))

/** Comparisons with constants, which hold or not. */
const comparisonsOf = ({
  text,
  number,
  key
}: Pick<Columns, 'text' | 'number' | 'key'>): fc.Arbitrary<Part>[] => [
  fc.tuple(text, literal).map(([x, value]) => {
    const { ours } = written(value)
    return form(
      [x],
      (one) => `${one} = ${ours}`,
      (one) => `${one} is not distinct from ${ours}`
    )
  }),
  fc.tuple(text, literal).map(([x, value]) => {
    const { ours } = written(value)
    return form(
      [x],
      (one) => `${one} != ${ours}`,
      (one) => `${one} is distinct from ${ours}`
    )
  }),
  fc
    .tuple(text, fc.array(literal, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([x, values, isIn]) => {
      const list = values.map(quote).join(', ')
      return form(
        [x],
        (one) => `${one} ${isIn ? 'IN' : 'NOT IN'} (${list})`,
        (one) => `coalesce(${one} ${isIn ? 'in' : 'not in'} (${list}), ${!isIn})`
      )
    }),
  fc
    .tuple(text, fc.constantFrom('a%', '%b%', '_', '%', 'A__'), fc.boolean())
    .map(([x, pattern, isLike]) =>
      form(
        [x],
        (one) => `${one} ${isLike ? 'LIKE' : 'NOT LIKE'} '${pattern}'`,
        (one) => `coalesce(${one} ${isLike ? 'like' : 'not like'} '${pattern}', ${!isLike})`
      )
    ),
  text.map((x) =>
    form(
      [x],
      (one) => `startsWith(${one}, 'a')`,
      (one) => `starts_with(${one}, 'a')`
    )
  ),
  text.map((x) =>
    form(
      [x],
      (one) => `match(${one}, '^[a-c]+$')`,
      (one) => `coalesce(regexp_matches(${one}, '^[a-c]+$'), false)`
    )
  ),
  fc.tuple(key, fc.boolean()).map(([x, isNull]) => {
    const word = isNull ? 'IS NULL' : 'IS NOT NULL'
    return form(
      [x],
      (one) => `${one} ${word}`,
      (one) => `(${one}) ${word}`
    )
  }),
  fc
    .tuple(number, fc.constantFrom('<', '<=', '>', '>='), fc.integer({ min: -3, max: 10 }))
    .map(([x, operator, value]) =>
      form(
        [x],
        (one) => `${one} ${operator} ${value}`,
        (one) => `coalesce(${one} ${operator} ${value}, false)`
      )
    ),
  fc
    .tuple(number, fc.integer({ min: -3, max: 3 }), fc.integer({ min: 1, max: 9 }), fc.boolean())
    .map(([x, low, high, isInside]) =>
      form(
        [x],
        (one) => `${one} ${isInside ? '' : 'NOT '}BETWEEN ${low} AND ${high}`,
        (one) => `coalesce(${one} ${isInside ? '' : 'not '}between ${low} and ${high}, false)`
      )
    )
]

const time: fc.Arbitrary<Part> = fc.oneof(
  fc.integer({ min: 1, max: 500 }).map(
    (hours): Part =>
      ({ world: { now } }) => ({
        ours: `timestamp > now() - INTERVAL ${hours} HOUR`,
        duck: `ms > ${now - hours * HOUR}`
      })
  ),
  fc.tuple(fc.constantFrom('>=', '<', '='), fc.integer({ min: 0, max: 20 })).map(
    ([operator, days]): Part =>
      ({ world: { now } }) => ({
        ours: `toDate(timestamp) ${operator} today() - ${days}`,
        duck: `${clock}::date ${operator} clock_of(${now})::date - ${days}`
      })
  )
)

/** Comparisons of a table, and what AND, OR and NOT make of them. */
const conditionOf = (comparisons: readonly fc.Arbitrary<Part>[]): fc.Arbitrary<Part> =>
  fc.letrec<{ any: Part }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 2 },
      { weight: 4, arbitrary: fc.oneof(...comparisons) },
      { weight: 2, arbitrary: time },
      {
        weight: 2,
        arbitrary: fc
          .tuple(tie('any'), fc.constantFrom('AND', 'OR'), tie('any'))
          .map(([a, word, b]) => joined([a, b], ([x, y]) => `(${x} ${word} ${y})`))
      },
      { weight: 1, arbitrary: tie('any').map((a) => joined([a], ([x]) => `NOT (${x})`)) }
    )
  })).any

const order = (x: string): string => `row(ms, ${x})`

const aggregateOf = ({ plain, text, number, key, condition }: Columns): fc.Arbitrary<Part> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(both('count()', 'count(*)')) },
    { weight: 2, arbitrary: fc.constant(both('uniq(person_id)', 'count(distinct actor)')) },
    key.map((x) =>
      form(
        [x],
        (one) => `count(${one})`,
        (one) => `count(${one})`
      )
    ),
    key.map((x) =>
      form(
        [x],
        (one) => `count(DISTINCT ${one})`,
        (one) => `count(distinct ${one})`
      )
    ),
    fc.tuple(text, text).map(([x, y]) =>
      form(
        [x, y],
        (a, b) => `uniq(${a}, ${b})`,
        (a, b) => `count(distinct (${a}, ${b})) filter ((${a}) is not null and (${b}) is not null)`
      )
    ),
    condition.map((c) =>
      form(
        [c],
        (one) => `countIf(${one})`,
        (one) => `count(*) filter (${one})`
      )
    ),
    condition.map((c) =>
      form(
        [c],
        (one) => `uniqIf(person_id, ${one})`,
        (one) => `count(distinct actor) filter (${one})`
      )
    ),
    fc.tuple(number, condition).map(([x, c]) =>
      form(
        [x, c],
        (one, when) => `sumIf(toFloat(${one}), ${when})`,
        (one, when) => `sum(${one}) filter (${when})`
      )
    ),
    fc
      .tuple(
        number,
        fc.constantFrom<[string, string]>(
          ['sum', 'sum'],
          ['avg', 'avg'],
          ['min', 'min'],
          ['max', 'max'],
          ['median', 'median'],
          ['stddevPop', 'stddev_pop'],
          ['varSamp', 'var_samp']
        )
      )
      .map(([x, [ours, duck]]) =>
        form(
          [x],
          (one) => `${ours}(toFloat(${one}))`,
          (one) => `${duck}((${one})::double)`
        )
      ),
    fc.tuple(number, fc.constantFrom(0, 0.25, 0.9, 1)).map(([x, level]) =>
      form(
        [x],
        (one) => `quantile(${level})(${one})`,
        (one) => `quantile_cont((${one})::double, ${level})`
      )
    ),
    plain.map((x) =>
      form(
        [x],
        (one) => `argMin(${one}, timestamp)`,
        (one) => `arg_min(${one}, ${order(one)}) filter ((${one}) is not null)`
      )
    ),
    plain.map((x) =>
      form(
        [x],
        (one) => `anyLast(${one})`,
        (one) => `arg_min(${one}, row(-ms, ${one})) filter ((${one}) is not null)`
      )
    ),
    plain.map((x) =>
      form(
        [x],
        (one) => `groupUniqArray(${one})`,
        (one) =>
          `coalesce(list_sort(list_distinct(list(${one}) filter ((${one}) is not null))), [])`
      )
    ),
    plain.map((x) =>
      form(
        [x],
        (one) => `groupArray(${one})`,
        (one) => `coalesce(list(${one} order by ms, ${one}) filter ((${one}) is not null), [])`
      )
    ),
    fc.constant(both('toUnixTimestamp(max(timestamp))', 'coalesce(floor(max(ms) / 1000), 0)'))
  )

const list = (parts: readonly Part[]): Part => joined(parts, (texts) => texts.join(', '))

const where = (c: Part | undefined): Part =>
  c ? joined([c], ([text]) => ` WHERE ${text}`) : both('')

const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })

/** The places of columns, each ordered upwards, with nulls last. */
const places = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `${from + i}`).join(', ')

const nullsLast = (columns: string): string =>
  columns
    .split(', ')
    .map((column) => `${column} nulls last`)
    .join(', ')

const cuts = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  offset: fc.integer({ min: 0, max: 3 })
})

/** A top list, or a series in time: groups, some aggregates, and an order. */
const groupsOf = (columns: Columns) =>
  fc
    .record({
      keys: fc.array(columns.key, { minLength: 1, maxLength: 2 }),
      aggregates: fc.array(aggregateOf(columns), { minLength: 1, maxLength: 3 }),
      c: optional(columns.condition),
      least: optional(fc.integer({ min: 0, max: 4 })),
      cut: optional(cuts)
    })
    .map(({ keys, aggregates, c, least, cut }) => {
      const having = least === undefined ? '' : ` HAVING count(*) > ${least}`
      const named = places(2, keys.length)
      const end = cut ? ` LIMIT ${cut.limit} OFFSET ${cut.offset}` : ''
      return joined([list(keys), list(aggregates), where(c)], ([by, measures, when], isOurs) =>
        isOurs
          ? `SELECT count(), ${by}, ${measures} FROM events${when} GROUP BY ${named}${having} ORDER BY 1 DESC, ${named}${end || ' LIMIT 1000'}`
          : `select count(*), ${by}, ${measures} from ev${when} group by ${named}${having} order by 1 desc, ${nullsLast(named)}${end}`
      )
    })

const totalsOf = (columns: Columns) =>
  fc
    .record({
      aggregates: fc.array(aggregateOf(columns), { minLength: 1, maxLength: 5 }),
      c: optional(columns.condition)
    })
    .map(({ aggregates, c }) =>
      joined([list(aggregates), where(c)], ([measures, when], isOurs) =>
        isOurs ? `SELECT ${measures} FROM events${when}` : `select ${measures} from ev${when}`
      )
    )

const unionOf = ({ condition }: Columns) =>
  fc.tuple(condition, condition).map(([a, b]) =>
    form(
      [where(a), where(b)],
      (x, y) =>
        `SELECT 'a' AS k, count() AS n FROM events${x} UNION ALL SELECT 'b', uniq(person_id) FROM events${y}`,
      (x, y) =>
        `select 'a', count(*) from ev${x} union all select 'b', count(distinct actor) from ev${y}`
    )
  )

const subqueryOf = ({ key, number, condition }: Columns) =>
  fc
    .record({ by: key, x: number, c: optional(condition), least: fc.integer({ min: 0, max: 5 }) })
    .map(({ by, x, c, least }) =>
      form(
        [by, x, where(c)],
        (k, n, when) =>
          `SELECT count(), sum(n), max(total) FROM (SELECT ${k} AS k, count() AS n, sum(toFloat(${n})) AS total FROM events${when} GROUP BY k) WHERE n > ${least}`,
        (k, n, when) =>
          `select count(*), coalesce(sum(n), 0), max(total) from (select ${k} as k, count(*) as n, sum((${n})::double) as total from ev${when} group by 1) where n > ${least}`
      )
    )

const rowsOf = ({ key, condition }: Columns) =>
  fc
    .record({
      keys: fc.array(key, { minLength: 1, maxLength: 3 }),
      c: optional(condition),
      isDistinct: fc.boolean(),
      cut: cuts
    })
    .map(({ keys, c, isDistinct, cut }) => {
      const columns = places(1, keys.length)
      const distinct = isDistinct ? 'DISTINCT ' : ''
      const end = ` LIMIT ${cut.limit} OFFSET ${cut.offset}`
      return joined([list(keys), where(c)], ([by, when], isOurs) =>
        isOurs
          ? `SELECT ${distinct}${by} FROM events${when} ORDER BY ${columns}${end}`
          : `select ${distinct}${by} from ev${when} order by ${nullsLast(columns)}${end}`
      )
    })

const statementOf = (columns: Columns): fc.Arbitrary<Part> =>
  fc.oneof(
    { weight: 4, arbitrary: groupsOf(columns) },
    { weight: 3, arbitrary: totalsOf(columns) },
    { weight: 2, arbitrary: rowsOf(columns) },
    { weight: 1, arbitrary: subqueryOf(columns) },
    { weight: 1, arbitrary: unionOf(columns) }
  )

const EVENTS: Columns = {
  plain: property.map(textOfProperty),
  text,
  number,
  key,
  condition: conditionOf([isNamed, ...comparisonsOf({ text, number, key })])
}

/** Writes parts about events as parts about another table, whose columns have other names. */
const inTable =
  (table: 'persons' | 'sessions') =>
  (part: Part): Part =>
  (place) => {
    const { ours, duck } = part(place)
    const names = {
      persons: { timestamp: 'created_at', person_id: 'id', 'person.properties': 'properties' },
      sessions: { timestamp: '$start_timestamp', person_id: 'session_id', 'session.': '' }
    }
    const written = Object.entries(names[table]).reduce(
      (sum, [name, other]) => sum.replaceAll(name, () => other),
      ours
    )
    return {
      ours: written.replaceAll('FROM events', `FROM ${table}`),
      duck: duck.replaceAll('from ev', `from ${table.slice(0, 2)}`)
    }
  }

const columnsOf = (plain: Columns['plain'], number: Columns['number'], flag: Part): Columns => {
  const key = fc.oneof(plain, timeKey, number, fc.constant(flag))
  const condition = conditionOf(comparisonsOf({ text: plain, number, key }))
  return { plain, text: plain, number, key, condition }
}

const personProperty = fc.constantFrom(
  'person.properties.plan' as const,
  'person.properties.rank' as const
)

const PERSONS = columnsOf(
  personProperty.map(textOfProperty),
  personProperty.map(numberOfProperty),
  both('is_identified', 'identified')
)

const SESSIONS = columnsOf(sessionText, sessionNumber, isBounce)

/** Events of the members of a subquery about any table. */
const members = fc
  .record({
    own: EVENTS.condition,
    isIn: fc.boolean(),
    other: fc.oneof(
      EVENTS.condition.map((part) => ({ part, ids: ['person_id', 'events', 'actor', 'ev'] })),
      PERSONS.condition.map((part) => ({
        part: inTable('persons')(part),
        ids: ['id', 'persons', 'actor', 'pe']
      })),
      SESSIONS.condition.map((part) => ({
        part: inTable('sessions')(part),
        ids: ['session_id', 'sessions', 'session', 'se']
      }))
    )
  })
  .map(({ own, isIn, other: { part, ids } }) => {
    const [column, table, actor, duck] = ids
    const [mine, his] = table === 'sessions' ? ['$session_id', 'session'] : ['person_id', 'actor']
    return form(
      [own, part],
      (a, b) =>
        `SELECT event, count() FROM events WHERE ${mine} ${isIn ? 'IN' : 'NOT IN'} (SELECT ${column} FROM ${table} WHERE ${b}) AND ${a} GROUP BY event ORDER BY event`,
      (a, b) =>
        `select name, count(*) from ev where coalesce(${his} ${isIn ? 'in' : 'not in'} (select ${actor} from ${duck} where ${b}), ${!isIn}) and ${a} group by 1 order by 1`
    )
  })

/** A random statement in both dialects. */
export const statement: fc.Arbitrary<Part> = fc.oneof(
  { weight: 6, arbitrary: statementOf(EVENTS) },
  { weight: 1, arbitrary: members },
  { weight: 2, arbitrary: statementOf(PERSONS).map(inTable('persons')) },
  { weight: 2, arbitrary: statementOf(SESSIONS).map(inTable('sessions')) }
)

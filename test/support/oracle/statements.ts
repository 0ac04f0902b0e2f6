import fc from 'fast-check'
import { HOUR } from '../../../src/calendar/units.ts'
import { numberOf, quote, textOf } from './duck.ts'
import { NAMES, type World } from './world.ts'

/*
 * Random statements, each in the product's SQL and in DuckDB's. Comparisons are two-valued in the
 * product: `=` of two nulls holds. DuckDB's table `ev` has an event's name, time in ms, actor, session
 * and properties.
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

const text: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: property.map(textOfProperty) },
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
  { weight: 1, arbitrary: property.map(propertyOf) }
)

/** A comparison with a constant, which holds or not. */
const comparison: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => both(`event = ${quote(name)}`, `name = ${quote(name)}`)),
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
)

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

const condition: fc.Arbitrary<Part> = fc.letrec<{ any: Part }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: comparison },
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

const aggregate: fc.Arbitrary<Part> = fc.oneof(
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
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (one) => `argMin(${one}, timestamp)`,
      (one) => `arg_min(${one}, ${order(one)}) filter ((${one}) is not null)`
    )
  ),
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (one) => `anyLast(${one})`,
      (one) => `arg_min(${one}, row(-ms, ${one})) filter ((${one}) is not null)`
    )
  ),
  property.map((name) =>
    form(
      [textOfProperty(name)],
      (one) => `groupUniqArray(${one})`,
      (one) => `coalesce(list_sort(list_distinct(list(${one}) filter ((${one}) is not null))), [])`
    )
  ),
  property.map((name) =>
    form(
      [textOfProperty(name)],
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
const groups = fc
  .record({
    keys: fc.array(key, { minLength: 1, maxLength: 2 }),
    aggregates: fc.array(aggregate, { minLength: 1, maxLength: 3 }),
    c: optional(condition),
    least: optional(fc.integer({ min: 0, max: 4 })),
    cut: optional(cuts)
  })
  .map(({ keys, aggregates, c, least, cut }) => {
    const having = least === undefined ? '' : ` HAVING count(*) > ${least}`
    const columns = places(2, keys.length)
    const end = cut ? ` LIMIT ${cut.limit} OFFSET ${cut.offset}` : ''
    return joined([list(keys), list(aggregates), where(c)], ([by, measures, when], isOurs) =>
      isOurs
        ? `SELECT count(), ${by}, ${measures} FROM events${when} GROUP BY ${columns}${having} ORDER BY 1 DESC, ${columns}${end || ' LIMIT 1000'}`
        : `select count(*), ${by}, ${measures} from ev${when} group by ${columns}${having} order by 1 desc, ${nullsLast(columns)}${end}`
    )
  })

const totals = fc
  .record({
    aggregates: fc.array(aggregate, { minLength: 1, maxLength: 5 }),
    c: optional(condition)
  })
  .map(({ aggregates, c }) =>
    joined([list(aggregates), where(c)], ([measures, when], isOurs) =>
      isOurs ? `SELECT ${measures} FROM events${when}` : `select ${measures} from ev${when}`
    )
  )

const union = fc.tuple(condition, condition).map(([a, b]) =>
  form(
    [where(a), where(b)],
    (x, y) =>
      `SELECT 'a' AS k, count() AS n FROM events${x} UNION ALL SELECT 'b', uniq(person_id) FROM events${y}`,
    (x, y) =>
      `select 'a', count(*) from ev${x} union all select 'b', count(distinct actor) from ev${y}`
  )
)

const subquery = fc
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

const members = fc.tuple(condition, condition, fc.boolean()).map(([own, other, isIn]) =>
  form(
    [own, other],
    (a, b) =>
      `SELECT event, count() FROM events WHERE person_id ${isIn ? 'IN' : 'NOT IN'} (SELECT person_id FROM events WHERE ${b}) AND ${a} GROUP BY event ORDER BY event`,
    (a, b) =>
      `select name, count(*) from ev where actor ${isIn ? 'in' : 'not in'} (select actor from ev where ${b}) and ${a} group by 1 order by 1`
  )
)

const rows = fc
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

/** A random statement in both dialects. */
export const statement: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: groups },
  { weight: 3, arbitrary: totals },
  { weight: 2, arbitrary: rows },
  { weight: 1, arbitrary: subquery },
  { weight: 1, arbitrary: members },
  { weight: 1, arbitrary: union }
)

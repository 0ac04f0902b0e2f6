import { type SQL, sql } from 'drizzle-orm'
import {
  type FilterGroup,
  isGroup,
  isOpposite,
  type Operator,
  type PropertyFilter
} from '../properties/filter.ts'
import type { Matching } from '../properties/matching.ts'
import { isIn } from './rows.ts'

/**
 * The text of a property, from the columns that `aliased` selects: a string itself, null for null,
 * any other value as JSON.
 */
const TEXT = sql`case kind when 'text' then plain when 'null' then null else raw end`

/**
 * The lower-case text. `lower` converts ASCII; the KELVIN SIGN and the dotted İ are the only other
 * letters that JavaScript converts to ASCII.
 */
const LOWER = sql`lower(replace(replace(${TEXT}, char(8490), 'k'), char(304), 'i' || char(775)))`

/** Selects the JSON of a property of each row; null when the property is missing. */
export const jsonOf = (properties: SQL, key: string): SQL => sql`(${properties} -> ${pathTo(key)})`

/** Selects the SQL value of a property of each row. */
export const plainOf = (properties: SQL, key: string): SQL =>
  sql`(${properties} ->> ${pathTo(key)})`

/**
 * Selects the text of a property of each row, as `matcherOf` and every operator see it; null when
 * it is missing or null.
 */
export const textOf = (properties: SQL, key: string): SQL =>
  sql`(select ${TEXT} from (${aliased(properties, key)}))`

/**
 * Selects the distinct texts of `texts`, a query with a column `text`. If they are more than
 * `most.texts` texts or `most.bytes` bytes of UTF-8, ends with the first text that exceeds the
 * limit, so that the caller sees the excess. Bytes are counted in a blob, because `length` counts a
 * text only up to a null character.
 */
export const distinctTexts = (texts: SQL, most: { texts: number; bytes: number }): SQL => sql`
  select text from (
    select text, bytes, sum(bytes) over (rows between unbounded preceding and current row) as total
    from (
      select text, length(cast(text as blob)) as bytes
      from (select distinct text from (${texts}) where text is not null limit ${most.texts + 1})))
  where total - bytes <= ${most.bytes}`

/**
 * Selects a property of each row as a number. The number may be stored as text; infinite numbers
 * and all other values give null. The `limit` makes SQLite look the value up only once.
 */
export const numberOf = (properties: SQL, key: string): SQL => sql`(
  select ${numberOfPlain(sql`plain`, sql`json_type(held, path)`)}
  from (select held ->> path as plain, held, path from (select ${properties} as held, ${pathTo(key)} as path) limit -1))`

/**
 * Like `numberOf`, for a value that `plainOf` selected. SQLite returns true and false as 1 and 0;
 * their kind tells them from numbers. The first `when` only saves time: SQLite sorts numbers before
 * texts, so `1 < x < ''` holds for most numbers.
 */
export const numberOfPlain = (plain: SQL, kind: SQL): SQL => sql`case
  when ${plain} > 1 and ${plain} < '' then ${plain}
  when ${plain} in (0, 1) and ${kind} in ('true', 'false') then null
  when typeof(${plain}) = 'text' then case
    when json_valid(${plain}) and json_type(${plain}) in ('integer', 'real')
    then nullif(nullif(cast(${plain} as real), 9e999), -9e999) end
  else ${plain} end`

/**
 * The number that a filter compares. Unlike `numberOf`, keeps whole numbers in texts exactly, where
 * a double would round them; in a text, a whole number beyond 64 bits gives null.
 */
const comparedOf = (properties: SQL, key: string): SQL => sql`(
  select case
    when typeof(plain) = 'text' and json_valid(plain) and json_type(plain) = 'integer'
    then iif(typeof(plain ->> '$') = 'integer', plain ->> '$', null)
    else ${numberOfPlain(sql`plain`, sql`json_type(held, path)`)} end
  from (select held ->> path as plain, held, path from (select ${properties} as held, ${pathTo(key)} as path) limit -1))`

/** Selects the JSON type of a property of each row. */
export const kindOf = (properties: SQL, key: string): SQL =>
  sql`json_type(${properties}, ${pathTo(key)})`

/**
 * Compiles a group of filters to a condition. `columnOf` returns the JSON column with a filter's
 * property. `matching` holds, for each filter that SQL cannot decide, the texts that fulfil it. A
 * missing property fulfils only the negating operators (see `isOpposite`), and `exact` and `in`
 * with an empty list.
 */
export function compileFilter(
  columnOf: (filter: PropertyFilter) => SQL,
  group: FilterGroup,
  matching: Matching
): SQL {
  const conditions = group.values.map((node) =>
    isGroup(node)
      ? compileFilter(columnOf, node, matching)
      : conditionOf(node, columnOf(node), matching.get(node))
  )
  if (conditions.length === 0) {
    return sql`1`
  }
  return sql`(${sql.join(conditions, group.type === 'OR' ? sql` or ` : sql` and `)})`
}

/**
 * Selects a property's JSON, kind and value. SQLite computes only the columns that are used, and
 * the path takes a single bound value.
 */
const aliased = (properties: SQL, key: string): SQL => sql`
  select held -> path as raw, json_type(held, path) as kind, held ->> path as plain
  from (select ${properties} as held, ${pathTo(key)} as path)`

const pathTo = (key: string): string => `$.${JSON.stringify(key)}`

function conditionOf(
  { key, operator, values }: PropertyFilter,
  properties: SQL,
  matching: string[] | undefined
): SQL {
  const json = jsonOf(properties, key)
  const isMatch = (condition: SQL) => sql`coalesce(${condition}, 0)`
  const isMiss = (condition: SQL) => sql`not coalesce(${condition}, 0)`
  const contains = sql`exists (select 1 from (${aliased(properties, key)}), json_each(${JSON.stringify(values)})
    where instr(${LOWER}, lower(value)) > 0)`

  if (matching) {
    const isMatching = isAnyOf(json, matching)
    return isOpposite(operator) ? isMiss(isMatching) : isMatch(isMatching)
  }
  switch (operator) {
    case 'exact':
    case 'in':
      return values.length === 0 ? sql`1` : isMatch(isAnyOf(json, values))
    case 'is_not':
    case 'not_in':
      return isMiss(isAnyOf(json, values))
    case 'icontains':
    case 'icontains_multi':
      return contains
    case 'not_icontains':
    case 'not_icontains_multi':
      return sql`not ${contains}`
    case 'is_set':
      return isMatch(sql`${json} <> 'null'`)
    case 'is_not_set':
      return isMiss(sql`${json} <> 'null'`)
    default:
      return isMatch(comparison(operator, comparedOf(properties, key), values))
  }
}

/**
 * Compares a number with the lowest of some values, the highest, or both. The condition has a
 * single bound value.
 */
function comparison(operator: Operator, number: SQL, values: readonly string[]): SQL {
  const ordered = values.toSorted((a, b) => Number(a) - Number(b))
  const lowest = sql`cast(${ordered.at(0) ?? null} as real)`
  const highest = sql`cast(${ordered.at(-1) ?? null} as real)`
  const isBetween = sql`(select ${number} between cast(bounds ->> 0 as real) and cast(bounds ->> 1 as real)
    from (select ${JSON.stringify([ordered.at(0), ordered.at(-1)])} as bounds))`
  switch (operator) {
    case 'gt':
      return sql`${number} > ${lowest}`
    case 'gte':
    case 'min':
      return sql`${number} >= ${lowest}`
    case 'lt':
      return sql`${number} < ${highest}`
    case 'lte':
    case 'max':
      return sql`${number} <= ${highest}`
    case 'between':
      return isBetween
    case 'not_between':
      return sql`not ${isBetween}`
    default:
      throw new Error(`The operator ${operator} does not compare numbers in SQL.`)
  }
}

/**
 * Whether a property's JSON has one of these texts. Comparing JSON is quicker than comparing texts.
 * The texts may take more than one bound value.
 */
function isAnyOf(json: SQL, texts: string[]): SQL {
  const jsons = texts.flatMap(jsonsOf)
  if (jsons.length === 1) {
    return sql`${json} = ${jsons[0]}`
  }
  return isIn(json, jsons)
}

/**
 * Returns the JSON of every value with this text: the string, and the number, boolean, list or
 * object that is written like it.
 */
const jsonsOf = (text: string): string[] =>
  mayBeJson(text) ? [JSON.stringify(text), text] : [JSON.stringify(text)]

const mayBeJson = (text: string): boolean => /^([-\d[{]|true$|false$)/.test(text)

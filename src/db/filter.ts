import { type SQL, sql } from 'drizzle-orm'
import { type FilterGroup, isGroup, isOneOf, type PropertyFilter } from '../properties/filter.ts'
import { jsonChunks } from './rows.ts'

/** What `aliased` calls a property: its JSON, what kind of value that is, and the value as SQL has it. */
const RAW = sql`raw`
const TEXT = sql`case kind when 'text' then plain when 'null' then null else raw end`
const NUMBER = sql`case kind when 'integer' then plain when 'real' then plain when 'text' then
  case when json_valid(plain) and json_type(plain) in ('integer', 'real') then cast(plain as real) end end`

/** JavaScript's lower case of the only letters beyond ASCII that it turns into ASCII ones; `lower` does the others. */
const LOWER = sql`lower(replace(replace(${TEXT}, char(8490), 'k'), char(304), 'i' || char(775)))`

/** The JSON of a property of each row; null when it is missing. */
export const jsonOf = (properties: SQL, key: string): SQL => sql`(${properties} -> ${pathTo(key)})`

/** The text of a property of each row, as `matcherOf` and every operator see it; null when it is missing or null. */
export const textOf = (properties: SQL, key: string): SQL => sql`(select ${TEXT} from (${aliased(properties, key)}))`

/** The text of a property whose JSON this is. */
export const textOfJson = (json: SQL): SQL =>
  sql`case json_type(${json}) when 'text' then ${json} ->> '$' when 'null' then null else ${json} end`

/** The number that a property of each row is, also as text; null for all else. */
export const numberOf = (properties: SQL, key: string): SQL =>
  sql`(select ${NUMBER} from (${aliased(properties, key)}))`

/**
 * A condition on columns of JSON: `columnOf` says which holds the property that a filter is about. `matching` holds, for each filter that SQL cannot decide, the texts that fulfil it.
 * Missing properties never fulfil an operator, but always its opposite.
 */
export function compileFilter(
  columnOf: (filter: PropertyFilter) => SQL,
  group: FilterGroup,
  matching: ReadonlyMap<PropertyFilter, string[]>
): SQL {
  const conditions = group.values.map((node) =>
    isGroup(node)
      ? compileFilter(columnOf, node, matching)
      : sql`(select ${conditionOf(node, matching.get(node))} from (${aliased(columnOf(node), node.key)}))`
  )
  if (conditions.length === 0) return sql`1`
  return sql`(${sql.join(conditions, group.type === 'OR' ? sql` or ` : sql` and `)})`
}

/** Only what a condition mentions is computed; the path takes one bound value, however often that is. */
const aliased = (properties: SQL, key: string): SQL => sql`
  select held -> path as raw, json_type(held, path) as kind, held ->> path as plain
  from (select ${properties} as held, ${pathTo(key)} as path)`

const pathTo = (key: string): string => `$.${JSON.stringify(key)}`

function conditionOf({ operator, values }: PropertyFilter, matching: string[] | undefined): SQL {
  const json = sql`json_each(${JSON.stringify(values)})`
  const isMatch = (condition: SQL) => sql`coalesce(${condition}, 0)`
  const isMiss = (condition: SQL) => sql`not coalesce(${condition}, 0)`
  const some = (comparison: SQL) => isMatch(sql`exists (select 1 from ${json} where ${comparison})`)

  if (matching)
    return (isOneOf(['not_regex', 'not_icontains', 'not_icontains_multi'], operator) ? isMiss : isMatch)(
      isAnyOf(matching)
    )
  switch (operator) {
    case 'exact':
    case 'in':
      return values.length === 0 ? sql`1` : isMatch(isAnyOf(values))
    case 'is_not':
    case 'not_in':
      return isMiss(isAnyOf(values))
    case 'icontains':
    case 'icontains_multi':
      return some(sql`instr(${LOWER}, lower(value)) > 0`)
    case 'not_icontains':
    case 'not_icontains_multi':
      return sql`not ${some(sql`instr(${LOWER}, lower(value)) > 0`)}`
    case 'gt':
      return some(sql`${NUMBER} > cast(value as real)`)
    case 'gte':
    case 'min':
      return some(sql`${NUMBER} >= cast(value as real)`)
    case 'lt':
      return some(sql`${NUMBER} < cast(value as real)`)
    case 'lte':
    case 'max':
      return some(sql`${NUMBER} <= cast(value as real)`)
    case 'between':
      return isMatch(sql`${NUMBER} between cast(${values[0]} as real) and cast(${values[1]} as real)`)
    case 'not_between':
      return isMatch(sql`not ${NUMBER} between cast(${values[0]} as real) and cast(${values[1]} as real)`)
    case 'is_set':
      return isMatch(sql`${RAW} <> 'null'`)
    case 'is_not_set':
      return isMiss(sql`${RAW} <> 'null'`)
    default:
      throw new Error(`${operator} is decided by its matcher`)
  }
}

/** Looks at the JSON as it is, which is quicker than at its text. The texts may take more than one bound value. */
function isAnyOf(texts: string[]): SQL {
  const lists = jsonChunks(texts.flatMap(jsonsOf)).map(
    ({ json }) => sql`${RAW} in (select value from json_each(${json}))`
  )
  return lists.length === 0 ? sql`0` : sql`(${sql.join(lists, sql` or `)})`
}

/** The JSON of all values that have this text: itself, and the number, boolean, list or object that is written like that. */
const jsonsOf = (text: string): string[] =>
  text.startsWith('"') || text === 'null' ? [JSON.stringify(text)] : [JSON.stringify(text), text]

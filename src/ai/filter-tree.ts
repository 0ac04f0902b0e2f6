import type { Days } from './days.ts'
import type { FilterJson, GroupJson } from './schemas.ts'

/**
 * A part of a request. Days and distinct ids are allowed only at the top level; `toAnswer` checks
 * this.
 */
export type Tree =
  | FilterJson
  | { days: Days }
  | { distinctId: string }
  | { type: 'AND' | 'OR'; values: Tree[] }

type Operator = FilterJson['operator']

/** Pairs of operators that negate each other. */
const OPPOSITES: [Operator, Operator][] = [
  ['exact', 'is_not'],
  ['icontains', 'not_icontains'],
  ['regex', 'not_regex'],
  ['is_set', 'is_not_set'],
  ['gt', 'lte'],
  ['gte', 'lt'],
  ['between', 'not_between']
]
export const NUMERIC: Operator[] = ['gt', 'gte', 'lt', 'lte', 'between', 'not_between']

/** Whether a filter compares how often something happened in a session: `more than 3 clicks`. */
export const isCount = ({ key, type }: FilterJson): boolean =>
  ['recording', 'session'].includes(type) && key.endsWith('_count')

/** Whether a filter asks for any number of something: `errors`. */
export const isAnyCount = (filter: FilterJson): boolean =>
  isCount(filter) && filter.operator === 'gt' && filter.value[0] === '0'

/** Whether a tree asks whether something happened, no matter how often: `rage clicks`. */
export function isHappening(tree: Tree): boolean {
  if (!('operator' in tree)) {
    return false
  }
  const isAutomatic =
    tree.type === 'event_metadata' &&
    tree.operator === 'exact' &&
    tree.value.every((name) => name.startsWith('$'))
  return isAutomatic || isAnyCount(tree)
}

/** Joins trees into one; groups of the same type are merged. */
export function join(type: 'AND' | 'OR', trees: Tree[]): Tree | undefined {
  if (trees.length < 2) {
    return trees[0]
  }
  return {
    type,
    values: trees.flatMap((tree) => ('values' in tree && tree.type === type ? tree.values : [tree]))
  }
}

/**
 * Whether a tree can be negated by negating its operators. Numeric filters on events, persons and
 * sessions cannot: a missing number is neither greater nor less, and a recording may have events
 * with greater and events with smaller numbers.
 */
export function canNegate(tree: Tree): boolean {
  if ('values' in tree) {
    return tree.values.every(canNegate)
  }
  return !('operator' in tree) || tree.type === 'recording' || !NUMERIC.includes(tree.operator)
}

/** Negates a tree. Wraps days and distinct ids in an OR group, which `toAnswer` refuses. */
export function negate(tree: Tree): Tree {
  if ('values' in tree) {
    return { type: tree.type === 'AND' ? 'OR' : 'AND', values: tree.values.map(negate) }
  }
  return 'operator' in tree
    ? { ...tree, operator: oppositeOf(tree.operator) }
    : { type: 'OR', values: [tree, tree] }
}

function oppositeOf(operator: Operator): Operator {
  const pair = OPPOSITES.find((one) => one.includes(operator))
  const other = pair?.find((one) => one !== operator)
  if (!other) {
    throw new Error(`${operator} has no opposite`)
  }
  return other
}

/** Whether a tree has only filters: no days and no distinct ids. */
export function isNode(tree: Tree): tree is GroupJson | FilterJson {
  return 'operator' in tree || ('values' in tree && tree.values.every(isNode))
}

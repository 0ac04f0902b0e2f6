import type { Json, JsonObject } from '../../src/input/json.ts'

export type Filter = { key: string; value?: Json; operator?: string }
export type Group = { type: 'AND' | 'OR'; values: (Filter | Group)[] }

/** Evaluates a property filter without SQL and without the product's code. A version has three numbers, as `1.20.3` has. */
export function evaluate(node: Filter | Group, properties: JsonObject): boolean {
  if ('values' in node) {
    return evaluateGroup(node, properties)
  }
  const opposite = OPPOSITES[node.operator ?? 'exact']
  if (opposite) {
    return !evaluate({ ...node, operator: opposite }, properties)
  }
  return evaluateFilter(node, properties)
}

function evaluateGroup({ type, values }: Group, properties: JsonObject): boolean {
  if (values.length === 0) {
    return true
  }
  return type === 'OR'
    ? values.some((inner) => evaluate(inner, properties))
    : values.every((inner) => evaluate(inner, properties))
}

/** Evaluates a filter whose operator is not the opposite of another one. */
function evaluateFilter(filter: Filter, properties: JsonObject): boolean {
  const { key, operator = 'exact', value } = filter
  const text = textOf(properties, key)
  const wanted = (Array.isArray(value) ? value : [value]).map(String)
  if (operator === 'is_set') {
    return text !== undefined
  }
  if ((operator === 'exact' || operator === 'in') && wanted.length === 0) {
    return true
  }
  if (text === undefined) {
    return false
  }
  const number = numberIn(text)
  const [low = 0, high = 0] = wanted.map(Number)
  if (operator === 'between') {
    return number >= low && number <= high
  }
  if (operator === 'not_between') {
    return number < low || number > high
  }
  const fulfils = (one: string) => TESTS[operator]?.(text, one, number)
  return operator === 'semver_neq' ? wanted.every(fulfils) : wanted.some(fulfils)
}

/** Returns a string unchanged, other values as JSON, and `undefined` for missing or null. */
function textOf(properties: JsonObject, key: string): string | undefined {
  const stored = Object.hasOwn(properties, key) ? properties[key] : undefined
  if (stored === undefined || stored === null) {
    return undefined
  }
  return typeof stored === 'string' ? stored : JSON.stringify(stored)
}

/** Reads a number only in JSON's notation. */
function numberIn(text: string): number {
  try {
    const value = JSON.parse(text)
    return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN
  } catch {
    return Number.NaN
  }
}

const OPPOSITES: Record<string, string> = {
  is_not: 'exact',
  not_in: 'in',
  not_icontains: 'icontains',
  not_icontains_multi: 'icontains_multi',
  not_regex: 'regex',
  is_not_set: 'is_set'
}

const icontains = (text: string, value: string) => text.toLowerCase().includes(value.toLowerCase())
const dated = (compare: (a: number, b: number) => boolean) => (text: string, value: string) =>
  isDate(text) && compare(Date.parse(text), Date.parse(value))
/** Rejects 30 February, which V8 reads as a day in March. */
const isDate = (text: string) =>
  /^\d{4}-\d\d-\d\d/.test(text) &&
  new Date(text.slice(0, 10)).getUTCDate() === Number(text.slice(8, 10))
const versioned = (compare: (order: number) => boolean) => (text: string, value: string) =>
  /^\d+(\.\d+){2}$/.test(text) && compare(order(text, value))

function order(a: string, b: string): number {
  const [left = [], right = []] = [a, b].map((version) => version.split('.').map(Number))
  const differing = [0, 1, 2, 3].find((i) => (left[i] ?? 0) !== (right[i] ?? 0)) ?? 0
  return (left[differing] ?? 0) - (right[differing] ?? 0)
}

const TESTS: Record<string, (text: string, value: string, number: number) => boolean> = {
  exact: (text, value) => text === value,
  in: (text, value) => text === value,
  icontains,
  icontains_multi: icontains,
  regex: (text, value) => new RegExp(value, 'u').test(text),
  gt: (_, value, number) => number > Number(value),
  gte: (_, value, number) => number >= Number(value),
  min: (_, value, number) => number >= Number(value),
  lt: (_, value, number) => number < Number(value),
  lte: (_, value, number) => number <= Number(value),
  max: (_, value, number) => number <= Number(value),
  is_date_exact: dated((a, b) => a === b),
  is_date_before: dated((a, b) => a < b),
  is_date_after: dated((a, b) => a > b),
  semver_eq: versioned((result) => result === 0),
  semver_neq: versioned((result) => result !== 0),
  semver_gt: versioned((result) => result > 0),
  semver_gte: versioned((result) => result >= 0),
  semver_lt: versioned((result) => result < 0),
  semver_lte: versioned((result) => result <= 0)
}

/** An expression of a statement; `at` is the offset of the word that names it. */
export type Node = { at: number } & (
  | { kind: 'literal'; value: string | number | boolean | null; isText: boolean }
  /** `properties.item.tags[1]`: names, then names and indexes. */
  | { kind: 'path'; steps: Step[] }
  /** A function, an aggregate or an operator, whose name is that of a function: `plus`. */
  | CallNode
  /** `x[1]`, `(1, 'a').2` */
  | { kind: 'element'; of: Node; index: Node }
  | { kind: 'array' | 'tuple'; items: Node[] }
  | { kind: 'interval'; amount: Node; unit: IntervalUnit }
  | { kind: 'subquery'; query: SqlStatement }
  | { kind: 'placeholder'; steps: string[] }
  | { kind: 'star' }
)

/** A name or an index from 1, and its offset. */
export type Step = { name: string | number; at: number }

export type CallNode = {
  kind: 'call'
  at: number
  /** The name as written, or that of an operator's function. */
  name: string
  /** `(0.9)` of `quantile(0.9)(x)`. */
  parameters: Node[] | undefined
  isDistinct: boolean
  args: Node[]
}

export const INTERVAL_UNITS = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year'
] as const
export type IntervalUnit = (typeof INTERVAL_UNITS)[number]

export type Alias = { name: string; at: number }

/** `expr AS name` */
export type Item = { node: Node; alias: Alias | undefined }

export type OrderItem = { node: Node; isDescending: boolean; hasNullsFirst: boolean }

export type TableSource =
  | { kind: 'table'; name: string; at: number; alias: Alias | undefined }
  | { kind: 'query'; query: SqlStatement; at: number; alias: Alias | undefined }

export type Select = {
  at: number
  isDistinct: boolean
  items: Item[]
  from: TableSource | undefined
  where: Node | undefined
  groupBy: Node[]
  having: Node | undefined
  orderBy: OrderItem[]
  limitBy: { count: Node; nodes: Node[] } | undefined
  limit: Node | undefined
  offset: Node | undefined
}

/** One or several SELECTs, joined by UNION ALL. */
export type SqlStatement = { at: number; selects: Select[] }

export const toCall = (at: number, name: string, args: Node[]): CallNode => ({
  kind: 'call',
  at,
  name,
  parameters: undefined,
  isDistinct: false,
  args
})

export const toLiteral = (at: number, value: number | boolean | null): Node => ({
  kind: 'literal',
  at,
  value,
  isText: false
})

import { constantOf, type Expression, makeCall, makeConstant } from './expression.ts'
import { commonTypeOf } from './functions/definition.ts'
import { printNode } from './print.ts'
import { INTERVAL_UNITS, type Node } from './tree.ts'
import {
  arrayOf,
  BOOL,
  FLOAT,
  NULL,
  type SqlValue,
  TEXT,
  tupleOf,
  typeOfInteger,
  ValueFailure
} from './types.ts'

/** Returns the constant that a literal stands for. */
export function toConstant({ at, value, isText }: Node & { kind: 'literal' }): Expression {
  if (value === null) {
    return makeConstant(at, null, NULL)
  }
  if (typeof value === 'boolean') {
    return makeConstant(at, Number(value), { ...BOOL, name: 'UInt8' })
  }
  if (typeof value === 'number') {
    return makeConstant(at, value, Number.isInteger(value) ? typeOfInteger(value) : FLOAT)
  }
  return makeConstant(at, isText ? value : String(value), TEXT)
}

/** `x IN ['a', 'b']`, `x IN {ids}` and `x IN 'a'`: the values of a list, or the only one. */
export function itemsOf(list: Expression): Expression[] {
  const values = constantOf(list)
  const [item] = list.type.items ?? []
  if (!Array.isArray(values) || !item) {
    return [list]
  }
  return values.map((value: SqlValue) =>
    makeConstant(list.at, value, value === null ? NULL : { ...item, isNullable: false })
  )
}

/** Returns the list of some items, which have one type in an array. */
export function listOf(
  node: Node & { kind: 'array' | 'tuple' },
  items: readonly Expression[]
): Expression {
  const label = printNode(node)
  const type =
    node.kind === 'tuple'
      ? tupleOf(items.map((item) => item.type))
      : arrayOf(items.length > 0 ? commonTypeOf('An array', items) : NULL)
  return makeCall(
    node.at,
    {
      name: node.kind,
      args: items,
      type,
      grows: true,
      apply(...values) {
        const own = values.slice(0, items.length)
        return own.find((value) => value instanceof ValueFailure) ?? own
      }
    },
    label
  )
}

type Interval = Node & { kind: 'interval' }

/** `INTERVAL 7 DAY`, `toIntervalDay(7)` */
export function toInterval(node: Node): Interval | undefined {
  if (node.kind === 'interval') {
    return node
  }
  const [, written] = (node.kind === 'call' && /^toInterval(\w+)$/i.exec(node.name)) || []
  const unit = INTERVAL_UNITS.find((one) => one === written?.toLowerCase())
  const [amount] = node.kind === 'call' ? node.args : []
  return unit && amount && { kind: 'interval', at: node.at, amount, unit }
}

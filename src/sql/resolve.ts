import { findAggregate } from './aggregates/table.ts'
import { type Expression, makeCall, makeConstant } from './expression.ts'
import { comparing } from './functions/comparisons.ts'
import {
  expectArity,
  expectCondition,
  type FunctionDefinition,
  type Setting
} from './functions/definition.ts'
import { adding, startOfInterval } from './functions/intervals.ts'
import { findFunction } from './functions/table.ts'
import { itemsOf, listOf, toConstant, toInterval } from './literals.ts'
import { printNode } from './print.ts'
import { resolveAggregate } from './resolve-aggregate.ts'
import { type Schema, toColumn, withText } from './schema.ts'
import { StatementError } from './statement-error.ts'
import type { CallNode, Node, SqlStatement, Step } from './tree.ts'
import { exactTime, FLAG, keyOfValue, type SqlType, type SqlValue, ValueFailure } from './types.ts'
import { unknownField, unknownFunction } from './unknown-names.ts'

/** What resolves the parts of a statement that are not in its expressions. */
export type Surroundings = {
  setting: Setting
  schema: Schema
  /** Returns the expression for a placeholder. @throws StatementError for an unknown one */
  fill: (steps: readonly string[], at: number, resolver: Resolver) => Expression
  /** Plans a subquery of IN. */
  planMembers: (query: SqlStatement) => { type: SqlType; values: () => readonly SqlValue[] }
}

/** Functions that take the numbers of persons and identities as they are. */
const TAKES_NUMBERS = new Set(['isnull', 'isnotnull'])

/**
 * Characters of the expressions for which the names, positions and placeholders of a SELECT stand.
 * Each name of 60 that repeats the one before it doubles them.
 */
const MAX_REPEATED = 1_000_000

/** Resolves the names in the expressions of one SELECT. */
export class Resolver {
  readonly #around: Surroundings
  readonly #aliases = new Map<string, Expression>()
  #repeated = 0

  constructor(around: Surroundings) {
    this.#around = around
  }

  get setting(): Setting {
    return this.#around.setting
  }

  /** Makes a column known by a name, to the expressions after it. */
  name(alias: string, expression: Expression): void {
    this.#aliases.set(alias, expression)
  }

  /** Returns what a word stands for. @throws StatementError if words stand for too much */
  repeat(expression: Expression, at: number): Expression {
    this.#repeated += expression.key.length
    if (this.#repeated > MAX_REPEATED) {
      throw new StatementError(
        at,
        `The names of the statement stand for more than ${MAX_REPEATED} characters: repeat an expression less often, or compute it in a subquery.`
      )
    }
    return expression
  }

  /** Resolves an expression. @throws StatementError */
  resolve(node: Node): Expression {
    switch (node.kind) {
      case 'literal':
        return toConstant(node)
      case 'path':
        return this.#resolvePath(node.steps, node.at)
      case 'call':
        return this.#resolveCall(node)
      case 'element':
        return this.call('arrayElement', [this.resolve(node.of), this.resolve(node.index)], node)
      case 'array':
      case 'tuple':
        return listOf(
          node,
          node.items.map((item) => this.resolve(item))
        )
      case 'placeholder':
        return this.repeat(this.#around.fill(node.steps, node.at, this), node.at)
      case 'interval':
        throw new StatementError(node.at, 'INTERVAL can only be added to a time or taken from one.')
      case 'subquery':
        throw new StatementError(
          node.at,
          'A subquery can stand after FROM and after IN: run it as a statement of its own.'
        )
      default:
        throw new StatementError(node.at, '* can stand in count(*) and as a column only.')
    }
  }

  /**
   * Returns the name of the time that `{filters}` limits.
   * @throws StatementError for a table that cannot be filtered, or not by properties
   */
  timeOfFilters(at: number, hasProperties: boolean): string {
    const { table, time = '' } = this.#around.schema
    if (table !== 'events' && table !== 'sessions') {
      throw new StatementError(at, '{filters} can stand in a SELECT from events or sessions only.')
    }
    if (table === 'sessions' && hasProperties) {
      throw new StatementError(
        at,
        '{filters} with properties can stand in a SELECT from events only: compare the columns of sessions.'
      )
    }
    return time
  }

  /** Resolves a condition. @throws StatementError unless it can be true or false */
  resolveCondition(node: Node, clause: string): Expression {
    const condition = this.resolve(node)
    expectCondition(clause, condition)
    return condition
  }

  #resolvePath(steps: readonly Step[], at: number): Expression {
    const label = steps.map(({ name }) => name).join('.')
    const [first, ...rest] = steps
    const alias = first && this.#aliases.get(String(first.name))
    if (alias && rest.length === 0) {
      return { ...this.repeat(alias, at), at, label }
    }
    const { schema } = this.#around
    const isQualified = rest.length > 0 && schema.names.includes(String(first?.name))
    const found = schema.find(isQualified ? rest : steps, label)
    if (!found) {
      const known = [...this.#aliases.keys(), ...schema.columns]
      throw unknownField({ name: String(first?.name), label, at }, known)
    }
    return found
  }

  #resolveCall(node: CallNode): Expression {
    const aggregate = findAggregate(node.name)
    if (aggregate) {
      return resolveAggregate(this, node, aggregate)
    }
    if (node.parameters || node.isDistinct) {
      throw new StatementError(
        node.at,
        `${node.name} is no aggregate: it takes neither parameters nor DISTINCT.`
      )
    }
    if (node.name === 'in' || node.name === 'notIn') {
      return this.#resolveIn(node)
    }
    if (node.name === 'plus' || node.name === 'minus') {
      return this.#resolveSum(node)
    }
    if (node.name.toLowerCase() === 'tostartofinterval') {
      return this.#resolveStart(node)
    }
    const args = this.#membersOfProperty(node) ?? node.args.map((arg) => this.resolve(arg))
    return this.call(node.name, args, node)
  }

  /** `toStartOfInterval(timestamp, INTERVAL 2 HOUR)` */
  #resolveStart(node: CallNode): Expression {
    const [time, given, ...zone] = node.args
    const interval = given && toInterval(given)
    if (!time || !interval) {
      throw new StatementError(node.at, `Write ${node.name}(timestamp, INTERVAL 2 HOUR).`)
    }
    const args = [time, interval.amount, ...zone].map((arg) => this.resolve(arg))
    return this.#build(startOfInterval(interval.unit), args, node)
  }

  /** `JSONExtractString(properties, 'x')` reads the column of the property. */
  #membersOfProperty({ name, args: [source, key, ...path] }: CallNode): Expression[] | undefined {
    const isMember =
      /^json/i.test(name) && source?.kind === 'path' && key?.kind === 'literal' && key.isText
    const isOfTable = this.#around.schema.table !== undefined
    if (!isMember || !isOfTable || source.steps.at(-1)?.name !== 'properties') {
      return undefined
    }
    const step = { name: String(key.value), at: key.at }
    const member = this.#resolvePath([...source.steps, step], source.at)
    const [column] = member.kind === 'call' ? member.args : []
    return column && [column, ...path.map((one) => this.resolve(one))]
  }

  /** Calls a function. @throws StatementError for an unknown one, or arguments that do not fit */
  call(name: string, given: readonly Expression[], node: Node): Expression {
    const definition = findFunction(name)
    if (!definition) {
      throw unknownFunction(name, node.at)
    }
    const takesNumbers = TAKES_NUMBERS.has(name.toLowerCase())
    const args = takesNumbers ? given : given.map(withText)
    return this.#build(definition, args, node)
  }

  #build(definition: FunctionDefinition, args: readonly Expression[], node: Node): Expression {
    const { name } = definition
    expectArity(name, definition.arity, args.length, node.at)
    const built = definition.build({ at: node.at, name, args, setting: this.setting })
    return makeCall(node.at, { name, args, ...built }, printNode(node))
  }

  /** `timestamp - INTERVAL 1 DAY`, `today() - 1` */
  #resolveSum(node: CallNode): Expression {
    const [left, right] = node.args
    if (!left || !right) {
      throw new StatementError(node.at, `${node.name} takes 2 arguments.`)
    }
    const sign = node.name === 'plus' ? 1 : -1
    const first = sign === 1 ? toInterval(left) : undefined
    const [time, interval] = first ? [right, first] : [left, toInterval(right)]
    if (interval) {
      const definition = adding(`${node.name}-${interval.unit}`, interval.unit, sign)
      return this.#build(definition, [this.resolve(time), this.resolve(interval.amount)], node)
    }
    const [a, b] = [this.resolve(left), this.resolve(right)]
    const isTime = a.type.base === 'time' || a.type.base === 'date'
    if (isTime && (b.type.base === 'time' || b.type.base === 'date')) {
      throw new StatementError(
        node.at,
        `Times cannot be subtracted: write dateDiff('second', ${b.label}, ${a.label}).`
      )
    }
    if (isTime) {
      const unit = a.type.base === 'date' ? 'day' : 'second'
      return this.#build(adding(`${node.name}-${unit}`, unit, sign), [a, b], node)
    }
    return this.call(node.name, [a, b], node)
  }

  #resolveIn(node: CallNode): Expression {
    const [left, right] = node.args
    if (!left || !right) {
      throw new StatementError(node.at, 'IN needs a value and a list.')
    }
    const x = this.resolve(left)
    if (right.kind === 'subquery') {
      return this.#inRows(node, x, right.query)
    }
    const items =
      right.kind === 'tuple' || right.kind === 'array'
        ? right.items.map((item) => this.resolve(item))
        : itemsOf(this.resolve(right))
    return this.call(node.name, [x, ...items], node)
  }

  #inRows(node: CallNode, x: Expression, query: SqlStatement): Expression {
    const { type, values } = this.#around.planMembers(query)
    const isSame = x.type.base === type.base
    const isComparable =
      isSame ||
      comparing(x, toColumn(node.at, { kind: 'row', place: 0 }, type, 'the column'), this.setting)
        .base === x.type.base
    if (!isComparable) {
      throw new StatementError(node.at, `${x.label} cannot be compared with the column of IN.`)
    }
    const isIn = node.name === 'in'
    let members: ReadonlySet<SqlValue> | undefined
    return {
      kind: 'call',
      at: node.at,
      key: `${node.name}(${x.key}, ${node.at})`,
      label: printNode(node),
      type: FLAG,
      args: [x],
      apply(value = null) {
        if (value instanceof ValueFailure) {
          return value
        }
        members ??= new Set(values().map(keyOfValue))
        return members.has(keyOfValue(value)) === isIn ? 1 : 0
      }
    }
  }

  /** Returns the time of a row, which decides which row is the first; without one, all are equal. */
  timeOfRow(at: number): Expression {
    const { schema, setting } = this.#around
    const time = schema.time && schema.find([{ name: schema.time, at }], schema.time)
    return time || makeConstant(at, 0, exactTime(setting.timezone))
  }
}

import { findAggregate } from './aggregates/table.ts'
import { type Aggregate, constantOf, type Expression, walk } from './expression.ts'
import { expectArity, expectCondition } from './functions/definition.ts'
import { printNode } from './print.ts'
import { withText } from './schema.ts'
import { StatementError } from './statement-error.ts'
import type { CallNode, Node } from './tree.ts'
import type { SqlType } from './types.ts'

/** What resolves the arguments of an aggregate. */
type AggregateResolver = {
  resolve: (node: Node) => Expression
  timeOfRow: (at: number) => Expression
}

/** Resolves a call of an aggregate. @throws StatementError */
export function resolveAggregate(
  resolver: AggregateResolver,
  node: CallNode,
  { definition, isIf }: NonNullable<ReturnType<typeof findAggregate>>
): Expression {
  const isCountDistinct = definition.name === 'count' && node.isDistinct
  const used = isCountDistinct ? findAggregate('countDistinct') : undefined
  const { name, arity, isTimed, takesTexts, typeOf } = used?.definition ?? definition
  const given = node.args.filter(({ kind }) => kind !== 'star').map((arg) => resolver.resolve(arg))
  const condition = isIf ? given.pop() : undefined
  if (isIf && !condition) {
    throw new StatementError(
      node.at,
      `Aggregation '${node.name}' expects at least 1 argument, found 0: add a condition.`
    )
  }
  if (condition) {
    expectCondition(node.name, condition)
  }
  expectArity(node.name, arity, given.length, node.at)
  const args = takesTexts ? given.map(withText) : given
  const parameters = resolveParameters(resolver, node, definition.parameters)
  for (const inner of [...args, ...(condition ? [condition] : [])]) {
    expectNoAggregate(inner, node.name)
  }
  const { at, isDistinct } = node
  const type = typeOf({ at, name: node.name, args, parameters, isDistinct })
  const timed = isTimed ? [...args, resolver.timeOfRow(node.at)] : args
  return aggregateOf(node, { name, parameters, args: timed, condition, type })
}

function resolveParameters(
  resolver: AggregateResolver,
  node: CallNode,
  [least, most]: readonly [number, number] = [0, 0]
): readonly number[] {
  const given = node.parameters ?? []
  if (given.length < least || given.length > most) {
    const example = most > 0 ? `: write ${node.name}(0.9)(x)` : ''
    throw new StatementError(
      node.at,
      least === 0
        ? `${node.name} takes no parameters.`
        : `Aggregation '${node.name}' requires parameters${example}.`
    )
  }
  return given.map((parameter) => {
    const value = constantOf(resolver.resolve(parameter))
    if (typeof value !== 'number') {
      throw new StatementError(parameter.at, 'A parameter must be a number.')
    }
    return value
  })
}

type Resolved = Pick<Aggregate, 'name' | 'parameters' | 'args' | 'condition'> & { type: SqlType }

function aggregateOf(
  node: CallNode,
  { name, parameters, args, condition, type }: Resolved
): Expression {
  const distinct = node.isDistinct ? 'distinct ' : ''
  const where = condition ? ` if ${condition.key}` : ''
  return {
    kind: 'aggregate',
    at: node.at,
    name,
    parameters,
    isDistinct: node.isDistinct,
    args,
    condition,
    type,
    key: `${name}(${parameters.join(', ')})(${distinct}${args.map(({ key }) => key).join(', ')}${where})`,
    label: printNode(node)
  }
}

/** @throws StatementError for an aggregate in another one */
function expectNoAggregate(expression: Expression, name: string): void {
  for (const inner of walk(expression)) {
    if (inner.kind === 'aggregate') {
      throw new StatementError(
        inner.at,
        `${inner.label} may not stand inside ${name}: aggregate in a subquery first.`
      )
    }
  }
}

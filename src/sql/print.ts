import { quote } from './expression.ts'
import type { Node, Step } from './tree.ts'

/** Writes an expression as the answer names it: `x = 1` is `equals(x, 1)`. */
export function printNode(node: Node): string {
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? quote(node.value) : printConstant(node.value)
    case 'path':
      return node.steps.map(({ name }) => name).join('.')
    case 'call': {
      const distinct = node.isDistinct ? 'DISTINCT ' : ''
      const parameters = node.parameters ? `(${printList(node.parameters)})` : ''
      return `${node.name}${parameters}(${distinct}${printList(node.args)})`
    }
    case 'element':
      return `arrayElement(${printNode(node.of)}, ${printNode(node.index)})`
    case 'array':
      return `[${printList(node.items)}]`
    case 'tuple':
      return `tuple(${printList(node.items)})`
    case 'interval':
      return `toInterval${node.unit[0]?.toUpperCase()}${node.unit.slice(1)}(${printNode(node.amount)})`
    case 'subquery':
      return '(SELECT …)'
    case 'placeholder':
      return `{${node.steps.join('.')}}`
    default:
      return '*'
  }
}

const printConstant = (value: number | boolean | null): string =>
  value === null ? 'NULL' : String(value)

const printList = (nodes: readonly Node[]): string => nodes.map(printNode).join(', ')

/**
 * Returns the name of a column without an alias: `properties.$browser` is `$browser`,
 * `properties.item.sku` is `item__sku`, and anything else is printed.
 */
export function nameOf(node: Node): string {
  if (node.kind !== 'path') {
    return printNode(node)
  }
  const names = node.steps.map(({ name }: Step) => String(name))
  const properties = names.indexOf('properties')
  return properties >= 0 && properties < names.length - 1
    ? names.slice(properties + 1).join('__')
    : (names.at(-1) ?? '')
}

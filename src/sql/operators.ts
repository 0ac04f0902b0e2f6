/*
 * Expressions, by precedence climbing. From loosest to tightest:
 *
 *   ? :   OR   AND   NOT   ??   IS NULL   comparisons   + - ||   * / %   unary -   x[i] x.name
 */

export const LOOSEST = 0
export const OR = 1
export const AND = 2
export const NOT = 3
export const COALESCE = 4
export const IS = 5
export const COMPARISON = 6
export const SUM = 7
export const PRODUCT = 8
export const SIGN = 9

/** The level and the function of each operator between two operands. */
export const OPERATORS: ReadonlyMap<string, { level: number; name: string }> = new Map([
  ['or', { level: OR, name: 'or' }],
  ['and', { level: AND, name: 'and' }],
  ['??', { level: COALESCE, name: 'ifNull' }],
  ['=', { level: COMPARISON, name: 'equals' }],
  ['==', { level: COMPARISON, name: 'equals' }],
  ['!=', { level: COMPARISON, name: 'notEquals' }],
  ['<>', { level: COMPARISON, name: 'notEquals' }],
  ['<', { level: COMPARISON, name: 'less' }],
  ['<=', { level: COMPARISON, name: 'lessOrEquals' }],
  ['>', { level: COMPARISON, name: 'greater' }],
  ['>=', { level: COMPARISON, name: 'greaterOrEquals' }],
  ['~', { level: COMPARISON, name: 'match' }],
  ['=~', { level: COMPARISON, name: 'match' }],
  ['!~', { level: COMPARISON, name: 'notMatch' }],
  ['~*', { level: COMPARISON, name: 'imatch' }],
  ['=~*', { level: COMPARISON, name: 'imatch' }],
  ['!~*', { level: COMPARISON, name: 'notIMatch' }],
  ['like', { level: COMPARISON, name: 'like' }],
  ['ilike', { level: COMPARISON, name: 'ilike' }],
  ['+', { level: SUM, name: 'plus' }],
  ['-', { level: SUM, name: 'minus' }],
  ['||', { level: SUM, name: 'concat' }],
  ['*', { level: PRODUCT, name: 'multiply' }],
  ['/', { level: PRODUCT, name: 'divide' }],
  ['%', { level: PRODUCT, name: 'modulo' }]
])

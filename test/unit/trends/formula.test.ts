import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFormula } from '../../../src/trends/formula.ts'
import { deep } from '../../support/depth.ts'

const evaluate = (text: string, values: number[]) => readFormula(text, values.length)(values)

describe('a formula', () => {
  it.each<[string, number[], number]>([
    ['A', [5], 5],
    ['a + b', [1, 2], 3],
    ['A - B - C', [10, 3, 2], 5],
    ['A / B / C', [12, 3, 2], 2],
    ['A + B * C', [1, 2, 3], 7],
    ['(A + B) * C', [1, 2, 3], 9],
    ['A ^ B ^ 2', [2, 3], 512],
    ['-A ^ 2', [3], -9],
    ['2 ^ -A', [1], 0.5],
    ['A * -B', [3, 2], -6],
    ['--A', [3], 3],
    ['A*100/B', [1, 4], 25],
    ['.5 * A + 1.25', [2], 2.25],
    ['A / B', [1, 0], 0],
    ['A / B + 1', [1, 0], 1],
    ['(0 - A) ^ 0.5', [4], 0],
    ['A ^ B', [10, 400], Number.POSITIVE_INFINITY]
  ])('%s of %j is %d', (text, values, expected) => {
    expect(evaluate(text, values)).toBe(expected)
  })

  it.each([
    ['', 'cannot be empty'],
    ['  ', 'cannot be empty'],
    ['A +', 'ends too early'],
    ['(A', 'ends too early'],
    ['A)', '")" is not expected'],
    ['A B', '"B" is not expected'],
    ['2A', '"A" is not expected'],
    ['A % B', '"%" is not expected'],
    ['1.2.3', '".3" is not expected'],
    ['A.exit', '"." is not expected'],
    ['process.exit', 'no series P'],
    ['A + C', 'no series C'],
    ['('.repeat(200), 'at most 100 levels'],
    ['-'.repeat(200), 'at most 100 levels'],
    ['A'.repeat(1001), 'at most 1000 characters']
  ])('%s is refused: %s', (text, reason) => {
    expect(() => readFormula(text, 2)).toThrow(reason)
  })

  type Node = { text: string; value: number }
  const values = [3, 0, 7.5]

  const { tree } = fc.letrec<{ tree: Node; leaf: Node; branch: Node }>((tie) => ({
    leaf: fc.oneof(
      fc.integer({ min: 0, max: 9 }).map((n) => ({ text: String(n), value: n })),
      fc.integer({ min: 0, max: 2 }).map((i) => ({ text: 'ABC'[i] ?? '', value: values[i] ?? 0 }))
    ),
    branch: fc
      .tuple(
        tie('tree'),
        fc.constantFrom('+', '-', '*', '/'),
        tie('tree'),
        fc.constantFrom('', ' ')
      )
      .map(([a, operator, b, space]) => ({
        text: `(${a.text}${space}${operator}${space}${b.text})`,
        value: apply(operator, a.value, b.value)
      })),
    tree: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('branch'))
  }))

  const apply = (operator: string, a: number, b: number) => {
    switch (operator) {
      case '+':
        return a + b
      case '-':
        return a - b
      case '*':
        return a * b
      default:
        return b === 0 ? 0 : a / b
    }
  }

  it('has the value of the tree from which its text was made', () => {
    fc.assert(
      fc.property(tree, ({ text, value }) => {
        expect(evaluate(text, values)).toBe(Number.isNaN(value) ? 0 : value)
      }),
      deep(500)
    )
  })

  it('is a number or refused, whatever its text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ABC019.+-*/^() x'), maxLength: 30 }),
        (text) => {
          try {
            expect(evaluate(text, values)).not.toBeNaN()
          } catch (error) {
            expect(String(error)).toMatch(
              /^Error: (A formula|The formula|There is no series|".+" is not expected)/
            )
          }
        }
      ),
      deep(2_000)
    )
  })
})

import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/input/json.ts'
import { seed } from '../../support/depth.ts'
import { newAnswering } from '../../support/sql.ts'
import { ASKED, BESIDE } from '../../support/statements/asked.ts'
import { makeShop, toSent } from '../../support/statements/shop.ts'

/** Writes numbers with 12 digits, since the last ones depend on the order in which they are added. */
const toPlain = (rows: readonly (readonly Json[])[]): Json[][] =>
  rows.map((cells) =>
    cells.map((cell) => (typeof cell === 'number' ? Number(cell.toPrecision(12)) : cell))
  )

it('has a hundred statements', () => {
  expect(ASKED).toHaveLength(100)
})

describe.each([
  ['segments', true],
  ['rows', false]
])('statements in the shapes of public scripts, over %s', (_, isSealed) => {
  it('have the answers of plain code', async () => {
    const shop = makeShop(seed)
    const project = await newAnswering(toSent(shop), { isSealed })
    const found: object[] = []
    for (const [statement] of ASKED) {
      const rows = await project.answer(statement, BESIDE).then(
        ({ results }) => toPlain(results),
        (error) => error.message
      )
      found.push({ statement, rows })
    }

    expect(found).toEqual(
      ASKED.map(([statement, answer]) => ({ statement, rows: toPlain(answer(shop)) }))
    )
  })
})

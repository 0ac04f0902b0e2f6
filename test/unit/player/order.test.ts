import { expect, it } from 'vitest'
import { type Add, inOrder } from '../../../player/order.ts'

const add = (id: number, parentId: number, nextId: number | null = null): Add => ({
  parentId,
  nextId,
  node: { id, type: 2 }
})

const ids = (adds: Add[]) => inOrder(adds).map(({ node }) => node.id)

it('puts parents and next nodes first, and keeps all other orders', () => {
  expect(ids([add(3, 2), add(2, 1), add(5, 1, 4), add(4, 1)])).toEqual([2, 3, 4, 5])
  expect(ids([add(4, 1), add(3, 1, 4), add(2, 1, 3)])).toEqual([4, 3, 2])
})

it('orders a long chain', () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => add(i + 10, 1, i + 11))

  expect(ids(rows)).toEqual(rows.map(({ node }) => node.id).reverse())
})

it('keeps every node of a circle', () => {
  expect(ids([add(2, 3), add(3, 2), add(4, 4, 4)]).sort()).toEqual([2, 3, 4])
})

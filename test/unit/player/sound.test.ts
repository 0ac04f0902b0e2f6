import { expect, it } from 'vitest'
import { isCustomName, mend } from '../../../player/sound.ts'

const change = (data: Record<string, unknown>) => ({ type: 3, timestamp: 1, data })

it('keeps what is sound as it is', () => {
  const node = { type: 2, id: 2, tagName: 'p', attributes: { id: 'a' }, childNodes: [] }
  const data = {
    source: 0,
    removes: [{ id: 7, parentId: 1 }],
    adds: [{ parentId: 1, nextId: null, node }],
    texts: [{ id: 3, value: 'x' }],
    attributes: [{ id: 2, attributes: { style: { color: 'red' }, hidden: null } }]
  }

  expect(mend(change(data))).toEqual({ playable: [change(data)], isDamaged: false })
})

it('tells what is lost from what was never there', () => {
  const empty = { playable: [], isDamaged: false }
  expect(mend(change({ source: 1, positions: [] }))).toEqual(empty)
  expect(mend(change({ source: 1 }))).toEqual(empty)
  expect(mend(change({ source: 1, positions: [{ id: 1, x: 1 }] }))).toEqual({
    playable: [],
    isDamaged: true
  })
  expect(mend(change({ source: 4, width: Number.POSITIVE_INFINITY, height: 7 }))).toEqual({
    playable: [],
    isDamaged: true
  })
})

it.each([
  ['x-card', true],
  ['my-very.long_name-2', true],
  ['card', false],
  ['X-Card', false],
  ['font-face', false],
  ['1-card', false],
  [7, false]
])('%s is the name of a custom element: %s', (name, is) => {
  expect(isCustomName(name)).toBe(is)
})

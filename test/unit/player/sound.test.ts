import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fromMobile } from '../../../player/mobile.ts'
import { isCustomName, mend } from '../../../player/sound.ts'
import { deep } from '../../support/depth.ts'

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

/* Events whose members have the names that the player reads, and values of all kinds. */

const anyNode = fc.letrec((tie) => ({
  node: fc.record(
    {
      type: fc.oneof(
        fc.integer({ min: 0, max: 6 }),
        fc.constantFrom('text', 'image', 'input', 'div', 'x', null)
      ),
      id: fc.oneof(fc.integer(), fc.string()),
      tagName: fc.oneof(fc.string(), fc.constant(null), fc.constant('a-b')),
      attributes: fc.oneof(
        fc.dictionary(fc.string(), fc.constantFrom(1, 'x', null, {}, [])),
        fc.constantFrom(null, 7, [])
      ),
      childNodes: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 7, [null]),
        fc.array(tie('node'), { maxLength: 3 })
      ),
      childWireframes: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 7, [null]),
        fc.array(tie('node'), { maxLength: 3 })
      ),
      inputType: fc.constantFrom('progress', 'toggle', 'select', 7, null),
      max: fc.constantFrom(1, 1e9, -1, 'x', null),
      value: fc.constantFrom(1, 1e9, -1, 'x', null, {}),
      style: fc.constantFrom(null, 7, { bar: 'rating', color: {} }, { borderWidth: [] })
    },
    { requiredKeys: [] }
  )
})).node
const anyEvent = fc.record({
  type: fc.integer({ min: 0, max: 7 }),
  timestamp: fc.integer(),
  data: fc.record(
    {
      source: fc.integer({ min: 0, max: 16 }),
      node: anyNode,
      adds: fc.array(fc.record({ wireframe: anyNode, node: anyNode, parentId: fc.integer() }), {
        maxLength: 3
      }),
      removes: fc.constantFrom(null, 7, [null], [{ id: 1, parentId: 2 }]),
      positions: fc.constantFrom(null, 7, [null], [{ id: 1, x: 2, y: 1, timeOffset: 'x' }]),
      width: fc.constantFrom(null, 7, -1, 'x'),
      height: fc.constantFrom(null, 7),
      wireframes: fc.oneof(fc.array(anyNode, { maxLength: 3 }), fc.constant(7)),
      payload: fc.constantFrom(null, { open: true }, { open: 7 }, { open: false }),
      tag: fc.constantFrom('keyboard', {}, null)
    },
    { requiredKeys: [] }
  )
})

it('a page whose only element cannot be built is left out', () => {
  const node = { type: 0, id: 1, childNodes: [{ type: 2 }] }

  expect(mend({ type: 2, data: { node } })).toEqual({ playable: [], isDamaged: true })
})

it('whatever an event contains, what is made of it is sound', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const { playable } = mend(fromMobile(event) as typeof event)
      for (const sound of playable) {
        expect(mend(sound)).toEqual({ playable: [sound], isDamaged: false })
      }
    }),
    deep(3_000)
  )
})

import { expect, it } from 'vitest'
import { listMoments } from '../../../player/moments.ts'

it('texts of moments are cut, whatever their kind', () => {
  const long = 'x'.repeat(1_000_000)
  const plugin = { plugin: 'rrweb/console@1', payload: { level: 'log', payload: [long] } }

  const moments = listMoments([
    { type: 4, timestamp: 1_000, window: 'w', data: { href: `https://shop.example/${long}` } },
    { type: 5, timestamp: 2_000, window: 'w', data: { tag: long } },
    { type: 6, timestamp: 3_000, window: 'w', data: plugin }
  ])

  expect(moments.map(({ kind, text }) => [kind, text.length])).toEqual([
    ['page', 300],
    ['event', 300],
    ['console', 300]
  ])
})

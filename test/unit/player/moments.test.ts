import { expect, it } from 'vitest'
import { listMoments, listPauses } from '../../../player/moments.ts'

it('texts of moments are cut, whatever their kind', () => {
  const long = 'x'.repeat(1_000_000)
  const plugin = { plugin: 'rrweb/console@1', payload: { level: 'log', payload: [long] } }

  const moments = listMoments(
    [
      { type: 4, timestamp: 1_000, window: 'w', data: { href: `https://shop.example/${long}` } },
      { type: 5, timestamp: 2_000, window: 'w', data: { tag: long } },
      { type: 6, timestamp: 3_000, window: 'w', data: plugin }
    ],
    1_000
  )

  expect(moments.map(({ kind, text }) => [kind, text.length])).toEqual([
    ['page', 300],
    ['event', 300],
    ['console', 300]
  ])
})

const snapshot = (timestamp: number, type: number, data: Record<string, unknown>) => ({
  timestamp,
  type,
  data,
  window: 'w'
})

it('lists what a visitor sees and does, not the notes of the SDK', () => {
  const moments = listMoments(
    [
      snapshot(500, 5, { tag: '$session_options', payload: {} }),
      snapshot(1_000, 4, { href: 'https://shop.example/start' }),
      snapshot(1_100, 5, { tag: '$pageview', payload: { href: 'https://shop.example/start' } }),
      snapshot(2_000, 3, { source: 2, type: 7 }),
      snapshot(2_001, 3, { source: 2, type: 2 }),
      snapshot(3_000, 5, { tag: '$url_changed', payload: { href: 'https://shop.example/cart' } }),
      snapshot(3_500, 5, { tag: 'Paid', payload: {} }),
      snapshot(3_600, 5, { tag: '$rageclick', payload: {} }),
      snapshot(3_700, 5, { tag: 'Application Opened', payload: {} }),
      snapshot(4_000, 4, { href: 'https://bank.example/pay' }),
      snapshot(5_000, 6, {
        plugin: 'rrweb/console@1',
        payload: { level: 'error', payload: ['"x"'] }
      })
    ],
    1_000
  )

  expect(moments).toEqual([
    { time: 0, kind: 'page', text: '/start' },
    { time: 1_001, kind: 'click', text: 'Click' },
    { time: 2_000, kind: 'page', text: '/cart' },
    { time: 2_500, kind: 'event', text: 'Paid', name: 'Paid' },
    { time: 2_600, kind: 'event', text: 'Rage click', name: '$rageclick' },
    { time: 2_700, kind: 'event', text: 'App opened', name: 'Application Opened' },
    { time: 3_000, kind: 'page', text: 'https://bank.example/pay' },
    { time: 4_000, kind: 'error', text: 'error: "x"' }
  ])
})

it('lists at most a thousand moments, and takes no time for more', () => {
  const clicks = Array.from({ length: 200_000 }, (_, i) => snapshot(i, 3, { source: 2, type: 2 }))

  expect(listMoments(clicks, 0)).toHaveLength(1_000)
})

it('finds the times in which a visitor did nothing', () => {
  const pauses = listPauses(
    [
      snapshot(1_000, 2, {}),
      snapshot(3_000, 3, { source: 1 }),
      snapshot(9_000, 3, { source: 0 }),
      snapshot(15_000, 3, { source: 2 }),
      snapshot(16_000, 3, { source: 5 }),
      snapshot(40_000, 3, { source: 0 })
    ],
    1_000
  )

  expect(pauses).toEqual([
    { from: 2_000, until: 14_000 },
    { from: 15_000, until: 39_000 }
  ])
})

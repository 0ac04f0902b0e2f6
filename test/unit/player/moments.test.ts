import { describe, expect, it } from 'vitest'
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

describe('a click', () => {
  const element = (id: number, tagName: string, attributes: object, ...childNodes: object[]) => ({
    type: 2,
    id,
    tagName,
    attributes,
    childNodes
  })
  const words = (id: number, textContent: string) => ({ type: 3, id, textContent })
  const page = (...nodes: object[]) =>
    snapshot(1_000, 2, { node: { type: 0, id: 1, childNodes: nodes } })
  const clickOn = (id: number) => snapshot(2_000, 3, { source: 2, type: 2, id })
  const textOf = (...events: ReturnType<typeof snapshot>[]) =>
    listMoments(events, 1_000).map(({ text }) => text)

  it('names the button or link around what is clicked', () => {
    const button = element(2, 'button', {}, element(3, 'svg', {}), words(4, ' New\n task '))
    const link = element(5, 'a', { 'aria-label': 'Close' }, element(6, 'span', {}, words(7, '×')))
    const card = element(8, 'article', {}, words(9, 'Order new ropes'))
    const submit = element(10, 'input', { type: 'submit', value: 'Save' })
    const shown = page(button, link, card, submit)

    expect([3, 4, 7, 9, 8, 10].map((id) => textOf(shown, clickOn(id))[0])).toEqual([
      'Click “New task”',
      'Click “New task”',
      'Click “Close”',
      'Click “Order new ropes”',
      'Click “Order new ropes”',
      'Click “Save”'
    ])
  })

  it('has no name where there are no words, only masked ones, or those of half the page', () => {
    const blank = element(2, 'div', {})
    const masked = element(3, 'button', {}, words(4, '*** ****'))
    const long = element(5, 'main', {}, words(6, 'word '.repeat(20)))
    const secret = element(7, 'input', { type: 'text', value: 'Ada' })
    const shown = page(blank, masked, long, secret)

    expect([2, 3, 5, 7, 99].map((id) => textOf(shown, clickOn(id))[0])).toEqual(
      Array(5).fill('Click')
    )
  })

  it('names what has been added, changed and removed meanwhile', () => {
    const change = snapshot(1_500, 3, {
      source: 0,
      adds: [{ parentId: 2, nextId: null, node: words(5, 'twice') }],
      texts: [{ id: 3, value: 'Export' }],
      removes: [{ parentId: 2, id: 4 }],
      attributes: []
    })
    const shown = page(element(2, 'button', {}, words(3, 'Print'), words(4, 'once')))

    expect(textOf(shown, clickOn(2), change, clickOn(2))).toEqual([
      'Click “Print once”',
      'Click “Export twice”'
    ])
  })

  it('in a forged page whose elements form a circle has no name', () => {
    const circle = snapshot(1_500, 3, {
      source: 0,
      adds: [{ parentId: 3, nextId: null, node: element(2, 'div', {}, element(3, 'div', {})) }]
    })
    const forged = snapshot(1_600, 3, { source: 0, adds: [null, { node: 7 }], removes: 'x' })
    const shown = page(element(2, 'div', {}, element(3, 'div', {})))

    expect(textOf(shown, circle, forged, clickOn(3))).toEqual(['Click'])
  })
})

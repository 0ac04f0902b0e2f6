import { expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  addsTo,
  BEGIN,
  click,
  element,
  idOfLast,
  type Node,
  play,
  share,
  text,
  visit
} from '../../support/player.ts'

/* Recordings that are cut off, damaged or forged: what can be shown is shown, and the rest is said. */

const change = (after: number, data: Node): Node => ({ type: 3, timestamp: BEGIN + after, data })

const mutation = (after: number, data: Node): Node =>
  change(after, { source: 0, texts: [], attributes: [], removes: [], adds: [], ...data })

/** Returns a visit whose heading is added at its end, and the ids of the nodes of its page. */
function visitWith(
  changes: (ids: { body: number; first: number }) => Node[],
  ...nodes: Node[]
): Node[] {
  const first = idOfLast() + 1
  const page = visit([], nodes.length > 0 ? nodes : [element('p', {}, text('Seven cakes'))])
  const body = idOfLast() - 1
  const made = changes({ body, first })
  const heading = addsTo(body, element('h1'))
  heading.push(...addsTo(idOfLast(), text('The end')))
  return [...page, ...made, mutation(8_500, { adds: heading }), click(9_000)]
}

const ONE = 'One change of the page cannot be shown.'

it.skipIf(!hasBrowser()).each<[string, number, (ids: { body: number; first: number }) => Node[]]>([
  [
    'positions on a text',
    0,
    ({ body }) => {
      const area = element('textarea')
      // The second text replaces the first, which rrweb still knows.
      const [first, second] = [text('Eight'), text('Nine')]
      const move = (after: number, id: unknown) =>
        change(after, { source: 1, positions: [{ id, x: 5, y: 5, timeOffset: 0 }] })
      return [
        mutation(500, { adds: [...addsTo(body, area), ...addsTo(Number(area.id), first, second)] }),
        move(600, first.id),
        move(700, second.id),
        move(800, body)
      ]
    }
  ],
  [
    'positions without a time',
    0,
    ({ body }) => [
      change(500, { source: 1, positions: [{ id: body, x: 5, y: 5 }] }),
      change(600, { source: 6, positions: [{ id: body, x: 5, y: 5, timeOffset: null }] })
    ]
  ],
  [
    'no positions',
    0,
    () => [change(500, { source: 1, positions: [] }), change(600, { source: 12 })]
  ],
  [
    'positions at no place',
    1,
    ({ body }) => [change(500, { source: 1, positions: [null, { id: body, x: '5', y: {} }] })]
  ],
  [
    'a pause of what is no medium',
    0,
    ({ body, first }) => [
      change(500, { source: 7, type: 1, id: body, currentTime: 3 }),
      change(600, { source: 7, type: 0, id: first })
    ]
  ],
  [
    'a document below another element',
    2,
    ({ body }) => [
      mutation(500, {
        adds: addsTo(body, { type: 0, id: 7_000_001, childNodes: [element('html')] })
      }),
      mutation(600, { adds: addsTo(body, { type: 0, id: 7_000_002, childNodes: [] }) })
    ]
  ],
  [
    'an element that cannot have a shadow root',
    1,
    ({ body }) => {
      const input = element('input')
      return [
        mutation(500, {
          adds: [
            ...addsTo(body, input),
            ...addsTo(Number(input.id), { ...text('inside'), isShadow: true })
          ]
        })
      ]
    }
  ],
  [
    'nodes of no kind',
    3,
    ({ body }) => [
      mutation(500, { adds: [null, ...addsTo(body, { type: 9, id: 7_000_003 })] }),
      mutation(600, { adds: addsTo(body, { type: 3, id: 'seven', textContent: 'Seven' }) }),
      mutation(700, { adds: 7 })
    ]
  ],
  [
    'a change of no kind',
    3,
    () => [
      change(500, { source: 'all' }),
      change(600, { source: 2, type: 99, id: 1 }),
      change(700, { source: 4, width: 'wide', height: -1 })
    ]
  ],
  [
    'a rule of no style sheet',
    1,
    ({ first }) => [change(500, { source: 15, id: first, styleIds: 7 })]
  ],
  [
    'drawing that is no picture',
    1,
    ({ first }) => [
      change(500, {
        source: 9,
        id: first,
        type: 0,
        commands: [{ property: 'fillRect', args: [0, 0, 9, 9] }]
      })
    ]
  ]
])('the replay goes on after %s', async (_, unshown, changes) => {
  const address = await share(visitWith(changes))

  const { tab, recorded, errors, untilEnd } = await play(address, 1280)
  await tab.selectOption('#speed', '8')
  await untilEnd()

  await recorded.getByText('The end').waitFor()
  expect(await recorded.locator('p').count()).toBe(1)
  expect(await tab.textContent('#clock')).toBe('0:09 / 0:09')
  const words = ['', ONE][unshown] ?? `${unshown} changes of the page cannot be shown.`
  expect((await tab.textContent('#status'))?.trim()).toBe(words)

  // The same after jumps, which apply all changes at once; nothing is counted twice.
  await tab.fill('#position', '0')
  await tab.fill('#position', '8900')
  await recorded.getByText('The end').waitFor()
  expect((await tab.textContent('#status'))?.trim()).toBe(words)
  expect(errors).toEqual([])
})

it.skipIf(!hasBrowser())('nodes of a page that cannot be built cost no other', async () => {
  const broken = [
    element('1st', {}, text('Wrong name')),
    element('video', { rr_mediaVolume: 7, rr_mediaPlaybackRate: 99 }, text('Loud')),
    element('p', { rr_mediaState: 'played', rr_width: { toString: 1 } }, text('No medium')),
    { ...element('input'), isShadowHost: true },
    { type: 4, id: 7_000_010, textContent: 'character data' },
    { type: 1, id: 7_000_011, name: 'html' },
    element('section', {}, text('Seven cakes'))
  ]
  const { tab, recorded } = await play(await share(visit([], broken)))

  for (const words of ['Wrong name', 'No medium', 'character data', 'Seven cakes']) {
    await recorded.getByText(words).waitFor()
  }
  await tab.getByText(ONE).waitFor()
})

it.skipIf(!hasBrowser())(
  'rows are shown in their order, whatever the order of their insertion',
  async () => {
    const rows = Array.from({ length: 4_000 }, (_, i) => element('li', { 'data-row': i }))
    const address = await share(
      visitWith(({ body }) => {
        const list = element('ol')
        const below = rows.map((node, i) => ({
          parentId: list.id,
          nextId: rows[i + 1]?.id ?? null,
          node
        }))
        return [mutation(500, { adds: [...below, ...addsTo(body, list)] })]
      })
    )
    const { tab, recorded, untilEnd } = await play(address)
    const shown = () =>
      recorded
        .locator('ol li')
        .evaluateAll((items) => items.map((li) => Number(li.getAttribute('data-row'))))
    const all = rows.map((_, i) => i)
    await tab.selectOption('#speed', '8')
    await untilEnd()
    expect(await shown()).toEqual(all)

    await tab.fill('#position', '0')
    await tab.fill('#position', '8900')
    await recorded.getByText('The end').waitFor()
    expect(await shown()).toEqual(all)
  }
)

it.skipIf(!hasBrowser())('a jump shows the page as it was scrolled', async () => {
  const tall = element('div', { style: 'height: 9000px' }, text('Seven cakes'))
  const scroll = (after: number, y: number) => change(after, { source: 3, id: 999_999, x: 0, y })
  const { tab, recorded, untilEnd } = await play(
    await share(
      visitWith(() => [scroll(500, 4_000), scroll(6_000, 700), scroll(7_000, 3_000)], tall)
    )
  )
  await tab.selectOption('#speed', '8')
  await untilEnd()

  await tab.fill('#position', '6500')

  await recorded.getByText('Seven cakes').waitFor({ state: 'attached' })
  const offset = () => recorded.locator('html').evaluate((html) => html.scrollTop)
  expect(await offset()).toBe(700)
})

it.skipIf(!hasBrowser())('a recording begins with its first page', async () => {
  const page = visit([], [element('h1', {}, text('Seven cakes'))])
  const early = [
    { type: 5, timestamp: BEGIN - 7_200_000, data: { tag: 'Arrived', payload: {} } },
    change(-7_100_000, { source: 1, positions: [{ id: 1, x: 1, y: 1, timeOffset: 0 }] })
  ]
  const { tab, recorded } = await play(await share([...early, ...page]))

  await recorded.getByText('Seven cakes').waitFor()
  await tab.locator('#moments li').nth(3).waitFor()
  expect(await tab.textContent('#clock')).toMatch(/\/ 0:08$/)
  expect(await tab.locator('#moments li').allTextContents()).toEqual([
    '0:00 Arrived',
    '0:00 /',
    '0:02 Click',
    '0:08 Paid'
  ])
})

it.skipIf(!hasBrowser())('a recording of a single moment shows its page', async () => {
  const page = visit([], [element('h1', {}, text('Seven cakes'))])
  const { tab, recorded, untilEnd } = await play(await share(page.slice(1, 2)))

  await untilEnd()
  await recorded.getByText('Seven cakes').waitFor()
  expect(await tab.textContent('#clock')).toBe('0:00 / 0:00')
  expect(await tab.isHidden('#status')).toBe(true)
})

it.skipIf(!hasBrowser())('only attributes that are handlers are cut', async () => {
  const { recorded } = await play(
    await share(
      visit(
        [element('style', {}, { ...text('p:not([onboarding]) { display: none }'), isStyle: true })],
        [
          element(
            'p',
            { onboarding: '1', 'on-tap': 'x', once: '', onclick: 'x', onfocusin: 'x' },
            text('Seven cakes')
          )
        ]
      )
    )
  )

  const shown = recorded.getByText('Seven cakes')
  await shown.waitFor()
  expect(await shown.evaluate((p) => p.getAttributeNames())).toEqual([
    'onboarding',
    'on-tap',
    'once'
  ])
})

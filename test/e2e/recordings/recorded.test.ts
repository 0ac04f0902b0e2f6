import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { hasBrowser, openSite } from '../../support/browser.ts'
import { play, record } from '../../support/player.ts'
import { until } from '../../support/until.ts'

/* What the SDK records of real pages, and what the player shows of it, while it plays and after a jump to the end. */

/** Jumps to the end, which rebuilds the page at once. */
async function jump(tab: Page): Promise<void> {
  await tab.fill('#position', '0')
  await tab.fill('#position', String(Number(await tab.getAttribute('#position', 'max')) - 1))
}

it.skipIf(!hasBrowser())('custom elements are defined when the page has defined them', async () => {
  const address = await record(
    `<style>shop-card:not(:defined), shop-later:not(:defined) { display: none }</style>
    <script>customElements.define('shop-card', class extends HTMLElement {})</script>
    <shop-card>Seven cakes</shop-card><shop-later>Eight pies</shop-later>`,
    async (tab) => {
      await tab.evaluate(
        "document.body.append(Object.assign(document.createElement('shop-card'), { textContent: 'Nine tarts' }))"
      )
      await tab.evaluate("customElements.define('shop-later', class extends HTMLElement {})")
    }
  )

  const { tab, recorded, untilEnd } = await play(address)
  await untilEnd()
  for (const words of ['Seven cakes', 'Eight pies', 'Nine tarts']) {
    expect([words, await recorded.getByText(words).isVisible()]).toEqual([words, true])
  }

  await jump(tab)
  for (const words of ['Seven cakes', 'Eight pies', 'Nine tarts']) {
    await recorded.getByText(words).waitFor()
  }
})

it.skipIf(!hasBrowser())('adopted style sheets are shown, whenever they were adopted', async () => {
  const address = await record(
    '<div id="early"></div><div id="moved"></div><main></main>',
    async (tab) => {
      await tab.evaluate(`
        const sheetOf = (rule) => { const sheet = new CSSStyleSheet(); sheet.insertRule(rule); return sheet }
        const [early, moved] = ['early', 'moved'].map((id) => document.getElementById(id))
        early.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheetOf('b { color: rgb(1, 2, 3) }')]
        moved.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheetOf('i { color: rgb(4, 5, 6) }')]
        moved.shadowRoot.innerHTML = '<i>Eight pies</i>'
        document.adoptedStyleSheets = [sheetOf('body { color: rgb(7, 8, 9) }')]`)
      await tab.waitForTimeout(300)
      await tab.evaluate("early.shadowRoot.innerHTML = '<b>Seven cakes</b>'")
      await tab.waitForTimeout(300)
      await tab.evaluate("document.querySelector('main').append(moved)")
      await tab.evaluate(
        "moved.shadowRoot.adoptedStyleSheets[0].insertRule('i { font-weight: 700 }')"
      )
      await tab.waitForTimeout(300)
    }
  )

  const { tab, recorded, untilEnd } = await play(address)
  const styles = async () => [
    await styleOf(recorded.locator('b'), 'color'),
    await styleOf(recorded.locator('i'), 'color'),
    await styleOf(recorded.locator('body'), 'color'),
    await styleOf(recorded.locator('i'), 'fontWeight')
  ]
  const expected = ['rgb(1, 2, 3)', 'rgb(4, 5, 6)', 'rgb(7, 8, 9)', '700']
  await untilEnd()
  expect(await styles()).toEqual(expected)

  await jump(tab)
  await recorded.locator('b').waitFor()
  expect(await styles()).toEqual(expected)
})

const styleOf = (element: Locator, name: string): Promise<unknown> =>
  element.evaluate((it, property) => Object(globalThis).getComputedStyle(it)[property], name)

it.skipIf(!hasBrowser())('style sheets that are loaded late are shown', async () => {
  const css = (body: string) => ({ type: 'text/css', body })
  const elsewhere = await openSite({
    '/far.css': css('h2 { color: rgb(4, 5, 6) }'),
    '/both.css': css('h3 { color: rgb(7, 8, 9) }'),
    '/other.css': css('h1, h2, h3 { color: rgb(9, 9, 9) !important }')
  })
  const late = (href: string) => `<link class="late" rel="preload" as="style" href="${href}">`
  const address = await record(
    `${late('/late.css')}${late(`${elsewhere}/far.css`)}
    <link rel="Preload StyleSheet" as="style" href="${elsewhere}/both.css">
    <link rel="alternate stylesheet" href="${elsewhere}/other.css">
    <link id="theme" rel="stylesheet" href="${elsewhere}/other.css">
    <h1>Seven cakes</h1><h2>Eight pies</h2><h3>Nine buns</h3>`,
    async (tab) => {
      await tab.evaluate(
        "document.querySelectorAll('.late').forEach((link) => { link.rel = 'stylesheet' })"
      )
      await tab.evaluate("document.querySelector('#theme').rel = 'alternate stylesheet'")
      await tab.waitForTimeout(500)
    },
    { files: { '/late.css': css('h1 { color: rgb(1, 2, 3) }') } }
  )

  const { tab, recorded, untilEnd } = await play(address)
  await tab.route('**/*.css', (route) => route.continue())
  await untilEnd()

  await tab.click('#load')
  await recorded.locator('h3').waitFor()
  await untilEnd()
  for (const [tag, color] of [
    ['h1', 'rgb(1, 2, 3)'],
    ['h2', 'rgb(4, 5, 6)'],
    ['h3', 'rgb(7, 8, 9)']
  ] as const) {
    await until(async () => (await styleOf(recorded.locator(tag), 'color')) === color)
  }
})

it.skipIf(!hasBrowser())('style sheets are switched as the page switched them', async () => {
  const css = (body: string) => ({ type: 'text/css', body })
  const elsewhere = await openSite({ '/far.css': css('h1 { font-weight: 300 }') })
  const address = await record(
    `<link rel="stylesheet" title="Day" href="/day.css">
    <link rel="alternate stylesheet" title="Night" href="/night.css">
    <link rel="alternate stylesheet" title="Night" href="${elsewhere}/far.css">
    <link id="large" rel="stylesheet" href="/large.css">
    <h1>Seven cakes</h1>`,
    async (tab) => {
      await tab.waitForTimeout(300)
      await tab.evaluate(`
        for (const link of document.querySelectorAll('link[title]')) {
          link.disabled = true
          link.disabled = link.title !== 'Night'
        }
        document.querySelector('#large').rel = 'alternate stylesheet'`)
      await tab.waitForTimeout(300)
      await tab.evaluate("document.querySelector('#large').rel = 'stylesheet'")
      await tab.waitForTimeout(700)
      await tab.evaluate("document.querySelector('#large').rel = 'icon'")
      await tab.waitForTimeout(300)
    },
    {
      files: {
        '/day.css': css('h1 { color: rgb(1, 2, 3) }'),
        '/night.css': css('h1 { color: rgb(4, 5, 6) }'),
        '/large.css': css('h1 { font-size: 60px }')
      }
    }
  )

  const { tab, recorded, untilEnd } = await play(address)
  await tab.route('**/*.css', (route) => route.continue())
  const styles = () =>
    Promise.all(
      ['color', 'fontSize', 'fontWeight'].map((name) => styleOf(recorded.locator('h1'), name))
    )
  const have = (...expected: string[]) =>
    until(async () => String(await styles()) === String(expected))
  await untilEnd()
  expect(await styles()).toEqual(['rgb(4, 5, 6)', '32px', '700'])

  await tab.click('#load')
  await have('rgb(4, 5, 6)', '32px', '300')
  await tab.fill('#position', '0')
  await have('rgb(1, 2, 3)', '60px', '700')
  await jump(tab)
  await have('rgb(4, 5, 6)', '32px', '300')
  expect(await tab.isHidden('#status')).toBe(true)
})

it.skipIf(!hasBrowser())('a canvas shows what was drawn on it', async () => {
  const address = await record(
    `<canvas width="40" height="20"></canvas>
    <script>
      const context = document.querySelector('canvas').getContext('2d')
      const fill = (color) => { context.fillStyle = color; context.fillRect(0, 0, 40, 20) }
      fill('rgb(255, 0, 0)')
    </script>`,
    async (tab) => {
      for (const color of ['rgb(0, 0, 255)', 'rgb(0, 255, 0)']) {
        await tab.waitForTimeout(700)
        await tab.evaluate(`fill('${color}')`)
      }
      await tab.waitForTimeout(700)
    },
    { config: { captureCanvas: { recordCanvas: true, canvasFps: 4, canvasQuality: '1' } } }
  )

  const { tab, recorded, untilEnd } = await play(address)
  const pixel = () =>
    recorded.locator('canvas').evaluate((canvas): number[] => {
      const { data } = Object(canvas).getContext('2d').getImageData(20, 10, 1, 1)
      return [...data].map((value) => Math.round(value / 85))
    })
  await untilEnd()
  expect(await pixel()).toEqual([0, 3, 0, 3])

  await tab.fill('#position', '0')
  await until(async () => (await pixel())[0] === 3)
  await jump(tab)
  await until(async () => (await pixel())[1] === 3)
  expect(await tab.isHidden('#status')).toBe(true)
})

import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import { newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

/** Creates a project with one person, Ada. */
async function newProjectOfAda() {
  const project = await newProject()
  const event = {
    event: '$identify',
    distinct_id: 'ada',
    properties: { $set: { email: 'ada@example.com' } }
  }
  await fetch(`${project.url}/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: project.token, ...event })
  })
  const headers = { Authorization: `Bearer ${project.key}` }
  await until(async () => {
    const response = await fetch(`${project.url}/api/projects/@current/persons/`, { headers })
    return (await response.text()).includes('ada@example.com')
  })
  return project
}

/** Opens the reference. `complaints` collects console messages, errors and requests to other hosts. */
async function openReference(url: string) {
  const context = await openBrowser()
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) {
      complaints.push(request.url())
    }
  })
  await page.goto(`${url}/docs`)
  await page.waitForSelector('.opblock')
  return { page, complaints }
}

async function giveKey(page: Page, key: string) {
  await page.click('button.authorize')
  await page.fill('.auth-container input', key)
  await page.click('.auth-btn-wrapper button.authorize')
  await page.click('.auth-btn-wrapper button.btn-done')
}

/** Fills in an operation, sends it, and reads the answer shown on the page. */
async function tryOut(page: Page, id: string, fields: Record<string, string>) {
  const operation = page.locator(`#operations-Persons-${id}`)
  await operation.locator('.opblock-summary-control').click()
  for (const [name, value] of Object.entries(fields)) {
    await operation.locator(`tr[data-param-name="${name}"] input`).fill(value)
  }
  await operation.locator('button.execute').click()
  const answer = operation.locator('.live-responses-table tbody .response').first()
  const status = await answer.locator('.response-col_status').textContent()
  const body = await answer.locator('.highlight-code code, pre').first().textContent()
  return { status: Number.parseInt(status ?? '', 10), body: JSON.parse(body ?? '') }
}

it.skipIf(!hasBrowser())(
  'the reference at /docs can be tried with a key, and makes no request to another host',
  async () => {
    const project = await newProjectOfAda()
    const { page, complaints } = await openReference(project.url)

    await giveKey(page, project.key)
    const list = await tryOut(page, 'persons_list', { email: 'ada@example.com' })
    const person = await tryOut(page, 'persons_retrieve', { id: list.body.results[0].uuid })

    expect(list).toMatchObject({
      status: 200,
      body: { count: 1, results: [{ name: 'ada@example.com' }] }
    })
    expect(person).toEqual({ status: 200, body: list.body.results[0] })
    expect(complaints).toEqual([])
  }
)

it.skipIf(!hasBrowser())(
  'the reference at /docs begins with the operations, finds them by words, and is dark where the system is',
  async () => {
    const { url } = await newProject()
    const { page, complaints } = await openReference(url)
    const shown = () => page.locator('.opblock:visible').count()
    const topOf = async (selector: string) =>
      (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN
    const brightness = () =>
      page.evaluate(
        `getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)`
      )

    expect(await topOf('.opblock')).toBeLessThan(700)
    expect(await topOf('.information-container')).toBeGreaterThan(
      await topOf('#operations-Service-livez')
    )
    expect(await brightness()).toBeGreaterThan(700)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await brightness()).toBeLessThan(200)
    const all = await shown()
    await page.fill('[type=search]', 'split')
    await until(async () => (await shown()) < all)
    expect(await page.locator('.opblock-summary-path').allTextContents()).toEqual([
      expect.stringContaining('split')
    ])
    expect(complaints).toEqual([])
  }
)

/** Lists what elements of the page look like that no token says: colours, grounds, lines and fonts, each with an element. */
const LIST_STRANGE = `
(() => {
  const style = getComputedStyle(document.documentElement)
  const tokens = [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter(({ selectorText }) => selectorText === ':root')
    .flatMap((rule) => [...rule.style].filter((name) => name.startsWith('--')))
  const probe = document.body.appendChild(document.createElement('i'))
  const looksOf = (property) =>
    tokens.map((name) => {
      probe.style.setProperty(property, 'initial')
      probe.style.setProperty(property, 'var(' + name + ')')
      return getComputedStyle(probe).getPropertyValue(property)
    })
  const colors = new Set([...looksOf('background-color'), 'rgba(0, 0, 0, 0)'])
  const fonts = new Set(looksOf('font-family'))
  probe.remove()
  const strange = new Set()
  for (const element of document.querySelectorAll('body, body *:not(script, option, svg, svg *)')) {
    if (element.checkVisibility()) {
      const look = getComputedStyle(element)
      const lined = ['top', 'right', 'bottom', 'left'].filter((side) => parseFloat(look['border-' + side + '-width']) > 0)
      for (const property of ['color', 'background-color', ...lined.map((side) => 'border-' + side + '-color')]) {
        if (!colors.has(look.getPropertyValue(property))) {
          strange.add([element.tagName, element.className, property, look.getPropertyValue(property)].join(' '))
        }
      }
      if (!fonts.has(look.fontFamily)) {
        strange.add([element.tagName, element.className, look.fontFamily].join(' '))
      }
    }
  }
  return [...strange]
})()`

it.skipIf(!hasBrowser())(
  'the reference at /docs has the colours and fonts of the design',
  async () => {
    const { url, key } = await newProject()
    const { page } = await openReference(url)

    await giveKey(page, key)
    await tryOut(page, 'persons_list', {})
    await page.click('button.authorize')

    for (const colorScheme of ['light', 'dark'] as const) {
      // Otherwise buttons would still be changing their colours.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect([colorScheme, await page.evaluate(LIST_STRANGE)]).toEqual([colorScheme, []])
    }
  }
)

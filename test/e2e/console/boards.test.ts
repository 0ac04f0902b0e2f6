import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  apiOf,
  enter,
  isAsWideAsTheWindow,
  newStage,
  openPage,
  openTab,
  send,
  untilPersons
} from '../../support/pages.ts'
import { until } from '../../support/until.ts'

const { url } = inject('service')

const trendOf = (event: string) => ({
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event }],
    dateRange: { date_from: '-6d' }
  }
})

const HOSTILE = `<img src=x onerror=alert(1)>\u202e${'W'.repeat(250)}`

const titles = (tab: Page) => tab.locator('.tile h2').allTextContents()

const choose = async (tab: Page, menu: string, item: string) => {
  await tab.getByRole('button', { name: menu, exact: true }).click()
  await tab.getByRole('menuitem', { name: item }).click()
}

it.skipIf(!hasBrowser())('a dashboard is made, filled, arranged, renamed and deleted', async () => {
  const stage = await newStage()
  const api = apiOf(stage)
  const names = Array.from({ length: 60 }, (_, i) => `visitor-${i}`)
  await send(stage.token, ...names.map((id) => ({ event: 'signed up', distinct_id: id })))
  await untilPersons(stage, 60)
  for (const name of ['Sign-ups', HOSTILE]) {
    await api('POST', 'insights/', { name, query: trendOf('signed up'), saved: true })
  }
  const { tab, faults } = await enter(stage.key)
  await openPage(tab, 'd')
  await tab.getByText('No dashboards yet.').waitFor()

  await tab.getByRole('button', { name: 'New dashboard' }).first().click()
  await tab.getByLabel('Name', { exact: true }).fill('Weekly review')
  await tab.keyboard.press('Enter')
  await tab.getByText('Nothing is on this dashboard yet.').waitFor()
  await tab.getByRole('button', { name: 'Add an insight' }).first().click()
  const dialog = tab.getByRole('dialog')
  for (const add of [/^Add Sign-ups/, /^Add <img/]) {
    await dialog.getByRole('button', { name: add }).click()
  }
  await until(async () => (await titles(tab)).length === 2)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await until(async () => (await tab.locator('.tile .drawn svg').count()) === 2)
  expect((await titles(tab))[0]).toBe('Sign-ups')

  // The persons behind a point of a chart, and behind it again after a look at one of them.
  await tab.getByRole('slider', { name: /^Points of Sign-ups/ }).focus()
  await tab.keyboard.press('ArrowLeft')
  await tab.keyboard.press('Enter')
  const drawer = tab.getByRole('complementary', { name: 'Persons behind the point' })
  await drawer.getByRole('heading', { name: '60 persons' }).waitFor()
  await drawer.getByRole('link').first().click()
  await tab.getByRole('heading', { name: /^visitor-/ }).waitFor()
  await tab.goBack()
  await drawer.getByRole('heading', { name: '60 persons' }).waitFor()
  await tab.keyboard.press('Escape')
  await until(async () => (await drawer.count()) === 0)

  // By keyboard, then by drag; both are kept.
  await tab.getByRole('button', { name: 'Arrange' }).click()
  await tab.getByRole('button', { name: /^Move Sign-ups/ }).focus()
  await tab.keyboard.press('ArrowRight')
  await until(async () => (await titles(tab))[1] === 'Sign-ups')
  expect(await tab.evaluate<string>('document.activeElement.ariaLabel')).toMatch(/^Move Sign-ups/)
  await tab.getByRole('button', { name: 'Widen Sign-ups' }).click()
  await tab.getByRole('button', { name: 'Narrow Sign-ups' }).waitFor()
  const [arranged] = (await api('GET', 'dashboards/')).results
  await until(async () => {
    const { tiles } = await api('GET', `dashboards/${arranged.id}/`)
    return tiles[1].width === 'full' && tiles[1].insight.name === 'Sign-ups'
  })
  await tab.reload()
  await until(async () => (await titles(tab))[1] === 'Sign-ups')
  expect(await tab.locator('.tile.full h2').allTextContents()).toEqual(['Sign-ups'])
  await tab.getByRole('button', { name: 'Arrange' }).click()
  const handle = await tab.getByRole('button', { name: /^Move Sign-ups/ }).boundingBox()
  const goal = await tab.locator('.tile').first().boundingBox()
  await tab.mouse.move((handle?.x ?? 0) + 5, (handle?.y ?? 0) + 5)
  await tab.mouse.down()
  await tab.mouse.move((goal?.x ?? 0) + 40, (goal?.y ?? 0) + 40, { steps: 4 })
  await tab.mouse.up()
  const [board] = (await api('GET', 'dashboards/')).results
  const stored = async () =>
    (await api('GET', `dashboards/${board.id}/`)).tiles.map(
      ({ insight }: { insight: { name: string } }) => insight.name
    )
  await until(async () => (await stored())[0] === 'Sign-ups')
  await tab.getByRole('button', { name: 'Done' }).click()

  await tab.getByLabel('Dates of all charts').selectOption('Last 90 days')
  await until(() => tab.url().includes('date_from=-89d'))
  await tab.setViewportSize({ width: 375, height: 800 })
  expect(await isAsWideAsTheWindow(tab)).toBe(true)
  await tab.setViewportSize({ width: 1280, height: 800 })

  await choose(tab, 'More of Sign-ups', 'Take off the dashboard')
  await until(async () => (await titles(tab)).length === 1)
  await tab.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await titles(tab)).length === 2)

  await choose(tab, 'More of this dashboard', 'Rename…')
  await tab.getByLabel('Name', { exact: true }).fill('Monday review')
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { name: 'Monday review' }).waitFor()
  await choose(tab, 'More of this dashboard', 'Delete the dashboard')
  await tab.getByText('No dashboards yet.').waitFor()
  await tab.getByRole('button', { name: 'Undo' }).click()
  await tab.getByRole('link', { name: 'Monday review' }).waitFor()

  await tab.getByLabel('Search saved insights').fill('sign')
  await until(() => tab.url().includes('search=sign'))
  await until(async () => (await tab.locator('a[href*="/explore/"]').count()) === 1)
  await tab.setViewportSize({ width: 375, height: 800 })
  expect(await isAsWideAsTheWindow(tab)).toBe(true)
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())('an insight is shared, sent, watched and annotated', async () => {
  const stage = await newStage()
  const api = apiOf(stage)
  await send(stage.token, { event: 'signed up', distinct_id: 'ada' })
  await until(async () => (await api('GET', 'event_definitions/')).count === 1)
  const insight = await api('POST', 'insights/', { name: 'Sign-ups', query: trendOf('signed up') })
  const { tab, faults } = await enter(stage.key)
  await tab.goto(`${url}/console/#/${stage.projectId}/dashboards`)
  const dialog = tab.getByRole('dialog')
  const open = (item: string) => choose(tab, 'Change Sign-ups', item)

  await open('Share…')
  await dialog.getByRole('switch').click()
  const link = await dialog.locator('code').first().textContent()
  const visitor = await openTab()
  await visitor.tab.goto(link ?? '')
  await visitor.tab.getByRole('heading', { name: 'Sign-ups' }).waitFor()
  await dialog.getByRole('switch').click()
  await dialog.getByText('The link is off').waitFor()
  expect((await fetch(link ?? '')).status).toBe(404)
  await dialog.getByRole('button', { name: 'Close' }).click()

  // Every Monday, with a look at the mail; then its JSON for a webhook.
  await open('Subscribe…')
  await dialog
    .getByRole('document', { name: 'The e-mail' })
    .getByText('signed up')
    .first()
    .waitFor()
  const mail = await tab.evaluate<string>('document.querySelector(".mail").shadowRoot.textContent')
  expect(mail).toContain('Sent every week on Monday')
  expect(await dialog.locator('.nexts li').count()).toBe(3)
  await dialog.getByLabel('To', { exact: true }).fill('nobody')
  await tab.keyboard.press('Escape')
  await dialog.getByText('Press Escape again to discard it.').waitFor()
  expect(await dialog.getByLabel('To', { exact: true }).inputValue()).toBe('nobody')
  await dialog.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await dialog.getByText('"nobody" is not a valid e-mail address.').waitFor()
  await dialog.getByLabel('To', { exact: true }).fill('team@example.com')
  await dialog.getByRole('button', { name: 'Fri', exact: false }).click()
  await dialog.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await dialog.getByText('sent every week on Monday and Friday').waitFor()
  await choose(tab, 'Change this subscription', 'Pause')
  await dialog.getByText('Paused', { exact: true }).waitFor()
  await choose(tab, 'Change this subscription', 'Edit…')
  await dialog.getByRole('button', { name: 'Daily' }).click()
  await dialog.getByRole('button', { name: 'Save the subscription' }).click()
  await dialog.getByRole('button', { name: 'Change this subscription' }).waitFor()
  await dialog.getByText('sent every day').waitFor()
  expect((await api('GET', 'subscriptions/')).results).toMatchObject([
    { insight: insight.id, target_value: 'team@example.com', frequency: 'daily', enabled: false }
  ])
  await choose(tab, 'Change this subscription', 'Delete…')
  await dialog.getByRole('button', { name: 'Delete the subscription' }).click()
  await dialog.getByRole('heading', { name: 'Subscribe to the insight' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await open('Alert…')
  await dialog.getByText(/It would (not )?have fired/).waitFor()
  await dialog.getByLabel('To', { exact: true }).fill('team@example.com')
  await dialog.getByRole('button', { name: 'Turn the alert on' }).click()
  await dialog.getByText('Falls by more than 33%, E-mail to team@example.com').waitFor()
  const [alert] = (await api('GET', 'alerts/')).results
  expect(alert).toMatchObject({
    condition: { type: 'relative_decrease' },
    threshold: { configuration: { type: 'percentage', bounds: { upper: 0.33 } } }
  })
  await dialog.getByRole('button', { name: 'Close' }).click()

  // What the dialogs say of a breakdown, and of dates that do not move.
  const source = {
    ...trendOf('signed up').source,
    breakdownFilter: { breakdowns: [{ property: '$geoip_country_code', type: 'event' }] },
    dateRange: { date_from: '2026-10-01', date_to: '2026-10-31' }
  }
  await api('POST', 'insights/', { name: 'October', query: { kind: 'InsightVizNode', source } })
  await tab.reload()
  await choose(tab, 'Change October', 'Subscribe…')
  await dialog.getByText('The dates of the insight are fixed').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await choose(tab, 'Change October', 'Alert…')
  await dialog.getByText('Each value of Country is watched by itself').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await open('Annotate…')
  await dialog.getByLabel('Text').fill('New pricing page')
  await dialog.getByRole('button', { name: 'Save the annotation' }).click()
  await dialog.getByText('on this insight').waitFor()
  const [annotation] = (await api('GET', 'annotations/')).results
  expect(annotation).toMatchObject({ content: 'New pricing page', dashboard_item: insight.id })

  // What was typed stays when the answer behind the dialog arrives.
  const held = Promise.withResolvers<void>()
  await tab.route('**/query/', async (route) => {
    await held.promise
    await route.continue()
  })
  await tab.goto(`${url}/console/#/${stage.projectId}/explore/${insight.short_id}`)
  await tab.reload()
  await tab.getByRole('button', { name: 'Subscribe' }).click()
  await dialog.getByLabel('Title').fill('Monday')
  held.resolve()
  await tab.locator('.answer svg').first().waitFor()
  expect(await dialog.getByLabel('Title').inputValue()).toBe('Monday')
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Escape')
  await until(async () => (await dialog.count()) === 0)
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())('a key that may only read changes nothing', async () => {
  const stage = await newStage('dashboard:read,insight:read')
  const { tab } = await enter(stage.key)
  await tab.goto(`${url}/console/#/${stage.projectId}/dashboards`)

  await tab.getByText('No dashboards yet.').waitFor()
  expect(await tab.getByRole('button', { name: 'New dashboard' }).count()).toBe(0)
})

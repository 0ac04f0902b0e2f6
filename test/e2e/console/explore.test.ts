import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  enter,
  identify,
  isAsWideAsTheWindow,
  newStage,
  openPage,
  send,
  untilPersons
} from '../../support/pages.ts'
import { administer } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const { url, stateDir } = inject('service')

const DAY = 86_400_000

/** Markup, a letter that turns the direction of the text, and many more. */
const HOSTILE = `<img src=x onerror=alert(1)>\u202e${'long name '.repeat(30)}`

const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()

const event = (name: string, id: string, days: number, properties = {}) => ({
  event: name,
  distinct_id: id,
  timestamp: ago(days),
  properties
})

/** A project with four persons: all visit, three sign up, one pays. */
async function newShop() {
  const stage = await newStage()
  await send(
    stage.token,
    ...['ada', 'bo', 'cy', 'di'].map((id) => identify(id, { email: `${id}@example.com` })),
    ...['ada', 'bo', 'cy', 'di'].map((id) => event('visited', id, 4)),
    ...['ada', 'bo', 'cy'].map((id, i) =>
      event('signed up', id, 3 - (i === 2 ? 1 : 0), { plan: i === 0 ? HOSTILE : 'free' })
    ),
    event('paid', 'ada', 1)
  )
  await untilPersons(stage, 4)
  return stage
}

const addressOf = (project: number, question: object, rest = '') =>
  `${url}/console/#/${project}/explore?q=${encodeURIComponent(JSON.stringify(question))}${rest}`

it.skipIf(!hasBrowser())('a trend is built, opened at a point, and saved', async () => {
  const { projectId, key } = await newShop()
  const { tab, faults } = await enter(key)

  await openPage(tab, 'e')
  // An event is offered as one types.
  await tab.getByRole('button', { name: 'Event A: Page view' }).click()
  await tab.getByRole('combobox', { name: 'Event' }).fill('signed')
  await tab.getByRole('option', { name: 'signed up' }).click()
  await tab.getByLabel('What A counts').selectOption('total')
  await tab.getByText('3 events').waitFor()

  // The address is the question: back undoes the last change, reload keeps it.
  await tab.goBack()
  await until(() => !tab.url().includes('total'))
  await tab.goForward()
  await until(() => tab.url().includes('total'))
  await tab.reload()
  await tab.getByText('3 events').waitFor()

  // By the keyboard: today, yesterday, the day before, and the persons of the value that had most.
  await tab.getByRole('button', { name: 'Break down by: No breakdown' }).click()
  await tab.getByRole('combobox', { name: 'Property' }).fill('plan')
  await tab.getByRole('option', { name: 'plan' }).click()
  const series = tab.getByRole('region', { name: 'Series' })
  await series.getByText('free').waitFor()
  const points = tab.getByRole('slider', { name: /^Points of/ })
  await points.focus()
  for (let back = 0; back < 3; back += 1) {
    await tab.keyboard.press('ArrowLeft')
  }
  expect(await points.getAttribute('aria-valuetext')).toMatch(/free 1/)
  await tab.keyboard.press('ArrowDown')
  await tab.keyboard.press('ArrowUp')
  await tab.keyboard.press('Enter')
  const drawer = tab.getByRole('complementary', { name: 'Persons behind the point' })
  await drawer.getByRole('heading', { name: '1 person' }).waitFor()
  await tab.keyboard.press('Escape')
  await until(async () => (await drawer.count()) === 0)
  expect(await points.evaluate<boolean, Element>((one) => one.matches(':focus'))).toBe(true)

  // The address has the point, too, until something else is asked.
  await tab.goBack()
  await drawer.getByRole('link').click()
  await tab.getByRole('heading', { name: 'Timeline' }).waitFor()
  await tab.goBack()
  await drawer.getByRole('heading', { name: '1 person' }).waitFor()
  await tab.getByRole('button', { name: 'Earlier', exact: true }).click()
  await until(async () => (await drawer.count()) === 0)
  await tab.goBack()
  await drawer.getByRole('button', { name: 'Close' }).click()

  // The table has the numbers of the chart, and opens the same persons.
  await tab.keyboard.press('v')
  await tab.locator('.numbers tbody tr').nth(26).getByRole('button', { name: '1' }).first().click()
  await drawer.getByRole('link').first().waitFor()
  await drawer.getByRole('button', { name: 'Close' }).click()
  await tab.keyboard.press('v')

  // A formula that cannot be read is refused at its field.
  await tab.getByLabel('Formula', { exact: true }).last().fill('A /')
  await tab.keyboard.press('Enter')
  await tab.locator('.builder').getByRole('alert').waitFor()
  await series.getByText('free').waitFor()
  await tab.goBack()
  await until(async () => (await tab.locator('.builder [role=alert]').count()) === 0)

  const save = tab.getByRole('button', { name: 'Save…' })
  await save.click()
  await tab.keyboard.press('Escape')
  await until(() => save.evaluate<boolean, Element>((one) => one.matches(':focus')))
  await save.click()
  await tab.getByLabel('Name', { exact: true }).fill(HOSTILE)
  await tab.getByRole('button', { name: 'Save the insight' }).click()
  await until(() => /explore\/\w{12}\?/.test(tab.url()))
  await tab.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor()
  await tab.reload()
  await series.getByText('free').waitFor()
  expect(await tab.getByText('Changed', { exact: true }).count()).toBe(0)
  await tab.getByRole('button', { name: 'Bars' }).click()
  await tab.getByText('Changed', { exact: true }).waitFor()
  await tab.getByRole('button', { name: 'Save changes' }).click()
  await until(async () => (await tab.getByText('Changed', { exact: true }).count()) === 0)
  const saved = await fetch(`${url}/api/projects/${projectId}/insights/`, {
    headers: { Authorization: `Bearer ${key}` }
  })
  expect(await saved.json()).toMatchObject({
    results: [{ query: { source: { trendsFilter: { display: 'ActionsBar' } } } }]
  })

  await tab.setViewportSize({ width: 375, height: 800 })
  await until(() => isAsWideAsTheWindow(tab))
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())('funnels, retention and the others are asked alike', async () => {
  const { projectId, key } = await newShop()
  const { tab, faults } = await enter(key)
  const series = ['visited', 'signd up'].map((name) => ({ kind: 'EventsNode', event: name }))

  // A step without an event waits for one.
  await openPage(tab, 'e')
  await tab.getByRole('button', { name: 'Funnel', exact: true }).click()
  await tab.getByText('Choose an event for each part of the question.').waitFor()
  await tab.getByRole('button', { name: /^Event 2/ }).click()
  await tab.getByRole('combobox', { name: 'Event' }).fill('paid')
  await tab.getByRole('option', { name: 'paid' }).click()
  await tab.getByRole('button', { name: 'Add a step' }).waitFor()

  // An event that nobody has sent is named, with the one that was meant.
  await tab.goto(addressOf(projectId, { kind: 'FunnelsQuery', series }))
  const fault = tab.locator('.builder').getByRole('alert')
  await fault.waitFor()
  expect(await fault.textContent()).toMatch(/No event is called “signd up”.+Did you mean/)
  await fault.getByRole('button', { name: 'signed up' }).click()
  await tab.getByText('75.0%').first().waitFor()
  const drawer = tab.getByRole('complementary', { name: 'Persons behind the point' })
  await tab.getByRole('button', { name: /^1 left before 2\. signed up/ }).click()
  await drawer.getByRole('link', { name: 'di@example.com' }).waitFor()

  // A field in which nothing was changed in the end goes on to follow the question.
  const length = tab.getByLabel('Time for all steps')
  await length.fill('7')
  await length.press('Enter')
  await until(() => tab.url().includes('funnelWindowInterval'))
  await length.press('End')
  await tab.keyboard.type('0')
  await tab.keyboard.press('Backspace')
  await tab.keyboard.press('Tab')
  await tab.goBack()
  await until(async () => (await length.inputValue()) === '14')

  await tab.getByRole('button', { name: 'Retention', exact: true }).click()
  await tab.getByRole('button', { name: 'Day', exact: true }).click()
  await tab.getByRole('table', { name: 'Retention of visited' }).waitFor()
  await tab.getByRole('button', { name: /, Day 1: 50\.0%$/ }).click()
  await drawer.getByRole('heading', { name: '2 persons' }).waitFor()

  await tab.getByRole('button', { name: 'Lifecycle', exact: true }).click()
  await tab.getByRole('slider', { name: 'Points of Lifecycle of visited' }).waitFor()
  await tab.getByRole('button', { name: 'Stickiness', exact: true }).click()
  await tab.getByRole('slider', { name: 'Points of Stickiness of visited' }).waitFor()
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())('a key that may only ask neither saves nor sees persons', async () => {
  const { projectId } = await newShop()
  const { key } = await administer(
    stateDir,
    ...['key', 'create', '--label', 'console', '--scopes', 'query:read'],
    ...['--project', String(projectId)]
  )
  const { tab, faults } = await enter(key, 375)
  const question = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'visited' }] }
  await tab.goto(addressOf(projectId, question))

  await tab.getByText('4 events').waitFor()
  expect(await tab.locator('.scrub.opens').count()).toBe(0)
  expect(await tab.getByRole('button', { name: 'Save…' }).count()).toBe(0)
  expect(await isAsWideAsTheWindow(tab)).toBe(true)
  expect(faults).toEqual([])
})

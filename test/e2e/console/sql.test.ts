import { readFile } from 'node:fs/promises'
import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  enter,
  identify,
  isAsWideAsTheWindow,
  newKey,
  newStage,
  openPage,
  paste,
  send,
  untilPersons
} from '../../support/pages.ts'
import { until } from '../../support/until.ts'

const { url } = inject('service')

/** Markup, and a letter that turns the direction of the text. */
const HOSTILE = `<img src=x onerror=alert(1)>\u202e it's \\ "${'long name '.repeat(10)}`

/** A project with two persons, one of whom has sent an event with a hostile name. */
async function newWorkshop() {
  const stage = await newStage()
  await send(
    stage.token,
    ...['ada', 'bo'].map((id) => identify(id, { email: `${id}@example.com` })),
    ...['free', 'pro', 'pro'].map((plan, i) => ({
      event: 'signed up',
      distinct_id: i === 1 ? 'bo' : 'ada',
      properties: { plan, 'seats per room': i + 1 }
    })),
    { event: HOSTILE, distinct_id: 'ada', properties: { [HOSTILE]: HOSTILE } }
  )
  await untilPersons(stage, 2)
  return stage
}

it.skipIf(!hasBrowser())('a statement is written, run, mended, drawn, and saved', async () => {
  const stage = await newWorkshop()
  const { tab, faults } = await enter(stage.key)
  const field = tab.getByRole('textbox', { name: 'Statement' })
  const answer = tab.getByRole('region', { name: 'Answer' })
  const type = async (text: string) => {
    await field.fill('')
    await field.pressSequentially(text)
  }
  const open = (page: string) => tab.goto(`${url}/console/#/${stage.projectId}/${page}`)

  // The page opens with an answer; its names come from the project, as one types.
  await openPage(tab, 's')
  await answer.getByRole('cell', { name: 'signed up' }).waitFor()
  await type('sel')
  await tab
    .getByRole('option', { name: /^select/ })
    .first()
    .waitFor()
  await tab.keyboard.press('Enter')
  await field.pressSequentially(' properties.seats')
  await tab.getByRole('option', { name: /seats per room/ }).waitFor()
  expect(await field.getAttribute('aria-activedescendant')).toMatch(/-0$/)
  await tab.keyboard.press('Tab')
  await field.fill(`${await field.inputValue()} as seats, evnt from events where event = `)
  await field.pressSequentially("'sig")
  await tab.getByRole('option', { name: /signed up/ }).click()
  await tab.keyboard.press('Control+Enter')

  // The fault is underlined, and said below.
  await tab.getByText('Line 1, column 46').click()
  expect(await tab.locator('.editor .wrong').textContent()).toBe('evnt')
  expect(await tab.evaluate<number>('document.activeElement.selectionStart')).toBe(45)
  for (let letter = 0; letter < 4; letter += 1) {
    await tab.keyboard.press('Delete')
  }
  await field.pressSequentially('person_id ')
  await tab.keyboard.press('Control+Enter')
  await answer.getByRole('columnheader', { name: 'seats' }).waitFor()
  expect(await answer.getByRole('row').count()).toBe(4)
  expect(await answer.getByRole('link').first().getAttribute('href')).toMatch(
    /persons\/[\da-f-]{36}$/
  )
  expect(await field.inputValue()).toContain("event = 'signed up'")

  // A link shows the same; the previous statement is one step back.
  expect(decodeURIComponent(tab.url())).toContain('seats+per+room')
  expect(tab.url()).not.toContain(stage.key)
  await tab.reload()
  await answer.getByRole('columnheader', { name: 'seats' }).waitFor()

  // A name of the list is written where the caret stands; hostile names stay what they are.
  await field.fill('SELECT count() FROM events WHERE event = ')
  await tab.getByRole('button', { name: 'Events', exact: true }).click()
  await tab.locator('.tree').getByRole('button', { name: /<img/ }).click()
  await tab.getByRole('button', { name: /^Run/ }).click()
  await answer.getByRole('cell', { name: '1', exact: true }).waitFor()
  await field.fill(
    `SELECT properties.\`${HOSTILE.replaceAll('\\', '\\\\')}\` AS p, uuid FROM events`
  )
  await tab.keyboard.press('Control+Enter')
  await answer.getByText('<img').first().waitFor()
  await answer.getByRole('button', { name: 'Row 1' }).click()
  await tab.getByRole('dialog', { name: 'Row 1' }).getByRole('button', { name: 'Close' }).click()

  // History takes a statement up again.
  await tab.getByRole('button', { name: 'History' }).click()
  await tab.getByRole('button', { name: /SELECT count\(\) FROM events WHERE/ }).click()
  await until(async () => (await field.inputValue()).startsWith('SELECT count()'))
  await tab.keyboard.press('Control+z')
  await until(async () => (await field.inputValue()).endsWith('uuid FROM events'))
  await tab.keyboard.press('Control+Shift+z')
  await until(async () => (await field.inputValue()).startsWith('SELECT count()'))

  // A draft is there again over its statement, and over no other.
  await open('dashboards')
  await tab.getByRole('heading', { name: 'Dashboards' }).waitFor()
  await tab.goBack()
  await until(async () => (await field.inputValue()).startsWith('SELECT count()'))
  await open('dashboards')
  await tab.getByRole('heading', { name: 'Dashboards' }).waitFor()
  const other = 'SELECT 7 AS seven FROM events LIMIT 1'
  const link = `sql?${new URLSearchParams({ q: other })}`
  await open(link)
  await answer.getByRole('columnheader', { name: 'seven' }).waitFor()
  expect(await field.inputValue()).toBe(other)

  // What takes too long is stopped, and what is shown is said to be older.
  await tab.route('**/query/', () => {})
  await field.fill('SELECT event FROM events')
  await tab.keyboard.press('Control+Enter')
  await tab.getByRole('button', { name: 'Cancel' }).click()
  await tab.getByText('Stopped', { exact: true }).waitFor()
  await tab.getByText('This is the answer to the previous statement.').waitFor()
  await tab.unroute('**/query/')

  // CSV has the rows of the statement.
  await field.fill(
    'SELECT event, count() AS n FROM events GROUP BY event ORDER BY n DESC, event LIMIT 2'
  )
  await tab.keyboard.press('Control+Enter')
  await tab.getByText('First 2 rows').waitFor()
  await tab.route('**/query/?format=csv', (route) =>
    route.fulfill({ status: 429, json: { detail: 'Too many requests.' } })
  )
  await answer.getByRole('button', { name: 'CSV' }).click()
  await answer.getByRole('alert').getByText('Too many requests.').waitFor()
  await tab.unroute('**/query/?format=csv')
  const download = tab.waitForEvent('download')
  await answer.getByRole('button', { name: 'CSV' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain('signed up,3')

  // A chart, saved, opened again, and changed.
  await answer.getByRole('button', { name: 'Chart' }).click()
  await answer.getByLabel('Kind of chart').waitFor()
  await answer.locator('svg text', { hasText: 'signed up' }).waitFor()
  await tab.getByRole('button', { name: 'Save…' }).click()
  await tab
    .getByLabel('Name', { exact: true })
    .dispatchEvent('keydown', { key: 'Escape', isComposing: true })
  await tab.getByLabel('Name', { exact: true }).fill('Events by name')
  await tab.getByRole('button', { name: 'Save the insight' }).click()
  await tab.getByRole('heading', { name: 'Events by name' }).waitFor()
  await answer.locator('svg text', { hasText: 'signed up' }).waitFor()
  await answer.getByLabel('Kind of chart').selectOption('Pie')
  await tab.getByRole('button', { name: 'Save changes' }).click()
  await until(async () => (await tab.getByText('Changed', { exact: true }).count()) === 0)
  const saved = await fetch(`${url}/api/projects/${stage.projectId}/insights/`, {
    headers: { Authorization: `Bearer ${stage.key}` }
  })
  expect(await saved.json()).toMatchObject({
    results: [{ query: { kind: 'DataVisualizationNode', display: 'ActionsPie' } }]
  })

  // Once changes are saved, the statement that was saved earlier does not run again.
  const asked: string[] = []
  tab.on('request', (request) => {
    if (request.url().includes('/query/')) {
      asked.push(request.postData() ?? '')
    }
  })
  const changed = 'SELECT event, count() AS times FROM events GROUP BY event ORDER BY event'
  await field.fill(changed)
  await tab.keyboard.press('Control+Enter')
  await answer.getByLabel('Kind of chart').waitFor()
  await tab.getByRole('button', { name: 'Save changes' }).click()
  await until(async () => (await tab.getByText('Changed', { exact: true }).count()) === 0)
  expect(await field.inputValue()).toBe(changed)
  expect(asked.filter((body) => !body.includes(changed))).toEqual([])
  await openPage(tab, 'd')
  await tab.getByRole('link', { name: 'Events by name' }).click()
  await until(() => /\/sql\/\w{12}$/.test(tab.url()))
  await answer.getByLabel('Kind of chart').waitFor()
  await tab.getByRole('link', { name: 'SQL', exact: true }).first().click()
  const statements = tab.getByRole('navigation', { name: 'Saved statements' })
  await statements.getByRole('link', { name: 'Events by name' }).waitFor()

  // A project with many insights may have no statement among those that are looked at.
  await tab.route('**/insights/?saved=*', async (route) => {
    const page = await (await route.fetch()).json()
    await route.fulfill({ json: { ...page, results: [], next: route.request().url() } })
  })
  await open(link)
  await tab.reload()
  await statements.getByRole('link', { name: 'All saved insights' }).waitFor()
  await tab.unroute('**/insights/?saved=*')

  // Who signs out leaves nothing behind.
  await open(link)
  await answer.getByRole('columnheader', { name: 'seven' }).waitFor()
  await field.fill('SELECT a draft')
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await tab.getByLabel('Key', { exact: true }).waitFor()
  expect(await tab.evaluate<number>('sessionStorage.length + localStorage.length')).toBe(0)
  await paste(tab, stage.key)
  await open(link)
  await answer.getByRole('columnheader', { name: 'seven' }).waitFor()
  expect(await field.inputValue()).toBe(other)
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())('a key that may only ask sees no persons, also on a phone', async () => {
  const { projectId } = await newWorkshop()
  const { key } = await newKey(projectId, 'query:read')
  const { tab, faults } = await enter(key, 375)
  const answer = tab.getByRole('region', { name: 'Answer' })

  await openPage(tab, 's')
  await answer.getByRole('cell', { name: 'signed up' }).waitFor()
  expect(await isAsWideAsTheWindow(tab)).toBe(true)
  expect(await tab.getByRole('button', { name: 'Save…' }).count()).toBe(0)
  await tab.getByRole('button', { name: 'Tables' }).click()
  const tables = tab.getByRole('dialog', { name: 'Tables' })
  await tables.getByRole('button', { name: 'sessions' }).waitFor()
  expect(await tables.getByRole('button', { name: /^person\.properties|^persons/ }).count()).toBe(0)
  await tables.getByRole('button', { name: 'Close' }).click()

  const field = tab.getByRole('textbox', { name: 'Statement' })
  await field.fill('SELECT person.properties.email FROM events')
  await tab.getByRole('button', { name: /^Run/ }).click()
  await tab.getByText(/lacks the scope person:read/).waitFor()
  await field.fill('SELECT person_id FROM events LIMIT 1')
  await tab.getByRole('button', { name: /^Run/ }).click()
  await answer.getByRole('columnheader', { name: 'person_id' }).waitFor()
  expect(await answer.getByRole('link').count()).toBe(0)
  expect(faults).toEqual([])
})

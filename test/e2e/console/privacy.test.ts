import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  enter,
  identify,
  isAsWideAsTheWindow,
  newKey,
  newStage,
  openPage,
  type Stage,
  send,
  untilPersons
} from '../../support/pages.ts'

const { url } = inject('service')

const open = (tab: Page, { projectId }: Stage, page: string) =>
  tab.goto(`${url}/console/#/${projectId}/privacy${page}`)

async function call(stage: Stage, path: string, init: RequestInit = {}) {
  const answer = await fetch(`${url}/api/projects/${stage.projectId}/${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${stage.key}`, 'Content-Type': 'application/json' }
  })
  return Object(answer.status === 204 ? undefined : await answer.json())
}

/** Presses a button that saves a file. @returns the text of the file */
async function saved(tab: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    tab.waitForEvent('download'),
    tab.getByRole('button', { name: button }).click()
  ])
  return readFileSync(await download.path(), 'utf8')
}

const choose = (tab: Page, name: string, text: string) =>
  tab
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })

it.skipIf(!hasBrowser())(
  'a person is found by another spelling, erased, and the receipt is verified from its file',
  async () => {
    const stage = await newStage()
    await send(
      stage.token,
      identify('ada', { name: 'Ada', email: 'ada.l@example.com' }),
      identify('bob', { name: 'Bob', friend: 'ada.l@example.com' })
    )
    await untilPersons(stage, 2)
    const { tab, faults } = await enter(stage.key)
    await openPage(tab, 'y')
    await tab.getByText('Nobody has been erased so far.').waitFor()

    await tab.getByRole('link', { name: 'Erase a person…' }).click()
    await tab.getByLabel('E-mail address, name or distinct id').fill('A.da.L+news@example.com')
    await tab.keyboard.press('Enter')
    await tab.getByText('These are other spellings of it').waitFor()
    await tab.getByRole('button', { name: 'Ada' }).click()

    // A property of Bob names her, and so does the event that has set it.
    await tab.getByText('2 mentions stay unless you remove them.').waitFor()
    await tab.getByRole('button', { name: 'Remove 2 of them' }).click()
    await tab.getByText('One mention stays').waitFor()
    await tab.getByText('until then they are still found').waitFor()
    await tab.getByLabel('Erase the events, too').uncheck()
    await tab.getByLabel(/^Type ada/).fill('ada.l@example.com')
    await tab.getByRole('button', { name: 'Erase and sign a receipt' }).click()
    await tab.getByRole('button', { name: 'Show the erasure' }).click()

    await tab.getByRole('heading', { name: 'Found, removed, left' }).waitFor()
    await tab.getByLabel('Distinct id', { exact: true }).fill('ada')
    await tab.keyboard.press('Enter')
    await tab.getByText('Yes: it is about this distinct id.').waitFor()
    const receipt = await saved(tab, 'Save the receipt')
    const page = await saved(tab, 'Save its page')

    await open(tab, stage, '/verify')
    await choose(tab, 'receipt.json', receipt)
    await tab.getByText('The signature is genuine.').waitFor()
    await choose(tab, 'receipt.html', page)
    await tab.getByRole('heading', { name: 'receipt.html' }).waitFor()
    await tab.getByText('The signature is genuine.').waitFor()
    await choose(
      tab,
      'changed.json',
      receipt.replace('"late_events_dropped": 0', '"late_events_dropped": 1')
    )
    await tab.getByText('This receipt is forged, or was changed.').waitFor()
    const { key } = JSON.parse(receipt)
    await choose(tab, 'foreign.json', receipt.replaceAll(key, 'a'.repeat(64)))
    await tab.getByText('Another deployment has signed this receipt, or nobody has.').waitFor()
    await choose(tab, 'notes.json', '{"a":1}')
    await tab.getByText('This is not a receipt.').waitFor()
    expect(faults).toEqual([])
  }
)

it.skipIf(!hasBrowser())('events are counted, deleted, and listed', async () => {
  const stage = await newStage()
  const events = ['cake eaten', 'cake eaten', 'tea drunk'].map((event) => ({
    event,
    distinct_id: 'ada',
    properties: { cake: 'plum' }
  }))
  await send(stage.token, identify('ada', {}), ...events)
  await untilPersons(stage, 1)
  const { tab, faults } = await enter(stage.key)

  await open(tab, stage, '/events')
  const look = tab.getByRole('button', { name: 'Count the events' })
  expect(await look.isDisabled()).toBe(true)
  await tab.getByLabel('Names of the events').fill('cake eaten')
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: 'Only remove properties' }).click()
  // Without a property, the request would delete the events.
  expect(await look.isDisabled()).toBe(true)
  await tab.getByRole('button', { name: 'Delete the events' }).click()
  await tab.reload()
  await look.click()
  await tab.getByRole('heading', { name: 'Delete 2 events?' }).waitFor()
  const remove = tab.getByRole('button', { name: 'Delete and sign a receipt' })
  await tab.getByLabel('Type 2 to confirm').fill('3')
  expect(await remove.isDisabled()).toBe(true)
  await tab.getByLabel('Type 2 to confirm').fill('2')
  await remove.click()
  await tab.getByRole('button', { name: 'Show it' }).click()

  await tab.getByText('Events deleted: 0 of 2 events').waitFor()
  const { results } = await call(stage, 'events/deletions/')
  expect(results).toMatchObject([{ status: 'queued', events: { found: 2 } }])
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())('a suppression is made, found and lifted', async () => {
  const stage = await newStage()
  const { tab, faults } = await enter(stage.key)

  await open(tab, stage, '/suppressions')
  await tab.getByRole('button', { name: 'Suppress…' }).click()
  await tab.getByLabel('Distinct id', { exact: true }).fill('eve')
  await tab.getByRole('button', { name: 'Suppress', exact: true }).click()
  await tab.getByText('A distinct id without a person').waitFor()
  const receipt = JSON.parse(await saved(tab, 'Save the receipt'))
  expect(receipt).toMatchObject({ kind: 'suppression', lifted_at: null })

  await tab.getByLabel('Covers the distinct id').fill('bob')
  await tab.keyboard.press('Enter')
  await tab.getByText('This distinct id is not suppressed.').waitFor()
  await tab.getByLabel('Covers the distinct id').fill('eve')
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: 'Lift…' }).click()
  await tab.getByText('Nothing was dropped so far.').waitFor()
  await tab.getByRole('button', { name: 'Lift the suppression' }).click()
  await tab.getByText('This distinct id is not suppressed.').waitFor()
  await tab.getByRole('button', { name: 'Lifted' }).click()
  await tab.getByText('A distinct id without a person').waitFor()
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())('who may only read sees no deed, also on a phone', async () => {
  const stage = await newStage()
  const hostile = `<img src=x onerror="alert(1)">\u202e${'W'.repeat(300)}`
  await send(stage.token, identify('ada', {}), { event: hostile, distinct_id: 'ada' })
  await untilPersons(stage, 1)
  const { results } = await call(stage, 'persons/')
  await call(stage, `persons/${results[0].uuid}/`, { method: 'DELETE' })
  const { results: stored } = await call(stage, 'event_definitions/')
  const events = stored.map(({ name }: { name: string }) => name)
  const post = (body: object) =>
    call(stage, 'events/delete/', { method: 'POST', body: JSON.stringify(body) })
  const { token } = await post({ events, dry_run: true })
  expect(await post({ events, token })).toMatchObject({ status: 'queued' })
  const { key } = await newKey(stage.projectId, 'person:read')
  const { tab, faults } = await enter(key, 375)

  for (const [page, words] of [
    ['', 'Verified'],
    [`/erasures/${results[0].uuid}`, 'This person is erased'],
    ['/events', 'Queued'],
    ['/suppressions', 'Nobody is suppressed.'],
    ['/verify', 'Drop a receipt here, or choose its file']
  ] as const) {
    await open(tab, stage, page)
    await tab.getByText(words).first().waitFor()
    expect([page, await isAsWideAsTheWindow(tab)]).toEqual([page, true])
    const deeds = tab.getByText(/^(Erase|Suppress|Lift).*…$|^Count the events$/)
    expect([page, await deeds.count()]).toEqual([page, 0])
  }
  expect(await tab.locator('img').count()).toBe(0)
  expect(faults).toEqual([])
})

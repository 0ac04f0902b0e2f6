import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  enter,
  identify,
  isAsWideAsTheWindow,
  newStage,
  openPage,
  openTab,
  paste,
  send,
  untilPersons
} from '../../support/pages.ts'
import { administer } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const { url, stateDir } = inject('service')

it.skipIf(!hasBrowser())('a link opens the console once, and says so the second time', async () => {
  const { projectId } = await newStage()
  const { link } = await administer(
    stateDir,
    ...['key', 'invite', '--email', `grace-${projectId}@example.com`, '--role', 'editor'],
    ...['--project', String(projectId), '--url', url]
  )
  const { tab, faults } = await openTab()

  await tab.goto(link)
  await tab.getByRole('heading', { name: 'Overview' }).waitFor()

  await until(() => tab.url() === `${url}/console/#/${projectId}/overview`)
  expect(await tab.evaluate<string>('localStorage.getItem("edge-analytics-key") ?? ""')).toBe('')
  await tab.getByRole('button', { name: 'Remember it' }).click()
  expect(await tab.evaluate<string>('localStorage.getItem("edge-analytics-key")')).toMatch(/^phx_/)
  expect(faults).toEqual([])

  const second = await openTab()
  await second.tab.goto(link)
  await second.tab.getByText(/This link was used at .+, and works only once/).waitFor()
  expect(second.tab.url()).not.toContain('code=')

  // The key is named after the browser, and revoked when its holder signs out.
  await tab.getByRole('button', { name: 'Sign out' }).first().click()
  await tab.getByRole('heading', { name: 'Open the console' }).waitFor()
  const { keys } = await administer(stateDir, 'key', 'list')
  const made = keys.filter(({ project_ids }: { project_ids: number[] }) =>
    project_ids.includes(projectId)
  )
  expect(made.at(-1)).toMatchObject({ label: 'Chrome on Linux', revoked_at: expect.any(String) })
})

it.skipIf(!hasBrowser())('the first event is seen by itself', async () => {
  const { token, key, projectId } = await newStage()
  const { tab, faults } = await enter(key)

  await openPage(tab, 'v')
  await tab.getByText('Waiting for the first event').waitFor()
  expect(await tab.locator('pre').textContent()).toContain(token)
  await send(token, { event: 'cake eaten', distinct_id: 'ada', properties: { cake: 'plum' } })

  await tab.getByRole('button', { name: 'cake eaten' }).click()
  const event = tab.getByRole('complementary', { name: 'The event' })
  expect(await event.textContent()).toContain('plum')

  // Filters by properties, and by the fields of an event.
  await tab.keyboard.press('f')
  await tab.keyboard.type('cake')
  await tab.getByRole('option', { name: 'cake', exact: true }).first().waitFor()
  await tab.keyboard.press('Enter')
  await tab.getByRole('combobox', { name: 'Value' }).waitFor()
  await tab.keyboard.type('plum')
  await tab.getByRole('option', { name: /^plum/ }).waitFor()
  await tab.keyboard.press('Enter')
  await tab.keyboard.press('Enter')
  await tab.getByRole('button', { name: /^cake is plum/ }).waitFor()
  await tab.getByRole('button', { name: 'cake eaten' }).waitFor()
  await tab.goto(
    `${url}/console/#/${projectId}/events?event=other&properties=${encodeURIComponent('[]')}`
  )
  await tab.getByText('No events match.').waitFor()
  await tab.getByRole('button', { name: 'Remove the filter Event' }).click()
  await tab.getByRole('button', { name: 'cake eaten' }).waitFor()
  expect(faults).toEqual([])
})

it.skipIf(!hasBrowser())(
  'a page that the key may not see is neither listed nor shown',
  async () => {
    const stage = await newStage('person:read')
    const { tab } = await enter(stage.key)

    expect(await tab.locator('.nav nav a').allTextContents()).toEqual(['Persons', 'Privacy'])
    await tab.goto(`${url}/console/#/${stage.projectId}/events`)
    await tab.getByText('There is no page here.').waitFor()

    await send(stage.token, identify('ada', { email: 'ada@example.com' }))
    await untilPersons(stage, 1)
    await tab.goto(`${url}/console/#/${stage.projectId}/persons`)
    await tab.getByRole('link', { name: 'ada@example.com' }).click()
    await tab.getByText('It lacks the scope query:read.').waitFor()
    expect(await tab.getByRole('button', { name: 'Erase…' }).count()).toBe(0)
  }
)

it.skipIf(!hasBrowser())(
  'a key revoked in the middle is replaced without losing the place',
  async () => {
    const stage = await newStage()
    await send(stage.token, identify('ada', { email: 'ada@example.com' }))
    await untilPersons(stage, 1)
    const { tab } = await enter(stage.key)
    await openPage(tab, 'p')
    await tab.getByRole('link', { name: 'ada@example.com' }).waitFor()
    await administer(stateDir, 'key', 'revoke', String(stage.keyId))

    await tab.getByRole('link', { name: 'ada@example.com' }).click()
    await tab.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    const place = tab.url()
    await paste(tab, 'phx_notAKeyOfThisServiceAtAll')
    await tab.getByText(/This key is not valid/).waitFor()
    const other = await administer(
      stateDir,
      ...['key', 'create', '--label', 'other', '--scopes', '*'],
      ...['--project', String(stage.projectId)]
    )
    await paste(tab, other.key)

    await tab.getByRole('heading', { name: 'ada@example.com' }).waitFor()
    expect(tab.url()).toBe(place)
  }
)

it.skipIf(!hasBrowser())(
  'a person is found, changed, split and erased with the keyboard',
  async () => {
    const stage = await newStage()
    await send(
      stage.token,
      identify('ada', { name: 'Ada', plan: 'free' }),
      { event: '$create_alias', distinct_id: 'ada', properties: { alias: 'ada-phone' } },
      identify('bob', { name: 'Bob' }),
      { event: '$set', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } }
    )
    await untilPersons(stage, 2)
    const { tab, faults } = await enter(stage.key)
    await openPage(tab, 'p')
    await tab.getByRole('link', { name: 'Bob' }).waitFor()

    await tab.keyboard.press('/')
    await tab.keyboard.type('Ada')
    await until(async () => (await tab.getByRole('link', { name: 'Bob' }).count()) === 0)
    expect(tab.url()).toContain('search=Ada')
    await tab.locator('main').click({ position: { x: 600, y: 700 } })
    await tab.keyboard.press('j')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Ada', exact: true }).waitFor()

    await tab.getByRole('button', { name: 'Edit plan' }).press('Enter')
    await tab.getByLabel('Value', { exact: true }).fill('team')
    await tab.keyboard.press('Enter')
    await tab.getByText('plan is saved').waitFor()
    await tab.locator('dd', { hasText: 'team' }).waitFor()

    await tab.getByRole('button', { name: 'Split…' }).press('Enter')
    await tab.getByLabel('ada-phone').press(' ')
    await tab.getByRole('button', { name: 'Split off one id' }).press('Enter')
    await until(async () => (await tab.getByRole('button', { name: 'Split…' }).count()) === 0)

    await tab.getByRole('button', { name: 'Erase…' }).press('Enter')
    const erase = tab.getByRole('button', { name: 'Erase and sign a receipt' })
    await tab.getByRole('row', { name: 'The person and the properties 1' }).waitFor()
    expect(await erase.isDisabled()).toBe(true)
    await tab.getByLabel(/^Type Ada/).fill('Ada')
    await erase.press('Enter')
    await tab.getByRole('heading', { name: 'This person is erased' }).waitFor()
    await untilPersons(stage, 2)
    expect(faults).toEqual([])
  }
)

it.skipIf(!hasBrowser()).each([1280, 375])(
  'hostile names run nothing and fit into %i pixels',
  async (width) => {
    const stage = await newStage()
    const hostile = `<img src=x onerror="alert(1)">\u202e${'W'.repeat(300)}`
    await send(
      stage.token,
      identify('ada', {
        name: hostile,
        [hostile]: hostile,
        plan: '</script><script>alert(2)</script>'
      }),
      { event: hostile, distinct_id: 'ada', properties: { [hostile]: hostile } },
      {
        event: '$pageview',
        distinct_id: 'ada',
        properties: { $current_url: 'javascript:alert(3)' }
      }
    )
    await untilPersons(stage, 1)
    const { tab, faults } = await enter(stage.key, width)

    await openPage(tab, 'p')
    await tab.locator('a[data-row]').waitFor()
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    await tab.locator('a[data-row]').click()
    await tab.locator('.tl li').first().waitFor()
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    await tab.goto(`${url}/console/#/${stage.projectId}/events`)
    await tab.locator('.row-b').nth(1).waitFor()
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    await tab.locator('.row-b').nth(1).click()
    await tab.locator('.events .kv').waitFor()
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    expect(await tab.locator('img').count()).toBe(0)
    expect(faults).toEqual([])
  }
)

it('the console is served with its policy, also without the slash', async () => {
  const page = await fetch(`${url}/console`)

  expect([page.status, new URL(page.url).pathname]).toEqual([200, '/console/'])
  expect(page.headers.get('Content-Security-Policy')).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self';/
  )
  expect(await page.text()).toContain('/console/main-')
})

import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  apiOf,
  enter,
  identify,
  newKey,
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

async function edit(tab: Page, property: string, value: string): Promise<void> {
  await tab.getByRole('button', { name: `Edit ${property}` }).click()
  await tab.getByLabel('Value', { exact: true }).fill(value)
  await tab.keyboard.press('Enter')
}

it.skipIf(!hasBrowser())('two tabs, a lost connection and a refused key lose nothing', async () => {
  const stage = await newStage()
  const api = apiOf(stage)
  await send(
    stage.token,
    identify('ada', { name: 'Ada', plan: 'free', role: 'cook' }),
    identify('bob', { name: 'Bob' })
  )
  await untilPersons(stage, 2)
  const [person] = (await api('GET', 'persons/?distinct_id=ada')).results
  const stored = async () => (await api('GET', `persons/${person.uuid}/`)).properties
  const address = `${url}/console/#/${stage.projectId}/persons/${person.uuid}`
  const { tab } = await enter(stage.key)
  await tab.getByRole('button', { name: 'Stay signed in' }).click()
  const other = await tab.context().newPage()
  for (const one of [tab, other]) {
    await one.goto(address)
    await one.getByRole('button', { name: 'Edit plan' }).waitFor()
  }

  // The second tab changes what the first has open; the first changes something else.
  await edit(other, 'plan', 'pro')
  await other.getByText('plan is saved').waitFor()
  await edit(tab, 'role', 'baker')
  await tab.getByText('role is saved').waitFor()
  expect(await stored()).toMatchObject({ plan: 'pro', role: 'baker' })
  await tab.locator('dd', { hasText: 'pro' }).waitFor()

  // Without a connection, what is typed stays, and is sent once there is one.
  await tab.context().setOffline(true)
  await edit(tab, 'role', 'brewer')
  const dialog = tab.getByRole('dialog')
  await dialog.getByText('The service cannot be reached.').waitFor()
  expect(await dialog.getByLabel('Value', { exact: true }).inputValue()).toBe('brewer')
  await tab.context().setOffline(false)
  await tab.keyboard.press('Enter')
  await tab.getByText('role is saved').waitFor()
  await openPage(tab, 'p')
  await tab.getByRole('link', { name: 'Bob' }).waitFor()
  await tab.context().setOffline(true)
  await tab.getByLabel('Search persons').fill('Ada')
  await tab.getByText('Trying again in a few seconds.').waitFor()
  await tab.getByRole('link', { name: 'Bob' }).waitFor()
  await tab.context().setOffline(false)
  await until(async () => (await tab.getByRole('link', { name: 'Bob' }).count()) === 0)
  expect(await tab.getByText('The service cannot be reached.').count()).toBe(0)

  // A key that is refused while something is saved, and while events are on their way.
  const { key } = await newKey(stage.projectId, '*')
  const signedIn = Promise.withResolvers<void>()
  const onTheWay = '**/events/?person_id=*'
  await tab.route(onTheWay, async (route) => {
    await signedIn.promise
    await route.continue()
  })
  const saving = '**/persons/*/'
  await tab.route(saving, async (route) => {
    if (route.request().method() === 'PATCH') {
      await administer(stateDir, 'key', 'revoke', String(stage.keyId))
    }
    await route.continue()
  })
  await tab.getByRole('link', { name: 'Ada' }).click()
  await edit(tab, 'role', 'smith')
  const signIn = tab.getByRole('dialog', { name: 'Sign in again' })
  await signIn.waitFor()
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('Escape')
  await tab.unroute(saving)
  await paste(tab, key)
  const withOther = apiOf({ ...stage, key })
  await until(async () => {
    const { properties } = await withOther('GET', `persons/${person.uuid}/`)
    return properties.plan === 'pro' && properties.role === 'smith'
  })
  signedIn.resolve()
  await tab.locator('.tl').getByText('Identified').first().waitFor()
  expect(await signIn.count()).toBe(0)
  await tab.unroute(onTheWay)

  // Who signs out in one tab has signed out in all.
  await tab.getByRole('button', { name: 'Stay signed in' }).click()
  await other.reload()
  await other.getByRole('heading', { name: 'Ada', exact: true }).waitFor()
  await tab.getByRole('button', { name: 'Sign out' }).first().click()
  await other.getByRole('heading', { name: 'Open the console' }).waitFor()
})

/** Presses Tab until an element with this name has the focus. */
async function tabTo(tab: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < 80; steps += 1) {
    await tab.keyboard.press('Tab')
    const words = await tab.evaluate<string>(
      '(({ ariaLabel, labels, textContent }) => ariaLabel ?? labels?.[0]?.textContent ?? textContent)(document.activeElement)'
    )
    if (name.test(words.trim())) {
      return
    }
  }
  throw new Error(`Tab does not reach ${name}.`)
}

it.skipIf(!hasBrowser())('the keyboard alone leads from the key to a subscription', async () => {
  const stage = await newStage()
  const api = apiOf(stage)
  const event = (name: string, id: string) => ({
    event: name,
    distinct_id: id,
    properties: { $geoip_country_code: 'DE', $geoip_country_name: 'Germany', $session_id: id }
  })
  await send(
    stage.token,
    ...['ada', 'bo'].flatMap((id) => [event('$pageview', id), event('signed up', id)])
  )
  await untilPersons(stage, 2)
  const { tab, faults } = await openTab()
  const { keyboard } = tab
  await tab.goto(`${url}/console/`)
  await tab.getByRole('heading', { name: 'Open the console' }).waitFor()
  await keyboard.type(stage.key)
  await keyboard.press('Enter')
  await tab.locator('.chart svg').first().waitFor()

  // Sign-ups by country, and who they are.
  await tabTo(tab, /^Page views/)
  await keyboard.press('Enter')
  await until(() => tab.url().includes('metric=views'))
  await openPage(tab, 'e')
  await tabTo(tab, /^Event A/)
  await keyboard.press('Enter')
  await keyboard.type('signed')
  await tab.getByRole('option', { name: 'signed up' }).waitFor()
  await keyboard.press('Enter')
  await tabTo(tab, /^Break down by/)
  await keyboard.press('Enter')
  await keyboard.type('country')
  await tab
    .getByRole('option', { name: /^Country/ })
    .first()
    .waitFor()
  const offered = await tab.locator('[role=option] bdi').allTextContents()
  expect(offered.slice(0, 2)).toEqual(['Country', 'Country name'])
  await keyboard.press('Enter')
  await tab.getByRole('region', { name: 'Series' }).getByText('Germany').waitFor()
  await tabTo(tab, /^Points of/)
  await keyboard.press('ArrowLeft')
  await keyboard.press('Enter')
  const drawer = tab.getByRole('complementary', { name: 'Persons behind the point' })
  await drawer.getByRole('heading', { name: '2 persons' }).waitFor()
  await keyboard.press('Escape')

  // Saved, and every Monday by e-mail.
  await tab.getByRole('heading', { name: 'Explore' }).waitFor()
  await tabTo(tab, /^Subscribe$/)
  await keyboard.press('Enter')
  await tab.getByRole('dialog').waitFor()
  await keyboard.press('ControlOrMeta+a')
  await keyboard.type('Sign-ups by country')
  await keyboard.press('Enter')
  await tab.getByRole('heading', { name: 'Subscribe to the insight' }).waitFor()
  await tabTo(tab, /^To$/)
  await keyboard.type('team@example.com')
  await keyboard.press('Enter')
  await tab.getByText('sent every week on Monday').waitFor()
  expect((await api('GET', 'subscriptions/')).results).toMatchObject([
    { target_value: 'team@example.com', frequency: 'weekly' }
  ])
  expect(faults).toEqual([])
})

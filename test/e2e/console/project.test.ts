import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  enter,
  identify,
  isAsWideAsTheWindow,
  newStage,
  openPage,
  openTab,
  send,
  untilPersons
} from '../../support/pages.ts'
import { until } from '../../support/until.ts'

const { url } = inject('service')

/** A name that runs if it is taken for markup, turns the text around it, and is long. */
const HOSTILE = `"><img src=x onerror=alert(1)>\u202e${'w'.repeat(140)}`

it.skipIf(!hasBrowser())(
  'an admin sets the project up, makes a key, invites someone and revokes both',
  async () => {
    const stage = await newStage()
    await send(stage.token, identify('ada', { name: 'Ada' }))
    await untilPersons(stage, 1)
    const { tab, faults } = await enter(stage.key)

    await openPage(tab, 'j')
    await tab.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(await tab.locator('.sections pre').textContent()).toContain(stage.token)
    await tab.getByLabel('Time zone').fill('Mars/Olympus')
    await tab.getByRole('button', { name: 'Save changes' }).click()
    await tab.getByText("'Mars/Olympus' is not an IANA time zone.").waitFor()
    await tab.getByLabel('Time zone').fill('Asia/Tokyo')
    await tab.getByLabel('Name', { exact: true }).fill(HOSTILE)
    await tab.getByRole('button', { name: 'Monday' }).click()
    await tab.getByRole('button', { name: 'Save changes' }).click()
    await tab.getByText('The changes are saved').waitFor()
    const shown = await fetch(`${url}/api/projects/${stage.projectId}/`, {
      headers: { Authorization: `Bearer ${stage.key}` }
    })
    expect(await shown.json()).toMatchObject({
      name: HOSTILE,
      timezone: 'Asia/Tokyo',
      week_start_day: 1
    })
    expect(await tab.locator('.nav .project').textContent()).toContain('<img')
    expect(await isAsWideAsTheWindow(tab)).toBe(true)

    await tab.getByRole('link', { name: 'Recording', exact: true }).click()
    await tab.getByLabel('Days for which recordings are kept').fill('90')
    await tab.getByLabel('Days for which recordings are kept').press('Tab')
    await tab.getByRole('button', { name: 'Save changes' }).click()
    await until(async () => (await tab.getByText('The changes are saved').count()) > 0)

    await tab.getByRole('link', { name: 'Keys', exact: true }).click()
    await tab.getByRole('button', { name: 'New key' }).click()
    await tab.getByLabel('Name', { exact: true }).fill(HOSTILE)
    await tab.getByRole('group', { name: 'Person', exact: true }).getByText('Read').click()
    await tab.getByRole('button', { name: 'Make the key' }).click()
    const made = (await tab.locator('dialog code').textContent()) ?? ''
    expect(made).toMatch(/^phx_/)
    await tab.getByRole('button', { name: 'I have kept it' }).click()
    const persons = () =>
      fetch(`${url}/api/projects/${stage.projectId}/persons/`, {
        headers: { Authorization: `Bearer ${made}` }
      })
    expect((await persons()).status).toBe(200)
    const row = tab.getByRole('row').filter({ hasText: 'insight:read, person:read' })
    await row.waitFor()
    expect(await tab.content()).not.toContain(made)
    expect(await isAsWideAsTheWindow(tab)).toBe(true)

    await tab.getByRole('button', { name: 'Invite…' }).click()
    await tab.getByLabel('E-mail address').fill('nobody')
    await tab.getByRole('button', { name: 'Send the invitation' }).click()
    await tab.locator('dialog .wrong-text').waitFor()
    await tab.getByLabel('E-mail address').fill(`tomas-${stage.projectId}@example.com`)
    await tab.getByRole('radio', { name: /Viewer/ }).check()
    await tab.getByRole('button', { name: 'Make a link' }).click()
    const link = (await tab.locator('dialog code').textContent()) ?? ''
    await tab.getByRole('button', { name: 'Done' }).click()
    const invited = tab.getByRole('row').filter({ hasText: `tomas-${stage.projectId}@` })
    await invited.waitFor()

    // The viewer sees the settings, and neither keys nor a way to change anything.
    const viewer = await openTab(375)
    await viewer.tab.goto(link)
    await until(() => /#\/\d+\/\w/.test(viewer.tab.url()))
    await viewer.tab.goto(`${url}/console/#/${stage.projectId}/project`)
    await viewer.tab.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(await viewer.tab.locator('.subnav a').allTextContents()).toEqual([
      'General',
      'Recording',
      'Health',
      'Cost'
    ])
    expect(await viewer.tab.getByLabel('Time zone').isDisabled()).toBe(true)
    expect(await viewer.tab.getByRole('button', { name: 'Save changes' }).count()).toBe(0)
    await viewer.tab.getByRole('link', { name: 'Cost' }).click()
    await viewer.tab.getByText('events in the last 30 days').waitFor()
    expect(await isAsWideAsTheWindow(viewer.tab)).toBe(true)

    await tab.reload()
    await until(async () => (await invited.count()) === 0)
    await tab.getByRole('row').filter({ hasText: 'Viewer' }).waitFor()
    await row.getByRole('button').click()
    await tab.getByRole('button', { name: 'Revoke the key' }).click()
    await until(async () => (await row.count()) === 0)
    expect((await persons()).status).toBe(401)

    await tab.setViewportSize({ width: 375, height: 800 })
    for (const part of ['Keys', 'Users', 'Health', 'Cost', 'General']) {
      await tab.locator('.subnav').getByRole('link', { name: part, exact: true }).click()
      await tab.locator('.sections .card').first().waitFor()
      expect([part, await isAsWideAsTheWindow(tab)]).toEqual([part, true])
    }
    await tab.goBack()
    await tab.getByRole('heading', { name: 'Estimate of a month' }).waitFor()
    expect([...faults, ...viewer.faults]).toEqual([])
  }
)

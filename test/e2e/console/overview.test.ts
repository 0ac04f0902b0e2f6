import { expect, inject, it } from 'vitest'
import { ROLE_SCOPES } from '../../../src/access/roles.ts'
import { hasBrowser } from '../../support/browser.ts'
import { apiOf, enter, isAsWideAsTheWindow, newStage, send } from '../../support/pages.ts'
import { until } from '../../support/until.ts'

const { url } = inject('service')

const DAY = 86_400_000

const view = (who: string, session: string, path: string, more: object = {}, age = 0) => ({
  event: '$pageview',
  distinct_id: who,
  timestamp: new Date(Date.now() - age).toISOString(),
  properties: {
    $session_id: session,
    $pathname: path,
    $current_url: `https://shop.example${path}`,
    ...more
  }
})

const GERMANY = { $geoip_country_code: 'DE', $geoip_country_name: 'Germany' }
const SINGAPORE = { $geoip_country_code: 'SG', $geoip_country_name: 'Singapore' }
const CHROME = { $browser: 'Chrome', $device_type: 'Desktop' }
const SAFARI = { $browser: 'Safari', $device_type: 'Mobile' }
const HOSTILE = `/<img src=x onerror="alert(1)">\u202e${'W'.repeat(300)}`

/** Waits until the project has as many page views. */
const untilViews = (stage: { projectId: number; key: string }, views: number) =>
  until(async () => {
    const answer = await fetch(`${url}/api/projects/${stage.projectId}/query/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stage.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: { kind: 'WebOverviewQuery', properties: [], dateRange: { date_from: '-60d' } }
      })
    })
    return Object(await answer.json()).results[1].value === views
  })

it.skipIf(!hasBrowser())(
  'the overview narrows by clicks and keys, and its address holds it',
  async () => {
    const stage = await newStage()
    const { tab, faults } = await enter(stage.key)
    await tab.getByText('Waiting for the first event').waitFor()
    await send(stage.token, view('ada', 's1', '/', CHROME))
    const metric = (name: string) => tab.getByRole('button', { name: new RegExp(`^${name}`) })
    const shows = (name: string, text: RegExp) =>
      until(async () => text.test((await metric(name).textContent()) ?? ''))
    await shows('Visitors', /^Visitors1(?!\d)/)

    await send(
      stage.token,
      view('ada', 's1', '/pricing', { ...CHROME, ...GERMANY }),
      view('bo', 's2', '/', { ...SAFARI, ...SINGAPORE }),
      view('cy', 's3', HOSTILE, CHROME),
      view('cy', 's0', '/', CHROME, 36 * DAY)
    )
    await untilViews(stage, 5)
    const note = { content: 'New prices', scope: 'project', date_marker: new Date().toISOString() }
    await apiOf(stage)('POST', 'annotations/', note)
    const asked: string[] = []
    tab.on('request', (request) => {
      if (request.url().includes('/api/')) {
        asked.push(request.url())
      }
    })
    await tab.reload()
    await shows('Visitors', /^Visitors3up 200/)
    await tab.getByText(/online$/).waitFor()
    await tab.locator('.chart svg text', { hasText: 'New prices' }).waitFor()
    expect(asked.length).toBeLessThanOrEqual(3)

    // The pressed number is drawn.
    await metric('Page views').click()
    expect(await metric('Page views').getAttribute('aria-pressed')).toBe('true')
    expect(tab.url()).toContain('metric=views')
    await tab.locator('.chart svg').first().waitFor()

    // A row is a filter: a click sets it, a second one removes it.
    const safari = tab.getByRole('button', { name: /^Safari/ })
    await safari.click()
    await shows('Visitors', /^Visitors1(?!\d)/)
    expect(new URLSearchParams(tab.url().split('?')[1]).get('properties')).toBe(
      '[{"type":"event","key":"$browser","operator":"exact","value":["Safari"]}]'
    )
    await safari.click()
    await shows('Visitors', /^Visitors3/)
    await tab.goBack()
    await shows('Visitors', /^Visitors1(?!\d)/)
    await tab.getByRole('button', { name: /^Browser is Safari/ }).press('Backspace')
    await shows('Visitors', /^Visitors3/)

    // The same with the keyboard alone; properties and values are offered.
    await tab.keyboard.press('f')
    await tab.keyboard.type('$brows')
    await tab
      .getByRole('option', { name: /^Browser/ })
      .first()
      .waitFor()
    await tab.keyboard.press('Enter')
    await tab.getByRole('option', { name: /^Chrome/ }).waitFor()
    await tab.keyboard.type('chr')
    await until(async () => (await tab.getByRole('option', { name: /^Safari/ }).count()) === 0)
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('Enter')
    await shows('Visitors', /^Visitors2/)
    await tab.getByRole('button', { name: 'Remove the filter Browser' }).press('Enter')
    await shows('Visitors', /^Visitors3/)

    // A map of countries, which are filters, too; the smallest ones are dots.
    await tab.getByRole('button', { name: 'Map' }).click()
    const map = tab.getByRole('region', { name: 'Map of visitors by country' })
    const germany = map.getByRole('link', { name: /^Germany · 1/ })
    await germany.click()
    await shows('Visitors', /^Visitors1(?!\d)/)
    expect(tab.url()).toContain('places=map')
    expect(await germany.getAttribute('aria-current')).toBe('true')
    await germany.press('Enter')
    await shows('Visitors', /^Visitors3/)
    await map.getByRole('link', { name: /^Singapore · 1/ }).click()
    await shows('Visitors', /^Visitors1(?!\d)/)
    await tab.goBack()
    await shows('Visitors', /^Visitors3/)

    // Other lists, the whole list, the period and its comparison.
    await tab.getByRole('button', { name: 'Entry' }).click()
    await until(
      async () => (await tab.getByRole('region', { name: 'Pages' }).locator('li').count()) === 2
    )
    expect(tab.url()).toContain('pages=entry')
    await tab.keyboard.press('[')
    await until(() => /date_from=20\d\d-\d\d-\d\d&date_to=/.test(tab.url()))
    await shows('Visitors', /^Visitors1(?!\d)/)
    await tab.keyboard.press(']')
    await until(() => !tab.url().includes('date_from'))
    await tab.keyboard.press('c')
    await tab.getByRole('button', { name: 'No comparison' }).click()
    await until(async () => !/up/.test((await metric('Visitors').textContent()) ?? 'up'))
    expect(tab.url()).toContain('compare_to=none')
    await tab.keyboard.press('y')
    await tab.getByText('No events in this period.').waitFor()

    // A phone; names run nothing and break nothing.
    await tab.setViewportSize({ width: 375, height: 800 })
    await tab.goto(`${url}/console/#/${stage.projectId}/overview?date_from=all`)
    await shows('Page views', /^Page views5/)
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    await tab.getByRole('button', { name: /^Filter$/ }).click()
    await tab.getByRole('combobox', { name: 'Property' }).waitFor()
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    expect(await tab.locator('img').count()).toBe(0)
    expect(faults).toEqual([])
  }
)

it.skipIf(!hasBrowser())(
  'a viewer sees the overview, and what its address cannot mean',
  async () => {
    const stage = await newStage(ROLE_SCOPES.viewer.join(','))
    await send(stage.token, view('ada', 's1', '/', CHROME))
    await untilViews(stage, 1)
    const { tab, faults } = await enter(stage.key)

    await tab.getByRole('button', { name: /^Visitors1(?!\d)|^Visitors 1/ }).waitFor()
    expect(await tab.getByRole('alert').count()).toBe(0)
    expect(await tab.getByRole('link', { name: 'All events' }).count()).toBe(0)
    await tab.goto(`${url}/console/#/${stage.projectId}/overview?properties=%7B`)
    await tab.getByRole('alert').waitFor()
    await tab
      .getByRole('button', { name: 'Remove the filter A filter that cannot be read' })
      .click()
    await until(async () => (await tab.getByRole('alert').count()) === 0)
    expect(faults).toEqual([])
  }
)

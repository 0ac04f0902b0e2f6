import { expect, inject, it } from 'vitest'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import { administer, newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

/** Shares a dashboard with two insights about three sign-ups. @returns the address of its page */
async function shareDashboard(): Promise<string> {
  const { url, token, projectId } = await newProject()
  const { key } = await administer(
    inject('service').stateDir,
    ...['key', 'create', '--label', 'share', '--scopes', '*', '--project', String(projectId)]
  )
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/api/environments/${projectId}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) })
    })
    return Object(await answer.json())
  }
  const batch = ['ada', 'bob', 'eve'].map((distinct_id) => ({ event: 'signed up', distinct_id }))
  await fetch(`${url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: token, batch }) })
  await until(async () => (await ask('GET', 'persons/')).count === 3)

  const { id } = await ask('POST', 'dashboards/', { name: 'Weekly', description: 'For all of us' })
  const filters = { events: [{ id: 'signed up' }], date_from: '-6d' }
  for (const [name, display] of [
    ['Sign-ups', 'ActionsLineGraph'],
    ['All sign-ups', 'BoldNumber']
  ]) {
    await ask('POST', 'insights/', { name, filters: { ...filters, display }, dashboards: [id] })
  }
  return (await ask('PATCH', `dashboards/${id}/sharing/`, { enabled: true })).url
}

it.skipIf(!hasBrowser())('a shared dashboard is readable in windows of any width', async () => {
  const address = await shareDashboard()
  const tab = await (await openBrowser()).newPage()
  const faults: string[] = []
  tab.on('console', (line) => faults.push(line.text()))
  const asked: string[] = []
  tab.on('request', (request) => asked.push(request.url()))

  for (const [width, colorScheme, drawn] of [
    [1280, 'light', '474'],
    [820, 'dark', '317'],
    [600, 'light', '474'],
    [375, 'dark', '317']
  ] as const) {
    await tab.setViewportSize({ width, height: 800 })
    await tab.emulateMedia({ colorScheme })
    await tab.goto(address)

    expect(await tab.locator('h1').textContent()).toBe('Weekly')
    const shown = await tab.evaluate<[string, number][]>(
      "[...document.querySelectorAll('svg')].filter((chart) => chart.checkVisibility()).map((chart) => [chart.getAttribute('width'), chart.clientWidth])"
    )
    expect(shown.map(([wanted]) => wanted)).toEqual([drawn, drawn])
    for (const [wanted, room] of shown) {
      expect(room / Number(wanted)).toBeGreaterThan(0.9)
      expect(room / Number(wanted)).toBeLessThan(1.4)
    }
    expect(await tab.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      colorScheme === 'dark' ? 'rgb(12, 14, 18)' : 'rgb(247, 248, 250)'
    )
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await tab.getByText('Numbers').first().click()
    expect(
      await tab.locator('tbody').first().locator('tr').last().locator('td').textContent()
    ).toBe('3')
  }

  expect(faults).toEqual([])
  expect(asked.filter((url) => !url.startsWith('data:') && url !== address)).toEqual([])
})

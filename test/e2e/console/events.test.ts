import { expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { apiOf, enter, newStage, openPage, send } from '../../support/pages.ts'
import { until } from '../../support/until.ts'

it.skipIf(!hasBrowser())('ten thousand events are scrolled with few rows in the page', async () => {
  const stage = await newStage()
  const begin = Date.now() - 10_000_000
  for (let sent = 0; sent < 10_000; sent += 2_500) {
    const batch = Array.from({ length: 2_500 }, (_, i) => ({
      event: 'step',
      distinct_id: 'ada',
      timestamp: new Date(begin + (sent + i) * 1_000).toISOString(),
      properties: { place: sent + i }
    }))
    await send(stage.token, ...batch)
  }
  const api = apiOf(stage)
  await until(async () => (await api('GET', 'event_definitions/')).results[0]?.count === 10_000)
  const { tab } = await enter(stage.key)
  await openPage(tab, 'v')
  await tab.locator('[data-line]').first().waitFor()

  /** Scrolls, and tells which rows are in the page, and which is in sight. */
  const scroll = (to: string) =>
    tab.evaluate<{ rows: number; last: number; seen: number }>(`new Promise((resolve) => {
      scrollTo(0, ${to})
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const rows = [...document.querySelectorAll('[data-line]')]
        const seen = document.elementFromPoint(400, 400)?.closest('[data-line]')
        const placeOf = (row) => Number(row?.getAttribute('aria-rowindex'))
        resolve({ rows: rows.length, last: placeOf(rows.at(-1)), seen: placeOf(seen) })
      }))
    })`)
  let most = 0
  await until(async () => {
    const { rows, last } = await scroll('document.documentElement.scrollHeight')
    most = Math.max(most, rows)
    return last === 10_001
  })
  for (let place = 9_500; place > 0; place -= 500) {
    const { rows, seen } = await scroll(String(place * 36))
    most = Math.max(most, rows)
    expect([place, Math.abs(seen - place) < 20]).toEqual([place, true])
  }
  expect(most).toBeLessThan(120)

  // The keyboard goes on where one looks.
  await tab.keyboard.press('j')
  await tab.keyboard.press('Enter')
  await tab.getByRole('complementary', { name: 'The event' }).getByText('place').waitFor()
})

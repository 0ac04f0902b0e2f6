import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  apiOf,
  enter,
  identify,
  newStage,
  openTab,
  record,
  send,
  untilPersons
} from '../../support/pages.ts'
import { element, text, visit } from '../../support/player.ts'
import { until } from '../../support/until.ts'

const { url } = inject('service')

const AGO = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

const event = (name: string, id: string, days: number, properties = {}) => ({
  event: name,
  distinct_id: id,
  timestamp: AGO(days),
  properties: { $session_id: `${id}-${days}`, $geoip_country_code: 'DE', ...properties }
})

const VISITED = { kind: 'EventsNode', event: '$pageview', math: 'dau' }
const SIGNED_UP = { kind: 'EventsNode', event: 'signed up' }
const COMPARED = { compareFilter: { compare: true, compare_to: '-1w' } }

/** A question of each kind. */
const QUESTIONS = {
  trend: {
    kind: 'TrendsQuery',
    series: [VISITED, SIGNED_UP],
    breakdownFilter: { breakdowns: [{ property: 'plan', type: 'event' }] },
    ...COMPARED
  },
  bars: { kind: 'TrendsQuery', series: [VISITED], trendsFilter: { display: 'ActionsBarValue' } },
  table: { kind: 'TrendsQuery', series: [VISITED], trendsFilter: { display: 'ActionsTable' } },
  funnel: { kind: 'FunnelsQuery', series: [VISITED, SIGNED_UP] },
  retention: { kind: 'RetentionQuery', retentionFilter: { period: 'Day', totalIntervals: 5 } },
  lifecycle: { kind: 'LifecycleQuery', series: [VISITED] },
  stickiness: { kind: 'StickinessQuery', series: [VISITED] }
}

const questionOf = (question: object): string =>
  `explore?q=${encodeURIComponent(JSON.stringify(question))}`

/** A project with something on each page. */
async function furnish() {
  const stage = await newStage()
  const api = apiOf(stage)
  await send(
    stage.token,
    ...['ada', 'bo', 'cy'].flatMap((id, i) => [
      identify(id, { name: id, email: `${id}@example.com`, plan: 'free' }),
      event('$pageview', id, 3 - i, { $pathname: '/', $current_url: 'https://shop.example/' }),
      event('signed up', id, 2 - i / 2, { plan: i === 0 ? 'pro' : 'free' })
    ]),
    { event: '$set', distinct_id: 'ada', properties: { $set: { plan: 'pro' } } }
  )
  await record(stage, 'visit-ada', 'ada', visit([], [element('h1', {}, text('Seven cakes'))]))
  await untilPersons(stage, 3)
  await until(async () => (await api('GET', 'session_recordings/')).count === 1)
  const source = { ...QUESTIONS.trend, dateRange: { date_from: '-6d' } }
  const board = await api('POST', 'dashboards/', { name: 'Weekly', description: 'On Mondays' })
  const insight = await api('POST', 'insights/', {
    name: 'Sign-ups',
    query: { kind: 'InsightVizNode', source },
    dashboards: [board.id]
  })
  await api('POST', 'annotations/', { content: 'Prices', date_marker: AGO(1), scope: 'project' })
  await api('POST', 'persons/suppressions/', { distinct_ids: ['eve'] })
  const [person, erased] = (await api('GET', 'persons/')).results
  await api('DELETE', `persons/${erased.uuid}/`)
  return { ...stage, board, insight, person, erased }
}

type Violation = { page: string; rule: string; at: string }

/** Opens a tab that can say where what it shows breaks a rule. */
async function openJudged(opened: { tab: Page }) {
  const { tab } = opened
  await tab.evaluate(axe.source)
  const found: Violation[] = []
  const judge = async (page: string, rules?: string[]) => {
    const only = rules ? `, runOnly: ${JSON.stringify(rules)}` : ''
    const { violations } = await tab.evaluate<axe.AxeResults>(
      `axe.run({ resultTypes: ['violations'], iframes: false${only} })`
    )
    for (const { id: rule, nodes } of violations) {
      found.push(...nodes.map(({ html }) => ({ page, rule, at: html.slice(0, 200) })))
    }
  }
  return {
    found,
    /** Judges what is shown, in both colour schemes. */
    look: async (page: string) => {
      await judge(page)
      await tab.emulateMedia({ colorScheme: 'dark' })
      await judge(`${page}, dark`, ['color-contrast'])
      await tab.emulateMedia({ colorScheme: 'light' })
    }
  }
}

it.skipIf(!hasBrowser())('no page breaks a rule of accessibility, light or dark', async () => {
  const { key, projectId, board, insight, person, erased } = await furnish()
  const outside = await openTab()
  await outside.tab.goto(`${url}/console/`)
  await outside.tab.getByRole('heading', { name: 'Open the console' }).waitFor()
  const door = await openJudged(outside)
  await door.look('sign-in')

  const inside = await enter(key)
  const { tab, faults } = inside
  await tab.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const { look, found } = await openJudged(inside)
  const visitPage = async (page: string, awaited: string) => {
    await tab.goto(`${url}/console/#/${projectId}/${page}`)
    await tab.locator(awaited).first().waitFor()
    await look(page.replace(/q=.*/, ''))
  }
  await visitPage('overview', '.chart svg')
  for (const [name, question] of Object.entries(QUESTIONS)) {
    await tab.goto(`${url}/console/#/${projectId}/${questionOf(question)}`)
    await tab.locator('.answer :is(svg, table)').first().waitFor()
    await look(`explore ${name}`)
  }
  await visitPage('dashboards', 'table.boards a')
  await visitPage(`dashboards/${board.id}`, '.tile .drawn svg')
  await visitPage('persons', 'a.who')
  await visitPage(`persons/${person.uuid}`, '.tl li')
  await visitPage('recordings', '.rec-list a')
  await visitPage('recordings/visit-ada', '#play')
  await visitPage('events', '.row-b')
  await visitPage('sql', '.sql-rows td')
  await tab.getByRole('textbox', { name: 'Statement' }).pressSequentially(' OF')
  await tab.getByRole('option').first().waitFor()
  await look('suggestions')
  await visitPage('privacy', 'table')
  await visitPage(`privacy/erasures/${erased.uuid}`, 'h1')
  for (const [part, awaited] of [
    ['events', '.card'],
    ['suppressions', 'table'],
    ['retention', '.card'],
    ['activity', 'li, tr'],
    ['verify', '.card, label']
  ] as const) {
    await visitPage(`privacy/${part}`, awaited)
  }
  for (const part of ['', '/recording', '/keys', '/users', '/health', '/cost']) {
    await visitPage(`project${part}`, '.sections .card')
  }

  await visitPage('nowhere', 'h1')

  // What opens over a page: dialogs, a drawer, a menu, a popover.
  await tab.goto(`${url}/console/#/${projectId}/explore/${insight.short_id}`)
  await tab.locator('.answer svg').first().waitFor()
  await tab.getByRole('slider', { name: /^Points of/ }).focus()
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter']) {
    await tab.keyboard.press(key)
  }
  await tab.locator('.drawer li').first().waitFor()
  await look('a drawer')
  await tab.keyboard.press('Escape')
  await tab.getByRole('button', { name: 'Subscribe' }).click()
  await tab.getByRole('dialog').locator('.nexts li').first().waitFor()
  await look('a dialog')
  await tab.keyboard.press('Escape')
  await tab.goto(`${url}/console/#/${projectId}/dashboards`)
  await tab.getByRole('button', { name: 'Change Sign-ups' }).click()
  await tab.getByRole('menuitem').first().waitFor()
  await look('a menu')
  await tab.keyboard.press('Escape')
  await tab.goto(`${url}/console/#/${projectId}/overview`)
  await tab.locator('.chart svg').first().waitFor()
  await tab.keyboard.press('f')
  await tab.getByRole('option').first().waitFor()
  await look('a popover')

  expect([...door.found, ...found]).toEqual([])
  expect([...outside.faults, ...faults]).toEqual([])
})

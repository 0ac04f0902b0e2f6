import { expect, inject, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  enter,
  identify,
  isAsWideAsTheWindow,
  newStage,
  openPage,
  record,
  type Stage,
  send
} from '../../support/pages.ts'
import { BEGIN, click, element, type Node, text, visit } from '../../support/player.ts'
import { until } from '../../support/until.ts'

const { url } = inject('service')

const api = (stage: Stage, path: string) =>
  fetch(`${url}/api/projects/${stage.projectId}/${path}`, {
    headers: { Authorization: `Bearer ${stage.key}` }
  }).then((answer) => answer.json())

const untilRecorded = (stage: Stage, count: number) =>
  until(async () => Object(await api(stage, 'session_recordings/')).count === count)

const line = (level: string, words: string, after: number): Node => ({
  type: 6,
  timestamp: BEGIN + after,
  data: { plugin: 'rrweb/console@1', payload: { level, trace: [], payload: [`"${words}"`] } }
})

/** The place of the key in the storage of the console's origin. */
const PLACE = 'edge-analytics-key'

it.skipIf(!hasBrowser())(
  'a recording is found in words, watched from a moment on, and shared',
  async () => {
    const stage = await newStage()
    await send(
      stage.token,
      identify('ada', { email: 'ada@example.com' }),
      {
        event: 'cake eaten',
        distinct_id: 'ada',
        timestamp: new Date(BEGIN + 5_000).toISOString(),
        properties: { $session_id: 'visit-ada', $browser: 'Firefox', $os: 'Mac OS X' }
      },
      {
        event: '$rageclick',
        distinct_id: 'ada',
        timestamp: new Date(BEGIN + 6_000).toISOString(),
        properties: { $session_id: 'visit-ada', $el_text: 'Pay' }
      }
    )
    await record(stage, 'visit-ada', 'ada', [
      ...visit([], [element('h1', {}, text('Seven cakes'))]),
      line('error', 'no plums', 3_000),
      line('log', 'baked', 3_500)
    ])
    await record(stage, 'visit-bob', 'bob', [
      ...visit([], [element('h1', {}, text('One tart'))]),
      click(50_000)
    ])
    await untilRecorded(stage, 2)
    await until(
      async () => Object(await api(stage, 'events/?session_id=visit-ada')).results.length === 2
    )
    const { tab, faults } = await enter(stage.key)
    const isPlaying = async () => (await tab.getAttribute('#play', 'aria-label')) === 'Pause'
    const rows = tab.locator('.rec-list li')
    const recorded = tab.frameLocator('#stage iframe').frameLocator('iframe')
    const scripts: string[] = []
    tab.on('request', (request) => scripts.push(request.url()))

    // The list, without the player.
    await openPage(tab, 'r')
    await until(async () => (await rows.count()) === 2)
    expect(await rows.first().locator('.act rect').count()).toBeGreaterThan(1)
    expect(scripts.filter((address) => /play-|\/player\//.test(address))).toEqual([])

    // Words that are not understood are named; others become chips.
    await tab.keyboard.press('/')
    await tab.keyboard.type('gruntled visitors')
    await tab.keyboard.press('Enter')
    await tab.locator('#words-said', { hasText: 'gruntled' }).waitFor()
    await tab.getByLabel('Filter in words').fill('console errors in the last 3 days')
    await tab.keyboard.press('Enter')
    await until(async () => (await rows.count()) === 1)
    await tab.getByRole('button', { name: 'Remove the filter Console errors' }).waitFor()
    expect(await tab.getByLabel('Period').textContent()).toContain('3 days')
    await tab.getByLabel('Filter in words').blur()

    // The next one is the only one; a moment of the log is in the address.
    await tab.keyboard.press('n')
    await recorded.getByText('Seven cakes').waitFor()
    await tab.getByText('Firefox on macOS').waitFor()
    const log = tab.locator('#moments li')
    await until(async () => (await log.allTextContents()).includes('0:05 cake eaten'))
    expect(await log.allTextContents()).toEqual(
      expect.arrayContaining(['0:02 Click', '0:03 error: "no plums"', '0:06 Rage click “Pay”'])
    )
    await tab.getByRole('tab', { name: 'Console' }).click()
    await tab.getByText('log: "baked"').waitFor()
    expect(await log.filter({ visible: true }).count()).toBe(2)
    await tab.getByRole('tab', { name: 'Events' }).click()
    await tab.getByText('cake eaten').click()
    await until(() => new URL(tab.url()).hash.includes('t=5'))
    await tab.keyboard.press('Space')
    await until(async () => !(await isPlaying()))

    // A reload keeps the filters and the moment.
    const place = tab.url()
    await tab.reload()
    await recorded.getByText('Seven cakes').waitFor()
    await until(async () => (await log.allTextContents()).includes('0:05 cake eaten'))
    expect(Number(await tab.inputValue('#position'))).toBeGreaterThanOrEqual(4_900)
    expect(await rows.count()).toBe(1)
    expect(place).toContain('visit-ada')

    // The link is turned on and has the moment.
    await tab.getByRole('button', { name: 'Share' }).click()
    await tab.getByRole('switch', { name: /^Anyone with the link can see it/ }).check()
    const link = (await tab.locator('.copied code').textContent()) ?? ''
    expect(link).toMatch(/\/shared\/\S+#t=([4-9]|\d\d)/)
    expect((await fetch(link)).status).toBe(200)
    await tab.keyboard.press('Escape')

    // The person, and from the event straight to its moment.
    await tab.getByRole('link', { name: 'ada@example.com' }).last().click()
    await tab.getByRole('link', { name: 'Watch cake eaten' }).click()
    await recorded.getByText('Seven cakes').waitFor()
    expect(tab.url()).toMatch(/visit-ada\?t=3$/)
    expect(Number(await tab.inputValue('#position'))).toBeGreaterThanOrEqual(3_000)
    await until(async () => (await rows.count()) === 2)

    // The controls fit above the log on a small tablet.
    await tab.setViewportSize({ width: 900, height: 500 })
    await until(() =>
      tab.evaluate<boolean>(
        `document.querySelector('#bar').getBoundingClientRect().bottom <= document.querySelector('#screen').getBoundingClientRect().bottom`
      )
    )

    // Once opened, it is seen; the next one can be watched on a phone.
    expect(await api(stage, 'session_recordings/visit-ada/')).toMatchObject({ viewed: true })
    await tab.setViewportSize({ width: 375, height: 700 })
    await tab.getByRole('button', { name: 'Share' }).click()
    await tab.getByText('Begin at').waitFor()
    expect(
      await tab.evaluate<boolean>(
        `document.querySelector('dialog').scrollWidth <= document.querySelector('dialog').clientWidth`
      )
    ).toBe(true)
    await tab.keyboard.press('Escape')
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    await tab.getByRole('link', { name: 'Back to the list' }).click()
    await rows
      .filter({ hasText: '0:50' })
      .or(rows.filter({ hasText: 'Anonymous' }))
      .last()
      .click()
    await recorded.getByText('One tart').waitFor()
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    expect(faults).toEqual([])
  }
)

it.skipIf(!hasBrowser())(
  'a hostile recording neither runs a script nor reads the key, and hostile names break nothing',
  async () => {
    const stage = await newStage('session_recording:read,person:read,query:read')
    const name = `‮<img src=x onerror="top.ran=1">${'x'.repeat(300)}`
    const theft = `top.stolen = (top.sessionStorage.getItem('${PLACE}') || top.localStorage.getItem('${PLACE}')); top.location.hash = top.stolen`
    await send(stage.token, identify('eve', { name }), {
      event: name,
      distinct_id: 'eve',
      timestamp: new Date(BEGIN + 1_000).toISOString(),
      properties: { $session_id: 'visit-eve' }
    })
    const script = () => element('script', {}, text(theft))
    await record(stage, 'visit-eve', 'eve', [
      ...visit(
        [script(), element('base', { href: 'javascript:alert(1)//', target: '_top' })],
        [
          element('h1', {}, text('Forged')),
          element('img', { src: 'data:,', onerror: theft }),
          element('iframe', { src: `javascript:${theft}` }),
          element('iframe', { srcdoc: `<script>${theft}</script>` }),
          element('a', { href: `javascript:${theft}`, target: '_top' }, text('link')),
          element('form', { action: `javascript:${theft}`, target: '_top' }),
          { ...element('svg', { onload: theft }, script()), isSVG: true }
        ]
      ),
      { type: 5, timestamp: BEGIN + 900, data: { tag: name, payload: {} } },
      {
        type: 4,
        timestamp: BEGIN + 950,
        data: { href: `javascript:${theft}`, width: 800, height: 600 }
      }
    ])
    await untilRecorded(stage, 1)
    const { tab, faults } = await enter(stage.key, 375)
    await tab.goto(`${url}/console/#/${stage.projectId}/recordings/visit-eve`)
    const recorded = tab.frameLocator('#stage iframe').frameLocator('iframe')
    await recorded.getByText('Forged').waitFor()
    await until(async () => (await tab.locator('#moments li').count()) > 1)
    await recorded.locator('a').dispatchEvent('click')

    // The recorded document is in a frame without scripts, so that nothing in it could ask for the key.
    expect(await tab.evaluate('sessionStorage.getItem("edge-analytics-key")')).toBe(stage.key)
    const inner = tab.frames().find((frame) => frame.parentFrame()?.url().endsWith('/player/frame'))
    const own = await inner?.frameElement()
    expect((await own?.getAttribute('sandbox'))?.split(' ')).toEqual(['allow-same-origin'])
    expect(await tab.evaluate('[window.stolen, window.ran]')).toEqual([undefined, undefined])
    expect(tab.url()).not.toContain('phx_')
    expect(await isAsWideAsTheWindow(tab)).toBe(true)
    expect(await tab.getByRole('button', { name: 'Share' }).count()).toBe(0)
    expect(faults.filter((fault) => !/Content Security Policy|Blocked script/.test(fault))).toEqual(
      []
    )

    await tab.goto(`${url}/console/#/${stage.projectId}/recordings/none`)
    await tab.getByText('This recording does not exist.').waitFor()
  }
)

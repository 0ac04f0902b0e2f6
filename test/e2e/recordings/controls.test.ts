import { expect, it } from 'vitest'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import { BEGIN, click, element, play, share, text, visit } from '../../support/player.ts'
import { until } from '../../support/until.ts'

it.skipIf(!hasBrowser())(
  'a moment can be chosen twice, and a paused recording stays paused while images are loaded',
  async () => {
    const { tab, recorded, isPlaying } = await play(
      await share(visit([], [element('h1', {}, text('Seven cakes'))]))
    )
    const untilClock = (time: string) =>
      until(async () => (await tab.textContent('#clock')) === `${time} / 0:08`)
    // Pauses the recording, unless it has ended already.
    await until(async () => {
      if (await isPlaying()) {
        await tab.click('#play')
      }
      return !(await isPlaying())
    })

    for (let times = 0; times < 2; times += 1) {
      await tab.fill('#position', '5000')
      await untilClock('0:05')
      await tab.click('text=0:02 Click')
      await untilClock('0:02')
    }

    await tab.click('#load')
    await tab.locator('#stage iframe[src="/player/with-site"]').waitFor({ state: 'attached' })
    await recorded.getByText('Seven cakes').waitFor()
    // While a recording plays, the position changes every 200 ms.
    await tab.waitForTimeout(500)
    expect(await tab.inputValue('#position')).toBe('2000')
    expect(await isPlaying()).toBe(false)
  }
)

it.skipIf(!hasBrowser())('pauses are skipped from anywhere in them, however long', async () => {
  const day = 24 * 3_600_000
  const { tab, isPlaying, untilEnd } = await play(
    await share([
      ...visit([], [element('h1', {}, text('Seven cakes'))]).filter(({ type }) => type !== 3),
      click(600_000),
      click(5 * day),
      { type: 5, timestamp: BEGIN + 5 * day + 60_000, data: { tag: 'Left', payload: {} } }
    ])
  )
  await until(async () => Number(await tab.inputValue('#position')) > 1_500)

  // The page is open for ten minutes before the first click, and for one minute after the last.
  await tab.check('#skip')

  await untilEnd()
  expect(await tab.textContent('#clock')).toBe('120:01:00 / 120:01:00')

  // A pause into which the viewer goes is played.
  await tab.fill('#position', '300000')
  await tab.keyboard.press(' ')
  await until(async () => (await tab.textContent('#clock')) === '5:02 / 120:01:00')
  expect(await isPlaying()).toBe(true)
})

it.skipIf(!hasBrowser())('the player says that a recording cannot be loaded', async () => {
  const address = await share(visit([], []))
  const tab = await (await openBrowser()).newPage()
  await tab.route(/blob_key=/, (route) => route.fulfill({ status: 500, body: '' }))

  await tab.goto(address)

  await tab.getByText('This recording cannot be loaded.').waitFor()
})

it.skipIf(!hasBrowser())(
  'the keys, the time line and the list work for a visit of hours',
  async () => {
    const hour = 3_600_000
    const error = {
      plugin: 'rrweb/console@1',
      payload: { level: 'error', trace: [], payload: ['"no cakes"'] }
    }
    const { tab, isPlaying } = await play(
      await share([
        ...visit([], [element('h1', {}, text('Seven cakes'))]),
        { type: 6, timestamp: BEGIN + 60_000, data: error },
        click(hour + 123_000),
        click(hour + 124_000)
      ]),
      1280
    )
    const clock = () => tab.textContent('#clock')
    const now = () => tab.locator('#moments li[aria-current]').allTextContents()
    await tab.locator('#moments li').nth(5).waitFor()
    await tab.keyboard.press(' ')
    await until(async () => !(await isPlaying()))

    await tab.fill('#position', String(hour + 123_500))
    await until(async () => (await clock()) === '1:02:03 / 1:02:04')
    expect(await now()).toEqual(['1:02:03 Click'])
    await tab.keyboard.press('ArrowLeft')
    await until(async () => (await clock()) === '1:01:53 / 1:02:04')
    expect(await now()).toEqual(['1:00 error: "no cakes"'])
    await tab.keyboard.press('ArrowRight')
    await tab.keyboard.press('ArrowRight')
    await until(async () => (await clock()) === '1:02:04 / 1:02:04')
    for (let presses = 0; presses < 400; presses += 1) {
      await tab.keyboard.press('ArrowLeft')
    }
    await until(async () => (await clock()) === '0:00 / 1:02:04')
    expect(await now()).toEqual(['0:00 /'])

    // Marks and pauses lie where their times are. The drawing is 1,000 units wide.
    const drawn = await tab.locator('#pauses rect, #marks line').evaluateAll((all) =>
      all.map((it) => [
        it.getAttribute('class'),
        ...['x', 'width', 'x1']
          .map((name) => it.getAttribute(name))
          .filter((value) => value !== null)
          .map((value) => Math.round(Number(value)))
      ])
    )
    expect(drawn).toEqual([
      ['', 1, 999],
      ['page', 0],
      ['click', 1],
      ['event', 2],
      ['error', 16],
      ['click', 1000]
    ])

    await tab.keyboard.press('>')
    expect(await tab.inputValue('#speed')).toBe('2')
    await tab.keyboard.press('<')
    expect(await tab.inputValue('#speed')).toBe('1')

    // Where keys have another meaning, they keep it.
    await tab.focus('#speed')
    await tab.keyboard.press('ArrowRight')
    expect(await clock()).toBe('0:00 / 1:02:04')
    await tab.focus('#skip')
    await tab.keyboard.press(' ')
    expect(await tab.isChecked('#skip')).toBe(true)
    expect(await isPlaying()).toBe(false)
    await tab.focus('#position')
    await tab.keyboard.press(' ')
    expect(await isPlaying()).toBe(true)

    // A key that is held down switches once. Playwright repeats a key that is already down.
    for (const [key, focused] of [
      [' ', '#position'],
      ['k', '#position'],
      ['Enter', '#play']
    ] as const) {
      const before = await isPlaying()
      await tab.focus(focused)
      await tab.keyboard.down(key)
      await tab.keyboard.down(key)
      await tab.keyboard.up(key)
      expect([key, await isPlaying()]).toEqual([key, !before])
    }
  }
)

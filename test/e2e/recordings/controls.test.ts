import { expect, it } from 'vitest'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import { element, play, share, text, visit } from '../../support/player.ts'
import { until } from '../../support/until.ts'

it.skipIf(!hasBrowser())(
  'a moment can be chosen twice, and a paused recording stays paused while images are loaded',
  async () => {
    const { tab, recorded } = await play(
      await share(visit([], [element('h1', {}, text('Seven cakes'))]))
    )
    const isPlaying = async () => (await tab.textContent('#play')) === 'Pause'
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

it.skipIf(!hasBrowser())('the player says that a recording cannot be loaded', async () => {
  const address = await share(visit([], []))
  const tab = await (await openBrowser()).newPage()
  await tab.route(/blob_key=/, (route) => route.fulfill({ status: 500, body: '' }))

  await tab.goto(address)

  await tab.getByText('This recording cannot be loaded.').waitFor()
})

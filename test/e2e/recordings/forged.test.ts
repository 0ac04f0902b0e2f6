import { expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import {
  BEGIN,
  element,
  idOfLast,
  type Node,
  pack,
  play,
  share,
  text,
  visit
} from '../../support/player.ts'
import { until } from '../../support/processes.ts'

it.skipIf(!hasBrowser())(
  'a recorded site learns nothing of the link when its images are loaded',
  async () => {
    const evil = 'https://evil.example'
    const address = await share(
      visit(
        [element('meta', { name: 'referrer', content: 'unsafe-url' })],
        [
          element('h1', {}, text('Forged')),
          element('img', { src: `${evil}/image`, referrerpolicy: 'unsafe-url' }),
          element('p', { style: `background: url(${evil}/style)` }, text('styled'))
        ]
      )
    )
    const { tab, outside, recorded } = await play(address)
    const referrers: (string | undefined)[] = []
    tab.on('request', (request) => {
      if (request.url().startsWith(evil)) {
        referrers.push(request.headers().referer)
      }
    })

    await tab.click('#load')
    await until(() => outside.includes(`${evil}/image`) && outside.includes(`${evil}/style`))
    await tab.click('text=0:02 Click')
    await recorded.getByText('Forged').waitFor()

    expect(referrers.join()).not.toContain('/shared/')
    // An element or a style may ask for a referrer, which is the address of its document.
    const addresses = await Promise.all(
      tab.frames().map((frame) => frame.evaluate('document.URL').catch(() => frame.url()))
    )
    expect(addresses.filter((url) => String(url).includes('/shared/'))).toHaveLength(1)
  }
)

it.skipIf(!hasBrowser())('a damaged page does not end the replay', async () => {
  const page = visit([], [element('h1', {}, text('Seven cakes'))])
  const later = visit([], [element('h1', {}, text('Eight cakes'))]).map((event) => ({
    ...event,
    timestamp: Number(event.timestamp) + 2_000
  }))
  const full = (node: unknown): Node => ({
    type: 2,
    timestamp: BEGIN + 1_000,
    cv: '2024-10',
    data: pack({ node })
  })
  const address = await share([
    ...page,
    full({ type: 0, id: idOfLast() + 1, childNodes: [null] }),
    full({ type: 0, id: idOfLast() + 1, childNodes: [] }),
    full(undefined),
    { type: 5, timestamp: BEGIN + 1_100, data: { tag: { toString: 1 } } },
    { type: 5, timestamp: BEGIN + 1_200 },
    ...later
  ])

  const { tab, recorded, errors } = await play(address)

  await recorded.getByText('Eight cakes').waitFor()
  expect((await tab.locator('#moments li').allTextContents()).slice(0, 3)).toEqual([
    '0:00 /',
    '0:01 {"toString":1}',
    '0:01 '
  ])
  expect(await tab.isHidden('#status')).toBe(true)
  expect(errors).toEqual([])
})

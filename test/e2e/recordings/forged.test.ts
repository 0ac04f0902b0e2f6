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
import { until } from '../../support/until.ts'

it.skipIf(!hasBrowser())(
  'a recorded site does not learn the sharing link when its images are loaded',
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

    // Three documents are nested: the page of the player, whose address is the sharing link; its frame `/player/with-site`; and
    // in it the recorded page. The recorded page sends as its referrer the address of the document whose script has built it: at
    // the start, that is the frame; after a jump, as here, it could be the page of the player.
    await tab.click('text=0:02 Click')
    await tab.click('#load')
    await until(() => outside.includes(`${evil}/image`) && outside.includes(`${evil}/style`))
    await recorded.getByText('Forged').waitFor()

    expect(referrers.join()).not.toContain('/shared/')
    // An image in a style may be requested with the address of the recorded page as its referrer, so that address must not be
    // the sharing link.
    const recordedAddress = await tab.evaluate(
      "document.querySelector('iframe').contentDocument.querySelector('iframe').contentDocument.URL"
    )
    expect(recordedAddress).toBe(new URL('/player/with-site', address).href)
  }
)

it.skipIf(!hasBrowser())('nothing on the recorded page can be focused or followed', async () => {
  const address = await share(
    visit(
      [],
      [
        element('h1', {}, text('Seven cakes')),
        element('a', { href: 'https://evil.example/link' }, text('More')),
        element('input', { autofocus: '' })
      ]
    )
  )
  const { tab, recorded, errors, outside } = await play(address)
  await recorded.getByText('Seven cakes').waitFor()

  const focused = new Set<string>()
  for (let i = 0; i < 12; i += 1) {
    await tab.keyboard.press('Tab')
    focused.add(String(await tab.evaluate('document.activeElement.tagName')))
    if (focused.has('IFRAME')) {
      await tab.keyboard.press('Enter')
    }
  }
  await recorded.getByText('More').click({ force: true })

  // These are the player's own elements: the frame with the recorded page is not among them.
  expect([...focused].sort()).toEqual(['A', 'BODY', 'BUTTON', 'INPUT', 'SELECT'])
  await recorded.getByText('Seven cakes').waitFor()
  expect([outside, errors]).toEqual([[], []])
})

it.skipIf(!hasBrowser())('damaged snapshots and custom events do not end the replay', async () => {
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
  expect((await tab.textContent('#status'))?.trim()).toBe('3 changes of the page cannot be shown.')
  expect(errors).toEqual([])
})

import { gzipSync } from 'node:zlib'
import { expect, inject, it } from 'vitest'
import { hasBrowser, openBrowser } from '../../support/browser.ts'
import { until } from '../../support/processes.ts'
import { administer, newProject } from '../../support/service.ts'

type Node = Record<string, unknown>

let lastId = 0
const element = (tagName: string, attributes: Node = {}, ...childNodes: Node[]): Node => {
  lastId += 1
  return { type: 2, id: lastId, tagName, attributes, childNodes }
}
const text = (textContent: string): Node => {
  lastId += 1
  return { type: 3, id: lastId, textContent }
}

/** The snapshots of a page, as rrweb records them, with a full snapshot that the SDK has compressed. */
function visit(head: Node[], body: Node[]): Node[] {
  const now = Date.now() - 60_000
  const page = {
    node: {
      type: 0,
      id: 999_999,
      childNodes: [element('html', {}, element('head', {}, ...head), element('body', {}, ...body))]
    },
    initialOffset: { top: 0, left: 0 }
  }
  const data = gzipSync(JSON.stringify(page)).toString('latin1')
  return [
    { type: 4, timestamp: now, data: { href: 'https://shop.example/', width: 800, height: 600 } },
    { type: 2, timestamp: now + 10, cv: '2024-10', data },
    { type: 3, timestamp: now + 2_000, data: { source: 2, type: 2, id: 3, x: 1, y: 1 } },
    { type: 5, timestamp: now + 8_000, data: { tag: 'Paid', payload: {} } }
  ]
}

/** Records a visit with the public token, and shares it. @returns the address of the page */
async function share(snapshots: Node[]): Promise<string> {
  const { url, token, projectId } = await newProject()
  const { stateDir } = inject('service')
  const { key } = await administer(
    stateDir,
    ...['key', 'create', '--label', 'share', '--scopes', '*', '--project', String(projectId)]
  )
  const properties = {
    $session_id: 'visit-1',
    $window_id: 'window-1',
    $snapshot_data: snapshots,
    distinct_id: 'ada'
  }
  const event = { event: '$snapshot', api_key: token, distinct_id: 'ada', properties }
  const sent = await fetch(`${url}/s/`, { method: 'POST', body: JSON.stringify(event) })
  expect(sent.status).toBe(200)
  const path = `${url}/api/environments/${projectId}/session_recordings/visit-1/sharing`
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  let address = ''
  await until(async () => {
    const answer = await fetch(path, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ enabled: true })
    })
    address = answer.ok ? String(Object(await answer.json()).url) : ''
    return address !== ''
  })
  return address
}

async function play(address: string) {
  const tab = await (await openBrowser()).newPage()
  await tab.setViewportSize({ width: 375, height: 700 })
  // Routes see what leaves the browser; the event `request` also reports what a policy has blocked.
  const outside: string[] = []
  const errors: string[] = []
  tab.on('pageerror', (error) => errors.push(String(error)))
  await tab.route(
    ({ origin }) => origin !== new URL(address).origin,
    (route) => {
      outside.push(route.request().url())
      return route.abort()
    }
  )
  await tab.goto(address)
  await tab.waitForSelector('#play:enabled', { timeout: 20_000 })
  const recorded = tab.frameLocator('#stage iframe').frameLocator('iframe')
  return { tab, outside, errors, recorded }
}

it.skipIf(!hasBrowser())('a shared recording is played on a phone', async () => {
  const address = await share(visit([], [element('h1', {}, text('Seven cakes'))]))

  const { tab, recorded, errors } = await play(`${address}#t=3`)

  await recorded.getByText('Seven cakes').waitFor()
  expect(await tab.locator('#clock').textContent()).toMatch(/^0:0[3-8] \/ 0:08$/)
  expect(await tab.locator('#moments li').allTextContents()).toEqual([
    '0:00 https://shop.example/',
    '0:02 Click',
    '0:08 Paid'
  ])
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
  expect(errors).toEqual([])
})

it.skipIf(!hasBrowser())(
  'a forged recording runs no script and asks no other host before the viewer agrees',
  async () => {
    const evil = 'https://evil.example'
    const run = `fetch('${evil}/ran'); top.ran = true`
    const address = await share(
      visit(
        [
          element('script', {}, text(run)),
          element('script', { src: `${evil}/script.js` }),
          element('meta', { 'http-equiv': 'refresh', content: `0;url=${evil}/refresh` }),
          element('base', { href: evil }),
          ...[
            'preload',
            'prefetch',
            'preconnect',
            'dns-prefetch',
            'modulepreload',
            'stylesheet'
          ].map((rel) => element('link', { rel, as: 'script', href: `${evil}/${rel}` })),
          element('style', {
            _cssText: `@import '${evil}/import.css'; body { background: url(${evil}/background) }`
          })
        ],
        [
          element('h1', {}, text('Forged')),
          element('img', { src: `${evil}/image`, onerror: run, onload: run }),
          element('img', { src: 'data:,', onerror: run }),
          element('img', { rr_dataURL: `${evil}/dataurl` }),
          element('canvas', { rr_dataURL: `${evil}/canvas` }),
          element('a', { href: `javascript:${run}` }, text('link')),
          element('iframe', { srcdoc: `<script>${run}</script>` }),
          element('iframe', { src: `javascript:${run}` }),
          element('iframe', { src: `${evil}/iframe` }),
          element('object', { data: `${evil}/object` }),
          element('embed', { src: `${evil}/embed` }),
          element('video', { src: `${evil}/video`, autoplay: '' }),
          element('input', { autofocus: '', onfocus: run }),
          element('details', { open: '', ontoggle: run }),
          element('form', { action: `${evil}/form` }, element('button', {}, text('send'))),
          { ...element('svg', { onload: run }, element('script', {}, text(run))), isSVG: true },
          { ...element('x-evil', { onclick: run }), isCustom: true }
        ]
      )
    )

    const { tab, recorded, outside } = await play(address)
    await recorded.getByText('Forged').waitFor()
    await tab.waitForTimeout(1_000)

    expect(await tab.evaluate('window.ran')).toBe(undefined)
    expect(outside).toEqual([])

    await tab.click('#load')
    await until(() => outside.includes(`${evil}/image`))
    await tab.waitForTimeout(500)
    expect(await tab.evaluate('window.ran')).toBe(undefined)
    expect(
      outside.filter((url) => /ran|script|refresh|iframe|object|embed|form/.test(url))
    ).toEqual([])
  }
)

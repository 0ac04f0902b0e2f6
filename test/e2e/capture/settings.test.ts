import { expect, it } from 'vitest'
import {
  decodeBody,
  hasBrowser,
  openBrowser,
  openRecorder,
  openSite,
  scriptOf
} from '../../support/browser.ts'
import { until } from '../../support/processes.ts'
import { newProject } from '../../support/service.ts'

const EVENTS = ['$exception', '$web_vitals', '$$heatmap']

const pageOf = (token: string, host: string) => `<!doctype html>
<title>Shop</title>
<button onclick="setTimeout(() => { throw new Error('sold out') })">Buy</button>
<script src="/sdk.js"></script>
<script>posthog.init('${token}', { api_host: '${host}' })</script>`

/** Opens a page in a browser, clicks until `isDone`, and returns which of `EVENTS` were sent. */
async function visit(name: string, settings: string[], isDone: (sent: string) => boolean) {
  const service = await newProject(settings)
  const { url: host, requests } = await openRecorder(service.url)
  const site = await openSite({
    '/': { type: 'text/html', body: pageOf(service.token, host) },
    '/sdk.js': { type: 'text/javascript', body: scriptOf(name).body },
    '/favicon.ico': { type: 'image/x-icon', body: '' }
  })
  const tab = await (await openBrowser()).newPage()
  const sent = () =>
    requests
      .filter(({ method, path }) => method === 'POST' && /^\/(i\/v0\/)?e\//.test(path))
      .map(({ body }) => JSON.stringify(decodeBody(body)))
      .join()

  await tab.goto(site)
  await until(async () => {
    await tab.click('button')
    return isDone(sent())
  }, 40_000)

  expect(requests.filter(({ status }) => status !== 200)).toEqual([])
  return EVENTS.filter((event) => sent().includes(`"event":"${event}"`))
}

it.skipIf(!hasBrowser()).each(['posthog-js', 'posthog-js-1-300'])(
  'posthog-js sends errors, loading times and heatmaps once the project turns them on: %s',
  async (name) => {
    const on = ['--exceptions', 'on', '--web-vitals', 'on', '--heatmaps', 'on']
    const isAll = (sent: string) => EVENTS.every((event) => sent.includes(`"event":"${event}"`))

    const wanted = await visit(name, on, isAll)
    const unwanted = await visit(name, [], (sent) => sent.includes('$autocapture'))

    expect(wanted).toEqual(EVENTS)
    expect(unwanted).toEqual([])
  }
)

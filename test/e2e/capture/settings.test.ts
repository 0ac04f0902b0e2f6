import { expect, it } from 'vitest'
import {
  decodeBody,
  hasBrowser,
  openBrowser,
  openRecorder,
  openSite,
  scriptOf
} from '../../support/browser.ts'
import { newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const EVENTS = ['$exception', '$web_vitals', '$$heatmap']

const pageOf = (token: string, host: string) => `<!doctype html>
<title>Shop</title>
<button onclick="setTimeout(() => { throw new Error('sold out') })">Buy</button>
<script src="/sdk.js"></script>
<script>posthog.init('${token}', { api_host: '${host}' })</script>`

/**
 * Opens a page in a browser, and clicks until `isDone` is true of the bodies that the SDK has sent.
 * @returns which of `EVENTS` were sent, and whether the SDK loaded its script for web vitals
 */
async function visit(name: string, settings: string[], isDone: (sent: string[]) => boolean) {
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

  await tab.goto(site)
  await until(async () => {
    await tab.click('button')
    return isDone(sent())
  })

  expect(requests.filter(({ status }) => status !== 200)).toEqual([])
  return {
    events: EVENTS.filter((event) => has(sent(), event)),
    measuresVitals: requests.some(({ path }) => path.includes('web-vitals'))
  }
}

const countOf = (sent: string[], event: string): number =>
  sent.filter((body) => body.includes(`"event":"${event}"`)).length

const has = (sent: string[], event: string): boolean => countOf(sent, event) > 0

it.skipIf(!hasBrowser()).each(['posthog-js', 'posthog-js-1-300'])(
  'posthog-js sends errors, web vitals and heatmaps only if the project turns them on: %s',
  async (name) => {
    const on = ['--exceptions', 'on', '--web-vitals', 'on', '--heatmaps', 'on']

    const wanted = await visit(name, on, (sent) => EVENTS.every((event) => has(sent, event)))
    // The SDK sends clicks every three seconds, and holds heatmaps for five.
    const unwanted = await visit(name, [], (sent) => countOf(sent, '$autocapture') > 1)

    expect(wanted).toEqual({ events: EVENTS, measuresVitals: true })
    expect(unwanted).toEqual({ events: [], measuresVitals: false })
  }
)

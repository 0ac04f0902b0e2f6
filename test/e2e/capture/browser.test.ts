import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { drain } from '../../../scripts/drain.ts'
import {
  decodeBody,
  hasBrowser,
  isGzip,
  openBrowser,
  openRecorder,
  openSite,
  type RecordedRequest,
  scriptOf
} from '../../support/browser.ts'
import { newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const SentEvent = z.object({
  uuid: z.string(),
  event: z.string(),
  properties: z.looseObject({ distinct_id: z.string(), $lib_version: z.string() })
})
const Sent = z.union([
  z.array(SentEvent),
  z.object({ batch: z.array(SentEvent) }).transform(({ batch }) => batch),
  SentEvent.transform((event) => [event])
])

const Persons = z.object({
  count: z.int(),
  results: z.array(
    z.looseObject({
      distinct_ids: z.array(z.string()),
      properties: z.record(z.string(), z.unknown())
    })
  )
})

const eventsOf = (requests: RecordedRequest[]) =>
  requests
    .filter(({ method, path }) => method === 'POST' && /^\/(i\/v0\/)?e\//.test(path))
    .flatMap(({ body }) => Sent.parse(decodeBody(body)))

const ALL = [
  '$pageview',
  '$autocapture',
  'looked around',
  '$identify',
  '$set',
  '$groupidentify',
  '$create_alias',
  'bought',
  'came back a stranger',
  'left'
]

/** Returns a page whose script calls the SDK for all that a visitor does, until leaving. */
const pageOf = (script: string, token: string, host: string) => `<!doctype html>
<title>Shop</title>
<button>Buy</button>
<script crossorigin src="${script}"></script>
<script>
  posthog.init('${token}', { api_host: '${host}', capture_performance: { web_vitals: true }, capture_dead_clicks: true })
  function visit() {
    posthog.capture('looked around', { $set: { theme: 'dark' } })
    posthog.identify('ada', { email: 'ada@example.com', plan: 'free' }, { first_seen: 'shop' })
    posthog.setPersonProperties({ plan: 'pro' })
    posthog.group('company', 'acme', { name: 'Acme' })
    posthog.alias('ada-on-her-phone')
    posthog.capture('bought', {}, { send_instantly: true })
    posthog.reset()
    posthog.capture('came back a stranger')
  }
  addEventListener('beforeunload', () => posthog.capture('left'))
</script>`

describe.skipIf(!hasBrowser())('posthog-js in a browser', () => {
  it.each(['posthog-js', 'posthog-js-1-300'])(
    'sends each event once and without an error, and creates one person: %s',
    async (name) => {
      const service = await newProject()
      const { url: host, requests } = await openRecorder(service.url)
      const sdk = scriptOf(name)
      // The newer SDK is loaded from the service, as a site's snippet does; the older one is bundled with the site.
      const script = name === 'posthog-js' ? `${host}/static/array.js` : '/sdk.js'
      const site = await openSite({
        '/': { type: 'text/html', body: pageOf(script, service.token, host) },
        '/sdk.js': { type: 'text/javascript', body: sdk.body },
        '/favicon.ico': { type: 'image/x-icon', body: '' }
      })
      const browser = await openBrowser()
      const complaints: string[] = []
      const tab = await browser.newPage()
      tab.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) {
          complaints.push(message.text())
        }
      })
      tab.on('pageerror', (error) => complaints.push(String(error)))
      const onFailure = (request: Request) =>
        complaints.push(`${request.url()} ${request.failure()?.errorText}`)
      tab.on('requestfailed', onFailure)
      const names = () => eventsOf(requests).map(({ event }) => event)

      await tab.goto(`${site}/?utm_source=letter`)
      await until(() => names().includes('$pageview'))
      // Autocapture begins once the SDK has read its settings, which may be after the page view.
      await until(async () => {
        await tab.click('button')
        await sleep(1_000)
        return names().includes('$autocapture')
      })
      await tab.evaluate('visit()')
      await until(() => names().includes('came back a stranger'))
      // Leaving the page cancels requests that the service has received; the browser reports them as failed.
      tab.off('requestfailed', onFailure)
      await tab.goto('about:blank')
      await until(() => names().includes('left'))

      expect(complaints).toEqual([])
      expect(requests.filter(({ status }) => status !== 200)).toEqual([])
      const events = eventsOf(requests)
      expect(names()).toEqual(expect.arrayContaining(ALL))
      expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length)
      expect(new Set(events.map(({ properties }) => properties.$lib_version))).toEqual(
        new Set([sdk.version])
      )
      const batches = requests.filter(
        ({ method, path }) => method === 'POST' && path.startsWith('/i/v0/e/')
      )
      expect(batches.filter(({ body }) => !isGzip(body))).toEqual([])

      const visitor = events.find(({ event }) => event === '$pageview')?.properties.distinct_id
      const persons = async () => {
        const url = `${service.url}/api/environments/${service.projectId}/persons/`
        const response = await fetch(url, { headers: { Authorization: `Bearer ${service.key}` } })
        return Persons.parse(await response.json())
      }
      await until(async () => (await persons()).results[0]?.distinct_ids.length === 3)
      // The last events may still be queued.
      expect(await drain(service.url, 60_000)).toBeUndefined()
      const { count, results } = await persons()
      expect(count).toBe(1)
      expect(results[0]?.distinct_ids.toSorted()).toEqual(
        [visitor, 'ada', 'ada-on-her-phone'].toSorted()
      )
      expect(results[0]?.properties).toMatchObject({
        email: 'ada@example.com',
        plan: 'pro',
        first_seen: 'shop',
        $initial_utm_source: 'letter'
      })
      expect(results[0]?.properties).not.toHaveProperty('theme')
    }
  )
})

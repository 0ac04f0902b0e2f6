import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  decodeBody,
  hasBrowser,
  openBrowser,
  openRecorder,
  openSite,
  type RecordedRequest,
  scriptOf
} from '../../support/browser.ts'
import { newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const Sent = z.array(
  z.object({
    uuid: z.guid(),
    event: z.literal('$snapshot'),
    properties: z.looseObject({
      $session_id: z.string(),
      $window_id: z.string(),
      $snapshot_data: z.array(z.looseObject({ type: z.int(), timestamp: z.number() }))
    })
  })
)

const Recording = z.looseObject({
  id: z.string(),
  distinct_id: z.string(),
  click_count: z.int(),
  keypress_count: z.int(),
  console_log_count: z.int(),
  console_error_count: z.int(),
  start_url: z.string(),
  person: z.looseObject({ name: z.string().nullable() })
})
const Recordings = z.object({ count: z.int(), results: z.array(Recording) })
const Sources = z.object({ sources: z.array(z.looseObject({ blob_key: z.string() })) })

/** Returns the parts of recordings that the service accepted, once each: the SDK repeats a request that was cut off. */
const sentBy = (requests: RecordedRequest[]) => {
  const parts = requests
    .filter(
      ({ method, path, status }) => method === 'POST' && path.startsWith('/s/') && status === 200
    )
    .flatMap(({ body }) => Sent.parse(decodeBody(body)))
  return [...new Map(parts.map((part) => [part.uuid, part])).values()]
}

const pageOf = (script: string, token: string, host: string) => `<!doctype html>
<title>Shop</title>
<button onclick="console.log('bought'); console.error('sold out'); this.after('Thank you')">Buy</button>
<input>
<script crossorigin src="${script}"></script>
<script>posthog.init('${token}', { api_host: '${host}', session_recording: { maskAllInputs: false } })</script>`

it.skipIf(!hasBrowser()).each(['posthog-js', 'posthog-js-1-300'])(
  'the recorder of posthog-js records a visit, and the API returns every snapshot as sent: %s',
  async (name) => {
    const service = await newProject()
    const { url: host, requests } = await openRecorder(service.url)
    const sdk = scriptOf(name)
    // The newer SDK is loaded from the service, as a site's snippet does; the older one is bundled with the site.
    const script = name === 'posthog-js' ? `${host}/static/array.js` : '/sdk.js'
    const site = await openSite({
      '/start': { type: 'text/html', body: pageOf(script, service.token, host) },
      '/sdk.js': { type: 'text/javascript', body: sdk.body },
      '/favicon.ico': { type: 'image/x-icon', body: '' }
    })
    const browser = await openBrowser()
    const tab = await browser.newPage()
    const complaints: string[] = []
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) {
        complaints.push(message.text())
      }
    })
    tab.on('pageerror', (error) => complaints.push(String(error)))
    // rrweb numbers the kinds of changes: source 2 is the mouse, and its type 2 a click.
    const clicks = () =>
      sentBy(requests)
        .flatMap(({ properties }) => properties.$snapshot_data)
        .filter(({ data }) => Object(data).source === 2 && Object(data).type === 2)
    const call = async (path: string) => {
      const url = `${service.url}/api/environments/${service.projectId}/session_recordings/${path}`
      return fetch(url, { headers: { Authorization: `Bearer ${service.key}` } })
    }

    await tab.goto(`${site}/start`)
    // The older SDK sends nothing before the visitor does something, so it has to say that it records.
    await until(() => tab.evaluate<boolean>('posthog.sessionRecordingStarted()'))
    await tab.click('button')
    await tab.fill('input', '7 cakes')
    await until(() => clicks().length === 1)
    await tab.evaluate("posthog.identify('ada', { name: 'Ada' })")
    await tab.click('button')
    const link = await tab.evaluate<string>('posthog.get_session_replay_url()')
    await until(() => clicks().length === 2)
    await tab.goto('about:blank')

    const sent = sentBy(requests)
    const [first] = sent
    await until(async () => {
      const answer = await call(`${first?.properties.$session_id}/snapshots`)
      return (
        answer.ok && Sources.parse(await answer.json()).sources.length === sentBy(requests).length
      )
    })

    expect(complaints).toEqual(['sold out', 'sold out'])
    expect(requests.filter(({ path, status }) => path.startsWith('/s/') && status !== 200)).toEqual(
      []
    )
    const scripts = requests.filter(({ path }) => path.includes('recorder'))
    expect(scripts.map(({ path, status }) => [path.includes(sdk.version), status])).toEqual([
      [true, 200]
    ])
    const { count, results } = Recordings.parse(await (await call('')).json())
    expect(count).toBe(1)
    expect(results[0]).toMatchObject({
      id: first?.properties.$session_id,
      click_count: 2,
      console_log_count: 2,
      console_error_count: 2,
      start_url: `${site}/start`,
      person: { name: 'Ada' }
    })
    expect(results[0]?.keypress_count).toBeGreaterThan(0)

    const linked = await fetch(link, { headers: { Authorization: `Bearer ${service.key}` } })
    expect(Recording.parse(await linked.json())).toEqual(results[0])

    const received = []
    const { sources } = Sources.parse(await (await call(`${results[0]?.id}/snapshots`)).json())
    for (const { blob_key } of sources) {
      const text = await (await call(`${results[0]?.id}/snapshots?blob_key=${blob_key}`)).text()
      for (const line of text.trimEnd().split('\n')) {
        received.push(JSON.parse(line))
      }
    }
    const expected = sentBy(requests)
      .toSorted(
        (a, b) =>
          sources.findIndex((s) => s.blob_key === a.uuid) -
          sources.findIndex((s) => s.blob_key === b.uuid)
      )
      .flatMap(({ properties }) =>
        properties.$snapshot_data.map((snapshot) => [properties.$window_id, snapshot])
      )
    expect(received).toEqual(expected)
    expect(received.filter(([, { type }]) => type === 2).length).toBeGreaterThan(0)
  }
)

it.skipIf(!hasBrowser()).each(['posthog-js', 'posthog-js-1-300'])(
  'the recorder of posthog-js is not loaded while recording is off: %s',
  async (name) => {
    const service = await newProject([])
    const { url: host, requests } = await openRecorder(service.url)
    const site = await openSite({
      '/start': { type: 'text/html', body: pageOf('/sdk.js', service.token, host) },
      '/sdk.js': { type: 'text/javascript', body: scriptOf(name).body },
      '/favicon.ico': { type: 'image/x-icon', body: '' }
    })
    const tab = await (await openBrowser()).newPage()
    // The SDK captures a visitor's actions only after the configuration has arrived.
    const captured = () =>
      requests
        .filter(({ method, path }) => method === 'POST' && path.startsWith('/i/v0/e/'))
        .map(({ body }) => JSON.stringify(decodeBody(body)))
        .join()

    await tab.goto(`${site}/start`)
    await until(async () => {
      await tab.click('button')
      return captured().includes('$autocapture')
    })

    const paths = requests.map(({ path }) => path)
    expect(paths.filter((path) => path.includes('recorder') || path.startsWith('/s/'))).toEqual([])
  }
)

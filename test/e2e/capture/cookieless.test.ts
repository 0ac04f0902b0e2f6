import { describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { hasBrowser, openBrowser, openSite } from '../../support/browser.ts'
import { readRows } from '../../support/processes.ts'
import { newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

type Service = Awaited<ReturnType<typeof newProject>>

const pageOf = ({ url, token }: Service, mode: string) => `<!doctype html>
<title>Shop</title>
<button>Buy</button>
<script src="${url}/static/array.js"></script>
<script>
  posthog.init('${token}', { api_host: '${url}', cookieless_mode: '${mode}', request_queue_config: { flush_interval_ms: 250 } })
  if ('${mode}' === 'on_reject') posthog.opt_out_capturing()
</script>`

/** Opens a page as a new visitor with this IP address. */
async function visitFrom(address: string, page: string) {
  const browser = await openBrowser()
  await browser.setExtraHTTPHeaders({ 'X-Forwarded-For': address })
  const tab = await browser.newPage()
  await tab.goto(page)
  return {
    tab,
    cookies: () => browser.cookies(),
    storage: () =>
      tab.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
  }
}

const Stored = z.array(
  z.object({
    event: z.string(),
    distinct_id: z.string(),
    session_id: z.string().nullable(),
    person_id: z.int().nullable(),
    properties: z.string()
  })
)

/** Returns the project's stored events, oldest first. */
const eventsOf = ({ projectId }: Service) =>
  Stored.parse(
    readRows(
      inject('service').stateDir,
      `select name as event, distinct_id, session_id, person_id, json(properties) as properties
       from events join event_names on event_names.id = event_id join distinct_ids on key = identity
       where events.project_id = ${projectId} order by timestamp`
    )
  )

describe.skipIf(!hasBrowser())('posthog-js without cookies', () => {
  it.each([['always'], ['on_reject']])(
    '%s: visitors are told apart, and neither address nor user agent is stored',
    async (mode) => {
      const service = await newProject()
      const page = await openSite({
        '/': { type: 'text/html', body: pageOf(service, mode) },
        '/favicon.ico': { type: 'image/x-icon', body: '' }
      })
      const names = () => eventsOf(service).map(({ event }) => event)
      const seen = (event: string, count: number) =>
        until(() => names().filter((name) => name === event).length === count)

      const ada = await visitFrom('203.0.113.1', page)
      await seen('$pageview', 1)
      await ada.tab.click('button')
      await seen('$autocapture', 1)
      const bob = await visitFrom('203.0.113.2', page)
      await seen('$pageview', 2)
      await ada.tab.evaluate("posthog.identify('ada', { plan: 'pro' }); posthog.capture('bought')")
      await bob.tab.evaluate("posthog.identify('bob'); posthog.capture('bought')")
      await seen('bought', 2)

      const events = eventsOf(service)
      const idsOf = (event: string) =>
        events.filter((one) => one.event === event).map(({ distinct_id }) => distinct_id)
      const [first, second] = idsOf('$pageview')
      expect([first, second].every((id) => /^cookieless_[0-9a-f]{32}$/.test(id ?? ''))).toBe(true)
      expect(first).not.toBe(second)
      expect(idsOf('$autocapture')).toEqual([first])
      // Under `on_reject`, the SDK gives up the identity before the next event, because the visitor has refused.
      const known = mode === 'always' ? ['ada', 'bob'] : []
      expect(idsOf('bought')).toEqual(mode === 'always' ? known : [first, second])

      const people = events.filter(({ person_id }) => person_id !== null)
      expect(new Set(people.map(({ distinct_id }) => distinct_id))).toEqual(new Set(known))
      expect(new Set(people.map(({ person_id }) => person_id)).size).toBe(known.length)
      const sessions = Map.groupBy(events, ({ session_id }) => session_id)
      expect([...sessions.values()].map((own) => own[0]?.distinct_id)).toEqual([first, second])

      const text = JSON.stringify(events)
      expect(text).not.toContain('$posthog_cookieless')
      expect(text).not.toContain('203.0.113')
      expect(text).not.toContain('Mozilla')
      for (const { cookies, storage } of [ada, bob]) {
        expect(await cookies()).toEqual([])
        // The SDK may keep the visitor's refusal, but no id.
        expect(await storage()).not.toMatch(/distinct_id|device_id|cookieless/)
      }
    }
  )
})

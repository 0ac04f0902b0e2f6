import { describe, expect, it } from 'vitest'
import { hasBrowser, openBrowser, openRecorder, openSite, scriptOf } from '../../support/browser.ts'
import { newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

/** The first argument of each SDK method's callback when there is nothing to report. */
const ANSWERS = {
  onFeatureFlags: [],
  getEarlyAccessFeatures: [],
  getSurveys: [],
  onSurveysLoaded: [],
  getActiveMatchingSurveys: []
}

/** Returns a page that calls each method of `ANSWERS` and keeps the first argument of its callback in `answers`. */
const pageOf = (token: string, host: string) => `<!doctype html>
<title>Shop</title>
<script src="/sdk.js"></script>
<script>
  const answers = {}
  const note = (name) => (first) => { answers[name] = first }
  posthog.init('${token}', { api_host: '${host}', disable_web_experiments: false })
  posthog.onFeatureFlags(note('onFeatureFlags'))
  posthog.getEarlyAccessFeatures(note('getEarlyAccessFeatures'), true)
  posthog.onSurveysLoaded((surveys) => {
    note('onSurveysLoaded')(surveys)
    posthog.getSurveys(note('getSurveys'), true)
    posthog.getActiveMatchingSurveys(note('getActiveMatchingSurveys'))
  })
</script>`

describe.skipIf(!hasBrowser())('posthog-js in a browser', () => {
  it.each(['posthog-js', 'posthog-js-1-300'])(
    'runs the callbacks of features that the service lacks: %s',
    async (name) => {
      const service = await newProject()
      const { url: host, requests } = await openRecorder(service.url)
      const site = await openSite({
        '/': { type: 'text/html', body: pageOf(service.token, host) },
        '/sdk.js': { type: 'text/javascript', body: scriptOf(name).body },
        '/favicon.ico': { type: 'image/x-icon', body: '' }
      })
      const tab = await (await openBrowser()).newPage()
      const messages: string[] = []
      tab.on('console', (message) => messages.push(message.text()))
      tab.on('pageerror', (error) => messages.push(String(error)))
      tab.on('requestfailed', (request) => messages.push(`${request.url()} failed`))
      const answers = (): Promise<Record<string, unknown>> => tab.evaluate('answers')
      const names = Object.keys(ANSWERS)

      await tab.goto(site)
      await until(async () => {
        const known = await answers()
        return names.every((one) => one in known)
      })

      expect(await answers()).toEqual(ANSWERS)
      expect(messages).toEqual([])
      expect(requests.filter(({ status }) => status !== 200)).toEqual([])
    }
  )
})

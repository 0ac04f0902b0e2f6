import { describe, expect, it } from 'vitest'
import { hasBrowser, openBrowser, openRecorder, openSite, scriptOf } from '../../support/browser.ts'
import { until } from '../../support/processes.ts'
import { newProject } from '../../support/service.ts'

/** Arguments of each SDK method's callback when there is nothing to report. */
const ANSWERS = {
  onFeatureFlags: [],
  getEarlyAccessFeatures: [],
  getSurveys: [],
  onSurveysLoaded: [],
  getActiveMatchingSurveys: []
}

/** `answers` holds the arguments of the callbacks. */
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
    'calls back for every feature that does not exist here: %s',
    async (name) => {
      const service = await newProject()
      const { url: host, passed } = await openRecorder(service.url)
      const site = await openSite({
        '/': { type: 'text/html', body: pageOf(service.token, host) },
        '/sdk.js': { type: 'text/javascript', body: scriptOf(name).body },
        '/favicon.ico': { type: 'image/x-icon', body: '' }
      })
      const tab = await (await openBrowser()).newPage()
      const said: string[] = []
      tab.on('console', (message) => said.push(message.text()))
      tab.on('pageerror', (error) => said.push(String(error)))
      tab.on('requestfailed', (request) => said.push(`${request.url()} failed`))
      const answers = (): Promise<Record<string, unknown>> => tab.evaluate('answers')
      const names = Object.keys(ANSWERS)

      await tab.goto(site)
      await until(async () => {
        const known = await answers()
        return names.every((one) => one in known)
      })

      expect(await answers()).toEqual(ANSWERS)
      expect(said).toEqual([])
      expect(passed.filter(({ status }) => status !== 200)).toEqual([])
    }
  )
})

import { escapeHtml } from '../../html/escape.ts'
import { BRAND, type HtmlPage } from '../../html/page.ts'
import type { HealthJson } from '../health/check.ts'

const STATES: Record<HealthJson['status'], string> = {
  ok: 'Everything is in order.',
  warning: 'The service works, but something needs attention.',
  unavailable: 'The service is not ready.'
}

/**
 * Returns the page that introduces the service and shows how to begin.
 * @param origin the public origin of this service, for the snippets:
 * `https://analytics.example.com`
 */
export const homePage = (origin: string, health: HealthJson): Omit<HtmlPage, 'nonce'> => ({
  title: 'Edge Analytics',
  style: STYLE,
  body: `<main class="home">
<header class="row">${BRAND}<span class="grow"></span><nav class="row"><a href="/docs">API reference</a><a href="/openapi.json">OpenAPI</a><a href="/readyz">State as JSON</a></nav></header>
<h1>Product analytics behind PostHog’s API, on Cloudflare Workers</h1>
<p class="state ${health.status}">${STATES[health.status]}</p>
<dl class="card">
${factsOf(health)
  .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
  .join('\n')}
</dl>
<h2>Send events from a web page</h2>
<pre class="code" tabindex="0">${escapeHtml(webSnippet(origin))}</pre>
<p class="sec">PostHog’s SDKs work unchanged: give them this host and the capture token of your project in place of <code>phc_…</code>.</p>
<h2>List the persons</h2>
<pre class="code" tabindex="0">${escapeHtml(apiSnippet(origin))}</pre>
</main>`
})

const webSnippet = (origin: string): string => `<script src="${origin}/static/array.js"></script>
<script>
  posthog.init('phc_…', { api_host: '${origin}' })
</script>`

const apiSnippet = (origin: string): string => `curl -H 'Authorization: Bearer phx_…' \\
  ${origin}/api/projects/@current/persons/`

/** Returns the facts from the health check that the page shows. */
function factsOf(health: HealthJson): [name: string, value: string][] {
  const databases = [health.database, ...health.other_databases]
  const broken = databases.filter(({ status }) => status === 'unavailable').length
  const fullest = Math.max(...databases.map(({ fill }) => fill))
  const secrets = health.secrets.filter(({ status }) => status !== 'ok').map(({ name }) => name)
  const failed = health.crons.filter(({ failed_jobs }) => failed_jobs).length
  const overdue = health.crons.filter((cron) => cron.overdue).length
  return [
    broken > 0
      ? ['Databases', `${broken} of ${databases.length} not ready`]
      : ['Space in use', formatShare(fullest)],
    ['Messages waiting', health.queue.backlog === null ? 'unknown' : String(health.queue.backlog)],
    ['Dead letters', health.dead_letters === null ? 'unknown' : String(health.dead_letters)],
    ...(failed > 0 ? [['Failed crons', String(failed)] as [string, string]] : []),
    ...(overdue > 0 ? [['Overdue crons', String(overdue)] as [string, string]] : []),
    ...(secrets.length > 0
      ? [['Secrets missing, short or changed', secrets.join(', ')] as [string, string]]
      : []),
    ...(health.ledger === 'ok' ? [] : [['Ledger of erasures', health.ledger] as [string, string]])
  ]
}

/** `0.0004` → `under 1%`, `0.42` → `42%`. */
const formatShare = (share: number): string =>
  share < 0.01 ? 'under 1%' : `${Math.round(share * 100)}%`

const STYLE = `
.home { max-width: 720px; margin: 0 auto; padding: var(--s-32) var(--s-24) var(--s-64); font: var(--regular) var(--t-14) var(--font); }
.home header { gap: var(--s-8) var(--s-24); }
.home nav { gap: var(--s-4) var(--s-16); }
.home h1 { padding: var(--s-64) 0 var(--s-16); max-width: 24ch; font: var(--semibold) var(--t-32) var(--font); letter-spacing: -0.025em; }
.home h2 { padding: var(--s-32) 0 var(--s-8); }
.home .code + p { padding-top: var(--s-8); max-width: var(--measure); }
.state { display: flex; align-items: center; gap: 10px; padding-bottom: var(--s-16); font-weight: var(--medium); }
.state::before { content: ""; flex: none; width: 8px; height: 8px; margin-left: 3px; border-radius: 50%; background: var(--c); box-shadow: 0 0 0 3px var(--soft); }
.state.ok { --c: var(--good); --soft: var(--good-soft); }
.state.warning { --c: var(--warn); --soft: var(--warn-soft); }
.state.unavailable { --c: var(--bad); --soft: var(--bad-soft); }
.home dl { display: flex; flex-wrap: wrap; gap: 1px; overflow: hidden; background: var(--line); }
.home dl div { flex: 1 1 140px; padding: 12px var(--s-16) 13px; background: var(--surface); }
.home dt { color: var(--ink-2); font: var(--medium) var(--t-12) var(--font); }
.home dd { padding-top: 1px; font: var(--semibold) var(--t-20) var(--font); letter-spacing: -0.015em; }
@media screen and (max-width: 720px) {
  .home { padding: var(--s-24) var(--s-16) var(--s-48); }
  .home h1 { padding-top: var(--s-32); font: var(--semibold) var(--t-24) var(--font); letter-spacing: -0.02em; }
}
`

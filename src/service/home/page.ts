import { escapeHtml } from '../../html.ts'
import type { HealthJson } from '../health/check.ts'

/** The page's policy allows its own style and `data:` images, and nothing else. */
export const policyOf = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

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
export const homePage = (
  origin: string,
  health: HealthJson,
  nonce: string
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Edge Analytics</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>Edge Analytics</h1>
<p class="lead">Product analytics behind PostHog’s API, on Cloudflare Workers.</p>
<p class="state ${health.status}"><span aria-hidden="true"></span>${STATES[health.status]}</p>
<dl>
${factsOf(health)
  .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
  .join('\n')}
</dl>
<h2>Send events from a web page</h2>
<pre><code>${escapeHtml(webSnippet(origin))}</code></pre>
<p>PostHog’s SDKs work unchanged: give them this host and the capture token of your project in place of <code>phc_…</code>.</p>
<h2>List the persons</h2>
<pre><code>${escapeHtml(apiSnippet(origin))}</code></pre>
<nav>
<a href="/docs">API reference</a>
<a href="/openapi.json">OpenAPI document</a>
<a href="/readyz">State as JSON</a>
</nav>
</main>
</body>
</html>
`

const webSnippet = (origin: string): string => `<script src="${origin}/static/array.js"></script>
<script>
  posthog.init('phc_…', { api_host: '${origin}' })
</script>`

const apiSnippet = (origin: string): string => `curl -H 'Authorization: Bearer phx_…' \\
  ${origin}/api/projects/@current/persons/`

function factsOf(health: HealthJson): [name: string, value: string][] {
  const databases = [health.database, ...health.other_databases]
  const broken = databases.filter(({ status }) => status === 'unavailable').length
  const fullest = Math.max(...databases.map(({ fill }) => fill))
  const secrets = health.secrets.filter(({ status }) => status !== 'ok').map(({ name }) => name)
  const failed = health.crons.filter(({ failed_jobs }) => failed_jobs).length
  const overdue = health.crons.filter((cron) => cron.overdue).length
  return [
    [
      'Databases',
      broken > 0 ? `${broken} of ${databases.length} not ready` : `${formatShare(fullest)} full`
    ],
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

/** `0.0004` → `under 1 %`, `0.42` → `42 %`. */
const formatShare = (share: number): string =>
  share < 0.01 ? 'under 1 %' : `${Math.round(share * 100)} %`

const STYLE = `
:root { --ink: #1f2328; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --code: #f6f8fa; --link: #0550ae;
  --ok: #1a7f37; --warning: #9a6700; --unavailable: #cf222e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9198a1; --line: #30363d; --paper: #0d1117; --code: #161b22; --link: #79c0ff;
    --ok: #3fb950; --warning: #d29922; --unavailable: #ff7b72; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 12vh 1.25rem 4rem; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -.02em; }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.05rem; }
.lead { margin: .25rem 0 1.75rem; color: var(--soft); font-size: 1.1rem; }
.state { display: flex; align-items: center; gap: .6rem; margin: 0 0 1rem; font-weight: 600; }
.state span { flex: none; width: .7rem; height: .7rem; border-radius: 50%; }
.ok span { background: var(--ok); }
.warning span { background: var(--warning); }
.unavailable span { background: var(--unavailable); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 1rem; margin: 0; padding: 1rem 0;
  border-block: 1px solid var(--line); }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
pre { margin: 0; padding: 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--code); }
code { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; }
p code { overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin-top: 2.5rem; }
a { color: var(--link); }
`

/**
 * Content security policy of the page: the page may load its library and the document from this
 * host, and nothing else.
 */
export const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join('; ')

/** Puts the rules below the operations. Swagger UI has dark colours, but no page around them. */
const STYLE = `
:root { color-scheme: light dark; }
body {
  margin: 0;
  background: light-dark(#fff, #1c2022);
  color: light-dark(#1f2328, #e6edf3);
  font-family: system-ui, sans-serif;
}
header {
  display: flex;
  flex-wrap: wrap;
  gap: 1rem;
  align-items: baseline;
  max-width: 1420px;
  margin: auto;
  padding: 1.5rem 20px 0;
}
h1 { flex: 1; margin: 0; font-size: 1.5rem; }
header p { flex-basis: 100%; margin: 0; }
a { color: light-dark(#0550ae, #79c0ff); }
[type=search] {
  font: inherit;
  width: min(100%, 22rem);
  padding: .5rem .75rem;
  border: 1px solid #8c959f;
  border-radius: 4px;
  background: transparent;
  color: inherit;
}
.swagger-ui > div { display: flex; flex-direction: column; }
.information-container { order: 1; }
.information-container table { table-layout: fixed; }
.information-container hgroup, .filter-container { display: none; }
`

/**
 * Configures Swagger UI. `search` finds operations by any part of their texts; Swagger UI itself
 * finds only tags.
 */
const SCRIPT = `
const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
const textOf = (operation) =>
  [
    operation.get('path'),
    operation.get('method'),
    ...['operationId', 'summary', 'tags'].map((name) => operation.getIn(['operation', name]))
  ].join(' ').toLowerCase()
const search = (tags, words) => {
  const isFound = (operation) => textOf(operation).includes(words.toLowerCase())
  return tags
    .map((tag) => tag.update('operations', (all) => all.filter(isFound)))
    .filter((tag) => tag.get('operations').size > 0)
}
const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [() => ({ fn: { opsFilter: search } })]
})
document.querySelector('[type=search]').addEventListener('input', ({ target }) =>
  ui.layoutActions.updateFilter(target.value.trim())
)
`

/**
 * Returns the page that shows `/openapi.json` with Swagger UI, which scripts/assets.ts copies to
 * `/docs/`.
 */
export const referencePage = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Edge Analytics: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header>
<h1>Edge Analytics: API</h1>
<input type="search" placeholder="Search operations" aria-label="Search operations">
<p>Below the operations: the rules for keys, errors, lists, times and ignored parameters.</p>
</header>
<noscript>
This page needs JavaScript. The same reference as JSON: <a href="/openapi.json">/openapi.json</a>.
</noscript>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`

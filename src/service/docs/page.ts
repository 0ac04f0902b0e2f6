import { BRAND, type HtmlPage } from '../../html/page.ts'
import { STYLE } from './style.ts'

/**
 * Configures Swagger UI. `search` finds operations by any part of their texts; Swagger UI itself
 * finds only tags. `operations` draws all of them: Swagger UI itself draws only those in view if there
 * are many, which a browser's own search does not find.
 */
const SCRIPT = `
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
const operations = ({ React: { createElement } }) => ({ specSelectors, getComponent, ...props }) => {
  const [Tag, Operation] = [getComponent('OperationTag'), getComponent('OperationContainer', true)]
  const draw = (tag) => (op) =>
    createElement(Operation, {
      key: op.get('id'), tag, op, specPath: op.get('specPath'), path: op.get('path'), method: op.get('method')
    })
  const tags = specSelectors.taggedOperations().map((tagObj, tag) =>
    createElement(
      Tag,
      { ...props, key: tag, tag, tagObj, getComponent, specUrl: specSelectors.url() },
      createElement('div', { className: 'operation-tag-content' }, tagObj.get('operations').map(draw(tag)).toArray())
    )
  )
  return createElement('div', null, tags.valueSeq().toArray())
}
const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  syntaxHighlight: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [(system) => ({ fn: { opsFilter: search }, components: { operations: operations(system) } })]
})
document.querySelector('[type=search]').addEventListener('input', ({ target }) =>
  ui.layoutActions.updateFilter(target.value.trim())
)
`

/**
 * Returns the page that shows `/openapi.json` with Swagger UI, which scripts/assets.ts copies to
 * `/docs/`.
 * @param nonce the nonce of its script
 */
export const referencePage = (nonce: string): Omit<HtmlPage, 'nonce'> => ({
  title: 'Edge Analytics: API',
  sheets: ['/docs/swagger-ui.css'],
  style: STYLE,
  body: `<header class="docs">
${BRAND}
<span class="grow"></span>
<a href="/">Home</a>
<a href="/openapi.json">OpenAPI</a>
<h1>API reference</h1>
<p class="sec">Below the operations: the rules for keys, errors, lists, times and ignored parameters.</p>
<input type="search" class="in" placeholder="Search operations" aria-label="Search operations">
</header>
<noscript><p class="docs">
This page needs JavaScript. The same reference as JSON: <a href="/openapi.json">/openapi.json</a>.
</p></noscript>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script nonce="${nonce}">${SCRIPT}</script>`
})

/** The header, and the rules for keys, errors and lists below the operations. */
const HEADER = `
.docs { display: flex; flex-wrap: wrap; gap: var(--s-8) var(--s-16); align-items: center; max-width: 1460px; margin: 0 auto; padding: var(--s-16) 20px; }
.docs h1 { flex-basis: 100%; padding-top: var(--s-16); }
.docs p { flex: 1 1 20rem; }
.docs .in { width: min(100%, 22rem); }
.swagger-ui > div { display: flex; flex-direction: column; }
.information-container { order: 1; }
.information-container table { table-layout: fixed; }
.information-container hgroup, .filter-container { display: none; }
`

/**
 * Gives Swagger UI the tokens. Its own sheet names a colour and a font in nearly every rule: the first
 * rule here outweighs all of them, and the others say what each part looks like.
 */
const SWAGGER_UI = `
#reference *, #reference *::after { border-color: var(--line); background-color: transparent; box-shadow: none; color: inherit; font-family: inherit; text-shadow: none; }
#reference svg, #reference svg * { fill: currentColor; }
#reference .swagger-ui { font: var(--regular) var(--t-13) var(--font); }
#reference .wrapper { padding: 0 20px; }
#reference :is(p, li, table, td, label, h5) { font-size: inherit; }
#reference :is(h1, h2, h3, h4) { font: var(--semibold) var(--t-14) var(--font); }
#reference .renderedMarkdown :is(h1, h2) { font-size: 1rem; }
#reference a { color: var(--accent-ink); }
#reference :is(code, pre, textarea, .opblock-summary-path, .parameter__type, .prop-format, .response-col_status) { font-family: var(--mono); font-size: 0.75rem; font-weight: inherit; }
#reference :is(pre, textarea, .microlight, .model-box) { border: 1px solid var(--line); border-radius: var(--r-control); background: var(--sunken); }
#reference .renderedMarkdown code { margin: 0; padding: 1px var(--s-4); border-radius: var(--s-4); background: var(--sunken); }
#reference pre :is(code, span) { border: 0; font: inherit; }
#reference :is(.parameter__in, .prop-format, .response-control-media-type__accept-message, .parameter__extension, small) { color: var(--ink-3); }
#reference .parameter__name { font: var(--medium) var(--t-13) var(--mono); }
#reference .parameter__name.required::after { color: var(--bad); }
#reference :is(.parameter__name.required span, .parameter__deprecated) { color: var(--bad); }
#reference .opblock-tag { padding: var(--s-12) 0; font: var(--semibold) var(--t-16) var(--font); }
#reference :is(.opblock-tag, .opblock-summary-path) a { color: inherit; }
#reference .opblock-tag small { color: var(--ink-2); font: var(--regular) var(--t-13) var(--font); }
#reference .opblock { margin-bottom: var(--s-8); border-radius: var(--r-card); background: var(--surface); overflow: hidden; }
#reference .opblock-summary { padding: 6px 10px; border-color: var(--line); }
#reference .opblock-summary:hover { background: var(--hover); }
#reference .opblock-summary-method { min-width: 64px; padding: var(--s-4) 0; border-radius: var(--r-control); background: var(--hover); font: var(--semibold) var(--t-12) var(--font); }
#reference .opblock-get .opblock-summary-method { background: var(--accent-soft); color: var(--accent-ink); }
#reference .opblock-post .opblock-summary-method { background: var(--good-soft); color: var(--good); }
#reference :is(.opblock-put, .opblock-patch) .opblock-summary-method { background: var(--warn-soft); color: var(--warn); }
#reference .opblock-delete .opblock-summary-method { background: var(--bad-soft); color: var(--bad); }
#reference .opblock-summary-path { font-size: 0.8125rem; font-weight: var(--medium); }
#reference .opblock-summary-description { color: var(--ink-2); font-size: inherit; }
#reference .opblock-section-header { min-height: 44px; background: var(--sunken); }
#reference .tab-item.active h4 span::after { background: var(--accent); }
#reference :is(input, select, textarea) { border: 1px solid var(--field); border-radius: var(--r-control); background-color: var(--surface); color: var(--ink); font-size: 0.8125rem; font-weight: var(--regular); }
#reference select { appearance: auto; background-image: none; }
#reference :is(input, select, textarea).invalid { border-color: var(--bad); background-color: var(--bad-soft); }
#reference :is(input, select, textarea)[disabled] { background-color: var(--sunken); color: var(--ink-2); }
#reference .btn { min-height: var(--control); padding: 5px var(--s-12); border: 1px solid var(--line-2); border-radius: var(--r-control); background: var(--surface); font: var(--medium) var(--t-13) var(--font); }
#reference .btn:hover { background: var(--hover); }
#reference :is(.btn.execute, .auth-btn-wrapper .authorize) { border-color: transparent; background: var(--accent); color: var(--on-accent); }
#reference :is(.btn.execute, .auth-btn-wrapper .authorize):hover { background: var(--accent-hover); }
#reference .btn.cancel { color: var(--bad); }
#reference :is(.highlight-code .copy-to-clipboard, .curl-command .copy-to-clipboard, .download-contents) { border: 1px solid var(--line-2); border-radius: var(--r-control); background: var(--surface); color: var(--ink-2); font: var(--medium) var(--t-12) var(--font); }
#reference :is(table thead th, table thead td, .col_header) { color: var(--ink-3); font: var(--medium) var(--t-12) var(--font); }
#reference .scheme-container { margin: 0; padding: 0 0 var(--s-16); }
#reference :is(section.models, .model-container, .json-schema-2020-12) { border-radius: var(--r-card); background: var(--surface); }
#reference .json-schema-2020-12__attribute--primary { color: var(--accent-ink); }
#reference .errors-wrapper { border-color: var(--bad); background: var(--bad-soft); }
#reference .backdrop-ux { background: var(--scrim); }
#reference .modal-ux { border-radius: 12px; background: var(--raised); box-shadow: var(--shadow-3); }
#reference .loading::after { color: var(--ink-2); }
#reference :focus:not(:focus-visible) { outline: none; }
#reference :is(*, .btn):focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
#reference .opblock-summary:focus-within .copy-to-clipboard { width: 24px; }
#reference :is(.opblock-summary-control, .opblock-tag):focus-visible { outline-offset: -2px; }
@media (prefers-color-scheme: light) { #reference .copy-to-clipboard button { border-radius: var(--s-4); background-color: var(--ink-2); } }
@media (max-width: 720px) {
  #reference :is(.parameters, .responses-table) :is(thead, tbody, tr, td) { display: block; }
  #reference :is(.parameters, .responses-table) thead { display: none; }
  #reference .parameters tr { padding-bottom: var(--s-12); }
  #reference :is(input, select, textarea) { max-width: 100%; font-size: 16px; }
}
`

export const STYLE = HEADER + SWAGGER_UI

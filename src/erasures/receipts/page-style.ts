/** The style of the page, on screen and on paper. */
export const STYLE = `
.paper { max-width: 680px; margin: 0 auto; padding: var(--s-48) var(--s-24) var(--s-64); font: var(--regular) var(--t-14) var(--font); }
.paper h1 { padding-top: var(--s-32); }
.paper h2 { padding: var(--s-32) 0 var(--s-8); break-after: avoid; }
.lead { padding: var(--s-4) 0 var(--s-16); max-width: 56ch; text-wrap: pretty; }
.paper ul { display: grid; gap: 6px; padding-left: 18px; list-style: disc; }
.paper .zero { color: var(--ink-3); }
.paper td:nth-child(4) { color: var(--ink); font-weight: var(--medium); }
.paper h2 + p + .table { margin-top: var(--s-8); }
#verdict { margin-bottom: var(--s-16); padding: 12px 14px; border-radius: 8px; background: var(--sunken); color: var(--ink-2); }
#verdict.good { background: var(--good-soft); color: var(--good); }
#verdict.good::before { content: '✓ '; }
#verdict.bad { background: var(--bad-soft); color: var(--bad); }
#verdict.bad::before { content: '✗ '; }
#check { display: flex; flex-wrap: wrap; gap: var(--s-8); align-items: center; padding: var(--s-12) 0 var(--s-8); }
#check .in { flex: 1 1 12rem; width: auto; min-width: 0; }
#answer { font-weight: var(--medium); }
.paper .mut { font: var(--regular) var(--t-12) var(--font); }
.paper details { padding-top: var(--s-12); }
.paper .code { margin-top: var(--s-8); white-space: pre-wrap; overflow-wrap: anywhere; }
@media screen and (max-width: 720px) {
  .paper { padding: var(--s-24) var(--s-16) var(--s-48); }
  .paper .kv { grid-template-columns: minmax(0, 1fr); }
  .paper .kv dt { border: 0; padding-bottom: 0; }
  .paper .kv dd { padding-top: 0; }
  .paper .table :is(th, td) { padding-inline: var(--s-4); }
}
@media print {
  .paper { max-width: none; padding: 0; }
  .paper .table :is(th, td) { height: auto; padding-top: 3pt; padding-bottom: 3pt; }
  #verdict { border: 1px solid currentColor; background: none; }
  #check, #answer, details { display: none; }
}
`

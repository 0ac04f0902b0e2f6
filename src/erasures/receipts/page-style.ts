/** The style of the page, on screen and on paper. */
export const STYLE = `
:root { --ink: #1f2328; --soft: #57606a; --line: #d0d7de; --good: #1a7f37; --bad: #cf222e; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 4rem; }
h1 { margin: 0; font-size: 1.75rem; letter-spacing: -.02em; }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; break-after: avoid; }
.lead { margin: .25rem 0 1.25rem; color: var(--soft); font-size: 1.1rem; }
.soft { color: var(--soft); font-size: .875rem; }
#verdict { margin: 0 0 1.5rem; padding: .75rem 1rem; border: 1px solid var(--line); border-left-width: .35rem; font-weight: 600; }
#verdict.good { border-color: var(--good); color: var(--good); }
#verdict.good::before { content: '✓ '; }
#verdict.bad { border-color: var(--bad); color: var(--bad); }
#verdict.bad::before { content: '✗ '; }
dl { margin: 0; border-top: 1px solid var(--line); }
dl div { display: grid; grid-template-columns: 15rem 1fr; gap: .25rem 1rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child { padding-left: 0; text-align: left; }
td:last-child, th:last-child { padding-right: 0; }
tbody th { font-weight: 400; }
tr { break-inside: avoid; }
ul { padding-left: 1.25rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
input { flex: 1 1 12rem; min-width: 0; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 6px; font: inherit; }
button { padding: .5rem 1rem; border: 0; border-radius: 6px; background: var(--ink); color: #fff; font: inherit; cursor: pointer; }
code, pre { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; }
pre { padding: 1rem; border: 1px solid var(--line); white-space: pre-wrap; }
summary { cursor: pointer; }
a { color: #0550ae; overflow-wrap: anywhere; }
@media (max-width: 36rem) {
  main { padding-top: 1.5rem; }
  dl div { grid-template-columns: 1fr; }
  th, td { padding-inline: .2rem; }
  tbody th { overflow-wrap: anywhere; }
}
@media print {
  html { font-size: 12px; }
  main { max-width: none; padding: 0; }
  form, #answer, details { display: none; }
}
`

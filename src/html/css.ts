import { type Colors, DARK, LIGHT, TYPE_AND_SPACE } from './tokens.ts'

const declare = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([name, value]) => `--${name}:${value};`)
    .join('')

/**
 * The tokens as custom properties: `ink-2` is `--ink-2`. Dark follows the system; `data-theme`,
 * `light` or `dark`, on `<html>` overrides it. Paper is always light.
 */
export const TOKENS_CSS = `
:root{color-scheme:light dark;${declare(TYPE_AND_SPACE)}${declare(LIGHT)}}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${declare(DARK)}}}
@media screen{:root[data-theme=dark]{color-scheme:dark;${declare(DARK)}}}
:root[data-theme=light]{color-scheme:light}
`

/** The colours as references to the custom properties, for drawings within a page. */
export const VARIABLES = Object.fromEntries(
  Object.keys(LIGHT).map((name) => [name, `var(--${name})`])
) as Colors

/** The parts that pages share, on the tokens only. */
export const BASE_CSS = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--bg); color: var(--ink); font: var(--regular) var(--t-13) var(--font); font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased; text-rendering: optimizeLegibility; }
h1, h2, h3, p, ul, ol, dl, dd, figure, pre, table { margin: 0; padding: 0; }
h1 { font: var(--semibold) var(--t-24) var(--font); letter-spacing: -0.02em; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font: var(--semibold) var(--t-14) var(--font); letter-spacing: -0.006em; text-wrap: balance; overflow-wrap: anywhere; }
p, li, dd { overflow-wrap: anywhere; }
ul, ol { list-style: none; }
a { color: var(--accent-ink); text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: 2px; }
button, input, select { font: inherit; color: inherit; letter-spacing: inherit; }
code, pre, .mono { font-family: var(--mono); font-size: 0.923em; }
svg { display: block; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.sec { color: var(--ink-2); }
.mut { color: var(--ink-3); }
.row { display: flex; align-items: center; gap: var(--s-8); flex-wrap: wrap; }
.grow { flex: 1 1 auto; min-width: 0; }
.brand { display: flex; align-items: center; gap: 10px; font: var(--semibold) var(--t-16) var(--font); letter-spacing: -0.01em; }
.mark { width: 28px; height: 28px; flex: none; }
.mark rect { fill: var(--accent); }
.mark path { fill: none; stroke: var(--on-accent); stroke-width: 2; stroke-linecap: round; }
.b { display: inline-flex; align-items: center; justify-content: center; gap: 6px; height: var(--control); padding: 0 var(--s-12); border: 1px solid var(--line-2); border-radius: var(--r-control); background: var(--surface); color: var(--ink); font-weight: var(--medium); white-space: nowrap; box-shadow: var(--shadow-1); cursor: pointer; }
.b:hover { background: var(--hover); text-decoration: none; }
.b.main-b { border-color: transparent; background: var(--accent); color: var(--on-accent); }
.b.main-b:hover { background: var(--accent-hover); }
.in { width: 100%; height: var(--control); padding: 0 10px; border: 1px solid var(--field); border-radius: var(--r-control); background: var(--surface); color: var(--ink); }
.card { border: 1px solid var(--line); border-radius: var(--r-card); background: var(--surface); min-width: 0; }
.code { padding: 12px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); font: var(--t-12) var(--mono); line-height: 20px; overflow-x: auto; white-space: pre; tab-size: 2; }
.kv { display: grid; grid-template-columns: minmax(90px, 38%) 1fr; }
.kv > div { display: contents; }
.kv dt, .kv dd { padding: 7px 0; border-bottom: 1px solid var(--line); min-width: 0; overflow-wrap: anywhere; }
.kv dt { color: var(--ink-2); padding-right: var(--s-12); }
.kv > div:last-child > * { border-bottom: 0; }
.table { width: 100%; border-collapse: collapse; }
.table th { height: 32px; padding: 0 var(--s-12); border-bottom: 1px solid var(--line); color: var(--ink-3); font: var(--medium) var(--t-12) var(--font); text-align: right; }
.table td, .table tbody th { height: var(--row); padding: 4px var(--s-12); border-bottom: 1px solid var(--line); text-align: right; }
.table tbody th { color: var(--ink); font: inherit; overflow-wrap: anywhere; }
.table :is(th, td):first-child { padding-left: 0; text-align: left; }
.table :is(th, td):last-child { padding-right: 0; }
.table tbody tr:last-child > * { border-bottom: 0; }
.door { width: 100%; max-width: 448px; min-height: 100dvh; margin: 0 auto; padding: 22vh var(--s-24) var(--s-48); }
@media screen and (max-width: 720px) {
  body { font-size: 14px; }
  .b, .in { height: 40px; font-size: 14px; }
  .in { font-size: 16px; }
  .door { padding: var(--s-48) var(--s-16); }
}
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important; } }
@media print {
  body { background: none; font-size: 10pt; }
  .card, tr { break-inside: avoid; }
  .screen-only { display: none; }
}
`

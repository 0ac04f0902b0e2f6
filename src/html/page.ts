import { BASE_CSS, TOKENS_CSS } from './css.ts'
import { escapeHtml } from './escape.ts'
import { LIGHT } from './tokens.ts'

/** A page of this service: its title as text, its body as HTML, and what it needs beside them. */
export type HtmlPage = {
  title: string
  body: string
  /** Styles beyond those that all pages share. */
  style?: string
  /** Addresses of further style sheets. */
  sheets?: string[]
  nonce: string
}

/**
 * Returns a page as HTML. `nonce` is that of its style sheet. Search engines are asked to leave the
 * page out.
 */
export const htmlPage = ({ title, body, style = '', sheets = [], nonce }: HtmlPage): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(pageIcon)}">
<style nonce="${nonce}">${TOKENS_CSS}${BASE_CSS}${style}</style>
${sheets.map((sheet) => `<link rel="stylesheet" href="${sheet}">\n`).join('')}</head>
<body>
${body}
</body>
</html>
`

/** The bars of the mark, in a square of 22 pixels. */
const BARS = 'M6 15.5v-3M11 15.5V6.5M16 15.5V9.5'

/** The mark as an SVG file, for the tabs of browsers. */
export const pageIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="6" fill="${LIGHT.accent}"/><path d="${BARS}" stroke="${LIGHT['on-accent']}" stroke-width="2" stroke-linecap="round"/></svg>`

/** The mark and the name of the product. */
export const BRAND = `<div class="brand"><svg class="mark" viewBox="0 0 22 22" aria-hidden="true"><rect width="22" height="22" rx="6"/><path d="${BARS}"/></svg><span>Edge Analytics</span></div>`

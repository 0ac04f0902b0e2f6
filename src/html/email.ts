import { escapeHtml, isolated } from './escape.ts'
import { DARK, LIGHT } from './tokens.ts'

/*
 * E-mails as HTML: tables of 600 pixels with inline styles in the light colours, because many mail
 * programs read nothing else. The style sheet only adds dark colours, and phones.
 */

export const SMALL = `font-size:12px;line-height:16px;color:${LIGHT['ink-3']}`
export const BASE = `font-size:14px;line-height:20px;color:${LIGHT.ink};overflow-wrap:anywhere`
export const HEADING = `margin:0;font-size:14px;line-height:20px;font-weight:600;color:${LIGHT.ink};overflow-wrap:anywhere`
export const FIGURE = `${BASE};font-weight:600;font-variant-numeric:tabular-nums;white-space:nowrap`
const FAMILY = "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
export const TABLE = 'role="presentation" width="100%" cellpadding="0" cellspacing="0"'

/** A row of the sheet, with an edge that is narrower on phones. */
export const section = (html: string): string =>
  `<tr><td class="edge" style="padding:16px 24px 0">${html}</td></tr>`

/** A section with a few sentences. */
export const paragraph = (html: string): string =>
  section(
    `<div class="t2" style="font-size:14px;line-height:20px;color:${LIGHT['ink-2']};overflow-wrap:anywhere">${html}</div>`
  )

/** A section with the one deed of an e-mail. */
export const button = (label: string, url: string): string =>
  section(
    `<a class="btn" href="${escapeHtml(url)}" style="display:inline-block;padding:10px 16px;border-radius:6px;background:${LIGHT.accent};color:${LIGHT['on-accent']};font-size:14px;line-height:20px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a>`
  )

/** Colours of the dark scheme, by class. `!important` overrides the inline styles. */
const STYLE = `
@media (prefers-color-scheme: dark) {
  .bg { background: ${DARK.bg} !important; }
  .sheet { background: ${DARK.surface} !important; border-color: ${DARK.line} !important; }
  .t1 { color: ${DARK.ink} !important; }
  .t2 { color: ${DARK['ink-2']} !important; }
  .t3 { color: ${DARK['ink-3']} !important; }
  .good { color: ${DARK.good} !important; }
  .bad { color: ${DARK.bad} !important; }
  .rule, .bl { border-color: ${DARK.line} !important; }
  .br { background: ${DARK.h4} !important; }
  .btn { background: ${DARK.accent} !important; color: ${DARK['on-accent']} !important; }
  .lnk { color: ${DARK['accent-ink']} !important; }
  .quote { background: ${DARK.raised} !important; color: ${DARK['ink-2']} !important; }
}
@media (max-width: 480px) {
  .outer { padding: 0 !important; }
  .edge { padding-left: 20px !important; padding-right: 20px !important; }
  .sheet { border: 0 !important; border-radius: 0 !important; }
  .from { display: none; }
  .btn { display: block !important; text-align: center; }
}
`

/** What an e-mail says; `notes`, in the words of the sender, stand on a ground of their own. */
type Sheet = {
  title: string
  /** What mail programs show beside the subject. */
  preview: string
  above: string
  notes: string[]
  sections: string[]
  foot: string
}

/** Writes the page of an e-mail around its sections. `above`, `sections` and `foot` are HTML. */
export function emailPage({ title, preview, above, notes, sections, foot }: Sheet): string {
  const quotes = notes
    .flatMap((note) => note.split(/\r?\n/))
    .map((line) => `<div dir="auto">${escapeHtml(line) || '<br>'}</div>`)
  const quote =
    quotes.length > 0
      ? `<div class="quote" style="margin:14px 0 0;padding:10px 12px;border-radius:8px;background:${LIGHT.sunken};font-size:14px;line-height:20px;color:${LIGHT['ink-2']};overflow-wrap:anywhere">${quotes.join('\n')}</div>`
      : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body class="bg" style="margin:0;padding:0;background:${LIGHT.bg}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>
<table class="bg" ${TABLE} style="background:${LIGHT.bg}"><tbody><tr><td class="outer" align="center" style="padding:32px 12px">
<table class="sheet" ${TABLE} style="width:100%;max-width:600px;background:${LIGHT.surface};border:1px solid ${LIGHT.line};border-radius:10px;font-family:${FAMILY};color:${LIGHT.ink}">
<tr><td class="edge" style="padding:24px 24px 0">
<div class="t3" style="${SMALL}">${above}</div>
<h1 class="t1" style="margin:4px 0 0;font-size:20px;line-height:28px;font-weight:600;letter-spacing:-0.015em;color:${LIGHT.ink};overflow-wrap:anywhere">${isolated(title)}</h1>
${quote}
</td></tr>
${sections.join('\n')}
<tr><td class="edge" style="padding:0 24px 20px"></td></tr>
</table>
<table ${TABLE} style="width:100%;max-width:600px;font-family:${FAMILY}"><tr><td class="edge t3" style="padding:16px 24px;${SMALL};line-height:18px;overflow-wrap:anywhere">${foot}</td></tr></table>
</td></tr></tbody></table>
</body>
</html>
`
}

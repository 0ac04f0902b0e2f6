import { type Chart, currentOf, previousOf } from '../../charts/chart.ts'
import { describeChart, drawChart } from '../../charts/draw.ts'
import { formatValue } from '../../charts/format.ts'
import type { ThemeName } from '../../charts/theme.ts'
import { escapeHtml } from '../../html.ts'
import type { SharedBoard } from './board.ts'

/** Pixels of a chart beside others, of one that is alone, and on a phone. */
const SIZES = {
  tile: { width: 600, height: 340 },
  alone: { width: 1000, height: 460 },
  phone: { width: 360, height: 300 }
}

/** Maximum number of numbers in a table. With more, the page only says that there are too many. */
const MAX_CELLS = 5_000

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
h1 { margin: 0; font-size: 1.5rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; overflow-wrap: anywhere; }
.time { color: light-dark(#59636e, #9198a1); font-size: .9rem; }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; margin-top: 1rem; }
section { min-width: 0; border: 1px solid light-dark(#d0d7de, #30363d); border-radius: .5rem; overflow: hidden; }
img { display: block; width: 100%; height: auto; }
section > p, h2 { margin: .75rem; }
h2 { font-size: 1rem; }
summary { padding: .5rem .75rem; cursor: pointer; }
.numbers { overflow: auto; max-height: 24rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem; text-align: right; white-space: nowrap; border-top: 1px solid light-dark(#eaeef2, #21262d); }
th:first-child { text-align: left; }
`

/** Returns the page of a shared insight or dashboard. @param nonce the nonce of the style sheet */
export function boardPage(board: SharedBoard, nonce: string): string {
  const { title, description, timezone, computed_at, tiles, note } = board
  const moment = new Date(computed_at).toLocaleString('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: timezone
  })
  const size = tiles.length === 1 ? SIZES.alone : SIZES.tile
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${description ? `<p>${escapeHtml(description)}</p>` : ''}
<p class="time">As of ${escapeHtml(moment)}, ${escapeHtml(timezone)}${note ? ` · ${escapeHtml(note)}` : ''}</p>
<main>
${tiles.map((tile) => `<section>${tile.chart ? draw(tile.chart, size) : explain(tile)}</section>`).join('\n')}
</main>
${tiles.length === 0 ? '<p>This dashboard has no insights.</p>' : ''}
</body>
</html>
`
}

const explain = ({ title, failure }: { title: string; failure: string | null }): string =>
  `<h2>${escapeHtml(title)}</h2><p>${escapeHtml(failure ?? '')}</p>`

/** Returns a chart as images; the browser chooses one by the width of the page and the viewer's colour scheme. */
function draw(chart: Chart, size: { width: number; height: number }): string {
  const image = (look: { width: number; height: number }, theme: ThemeName): string =>
    `data:image/svg+xml,${encodeURIComponent(drawChart(chart, { ...look, theme }))}`
  const source = (media: string, look: typeof size, theme: ThemeName): string =>
    `<source media="${media}" srcset="${image(look, theme)}" width="${look.width}" height="${look.height}">`
  const isNarrow = '(max-width: 36rem)'
  const isDark = '(prefers-color-scheme: dark)'
  return `<picture>
${source(`${isNarrow} and ${isDark}`, SIZES.phone, 'dark')}
${source(isNarrow, SIZES.phone, 'light')}
${source(isDark, size, 'dark')}
<img src="${image(size, 'light')}" width="${size.width}" height="${size.height}" alt="${escapeHtml(`${chart.title}. ${describeChart(chart)}`)}">
</picture>
${listNumbers(chart)}`
}

/** Returns a table of a chart's numbers: a row for each bucket, or for each series of a chart without a time axis. */
function listNumbers({ kind, buckets, series }: Chart): string {
  const hasBuckets = !['values', 'pie', 'number', 'table'].includes(kind)
  const columns = hasBuckets
    ? series.flatMap(({ name, data, previous }) => [
        { name, data },
        ...(previous ? [{ name: `${name}, before`, data: previous }] : [])
      ])
    : [
        { name: '', data: series.map(currentOf) },
        ...(series.some(({ previous }) => previous)
          ? [{ name: 'before', data: series.map((one) => previousOf(one) ?? 0) }]
          : [])
      ]
  const rows = hasBuckets ? buckets : series.map(({ name }) => name)
  if (columns.length * rows.length === 0) {
    return ''
  }
  if (columns.length * rows.length > MAX_CELLS) {
    return '<p>There are too many numbers to list.</p>'
  }
  const head = columns.map(({ name }) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const body = rows.map((row, i) => {
    const cells = columns.map(({ data }) => `<td>${formatValue(data[i] ?? 0)}</td>`).join('')
    return `<tr><th scope="row">${escapeHtml(row)}</th>${cells}</tr>`
  })
  return `<details><summary>Numbers</summary><div class="numbers" tabindex="0"><table>
<thead><tr><td></td>${head}</tr></thead>
<tbody>${body.join('')}</tbody>
</table></div></details>`
}

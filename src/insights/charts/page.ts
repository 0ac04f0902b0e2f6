import { describeMoment } from '../../calendar/words.ts'
import type { ChartTile } from '../../charts/board.ts'
import { type Chart, currentOf, hasBuckets, previousOf } from '../../charts/chart.ts'
import { drawInset, heightOf, noteOf } from '../../charts/draw.ts'
import { formatValue } from '../../charts/format.ts'
import { VARIABLES } from '../../html/css.ts'
import { escapeHtml, isolated } from '../../html/escape.ts'
import type { HtmlPage } from '../../html/page.ts'

/** The charts of a page, each with its title, or with the reason why there is none. */
export type ShownBoard = {
  title: string
  description: string
  timezone: string
  /** When the charts were computed, an ISO 8601 date-time. */
  computed_at: string
  tiles: { title: string; chart: Chart | null; failure: string | null }[]
  /** Says how many insights are left out; empty if none are. */
  note: string
}

/** Returns a computed tile as a page shows it. */
export const toShown = (tile: ChartTile): ShownBoard['tiles'][number] =>
  'kind' in tile
    ? { title: tile.title, chart: tile, failure: null }
    : { title: tile.title, chart: null, failure: tile.failure }

type Drawing = { width: number; height: number }

const PHONE: Drawing = { width: 317, height: 200 }
const HALF: Drawing = { width: 474, height: 210 }

/**
 * Pixels of the drawings of a chart: alone on the page, beside another, and a number. The page shows
 * the one whose width is closest to the room, so that its letters keep their size. A chart without a
 * time axis may be lower.
 */
const DRAWINGS = {
  alone: [{ width: 998, height: 320 }, HALF, PHONE],
  half: [HALF, PHONE],
  quarter: [
    { width: 212, height: 210 },
    { width: 139, height: 200 }
  ]
}
type Width = keyof typeof DRAWINGS

/** Maximum number of numbers in a table. With more, the page only says that there are too many. */
const MAX_CELLS = 5_000

const STYLE = `
.shared { max-width: 1080px; margin: 0 auto; padding: var(--s-32) var(--s-24) var(--s-24); }
.shared > header { display: flex; align-items: flex-end; flex-wrap: wrap; gap: var(--s-8) var(--s-16); padding-bottom: var(--s-24); }
.shared > header .sec { font: var(--regular) var(--t-14) var(--font); }
.shared > footer { display: flex; gap: var(--s-16); padding-top: var(--s-24); color: var(--ink-3); font: var(--regular) var(--t-12) var(--font); }
.tiles { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: var(--s-16); }
.tile { grid-column: span 2; overflow: hidden; display: flex; flex-direction: column; }
.tile.alone { grid-column: span 4; }
.tile.quarter { grid-column: span 1; }
.tile > header { padding: 14px var(--s-16) 6px; }
.tile > header p { color: var(--ink-3); font: var(--regular) var(--t-12) var(--font); }
.tile .warn { color: var(--warn); }
.tile .chart { padding: var(--s-4) var(--s-16) var(--s-12); }
.tile .chart > div { container-type: inline-size; }
.tile .chart svg { display: none; width: 100%; height: auto; overflow: visible; }
@container (max-width: 174.9px) { .tile .chart svg[width="139"] { display: block; } }
@container (min-width: 175px) { .tile .chart svg[width="212"] { display: block; } }
@container (max-width: 389.9px) { .tile .chart svg[width="317"] { display: block; } }
@container (min-width: 390px) { .tile .chart svg[width="474"] { display: block; } }
@container (min-width: 700px) {
  .tile.alone .chart svg[width="474"] { display: none; }
  .tile .chart svg[width="998"] { display: block; }
}
.tile .why { padding: var(--s-4) var(--s-16) var(--s-16); color: var(--ink-2); }
.tile details { margin-top: auto; border-top: 1px solid var(--line); }
.tile summary { display: flex; align-items: center; height: 34px; padding: 0 var(--s-16); color: var(--ink-2); font: var(--medium) var(--t-12) var(--font); list-style: none; }
.tile summary::-webkit-details-marker { display: none; }
.tile summary::after { content: ""; width: 6px; height: 6px; margin-left: auto; border: solid var(--ink-3); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); }
.tile details[open] summary::after { transform: rotate(45deg); }
.tile summary:hover { background: var(--hover); }
.numbers { overflow: auto; max-height: 24rem; padding: 0 var(--s-16) var(--s-8); }
.numbers .table :is(th, td) { height: 28px; white-space: nowrap; }
.numbers .table .text { min-width: 12rem; white-space: normal; overflow-wrap: anywhere; }
.empty { padding: var(--s-24) var(--s-16); border: 1px dashed var(--line-2); border-radius: 8px; text-align: center; color: var(--ink-2); }
.embedded { max-width: none; padding: 0; }
body:has(> .embedded) { background: transparent; }
@media screen and (max-width: 720px) {
  .shared { padding: var(--s-24) var(--s-16); }
  .shared > header { padding-bottom: var(--s-16); }
  .shared > footer { flex-direction: column; gap: var(--s-4); }
  .embedded { padding: 0; }
  .tile, .tile.alone { grid-column: span 4; }
  .tile.quarter { grid-column: span 2; }
  .tile > header { padding: 14px var(--s-12) 6px; }
  .tile .chart { padding: var(--s-4) var(--s-12) var(--s-12); }
  .tile summary { height: 44px; padding: 0 var(--s-12); }
}
@media print { .tile details { display: none; } }
`

/**
 * Returns the page of an insight or dashboard; at its address, `format=csv` has the numbers.
 * Embedded in another page, it has neither header nor footer.
 */
export function boardPage(board: ShownBoard, isEmbedded = false): Omit<HtmlPage, 'nonce'> {
  const { title, description, timezone, computed_at, tiles, note } = board
  const ranges = new Set(tiles.flatMap(({ chart }) => chart?.subtitle || []))
  const [range = timezone] = ranges.size === 1 ? ranges : []
  const widths = widthsOf(tiles.map(({ chart }) => chart?.kind === 'number'))
  const drawn = tiles.map((tile, i) =>
    drawTile(tile, {
      id: `t${i}`,
      width: widths[i] ?? 'half',
      // The header names the time zone.
      range: ranges.size > 1 ? (tile.chart?.subtitle.replace(` · ${timezone}`, '') ?? '') : ''
    })
  )
  const header = `<header><div class="grow"><h1>${isolated(title)}</h1>${
    description ? `<p class="sec">${isolated(description)}</p>` : ''
  }</div><p class="mut">${escapeHtml(range)}</p></header>`
  const isOpen = tiles.some(({ chart }) => chart && chart.finished < chart.buckets.length)
  const footer = `<footer><span>Counted on ${escapeHtml(describeMoment(Date.parse(computed_at), timezone))}.${
    isOpen ? ' What is not over yet is dotted or dashed.' : ''
  }</span><span class="grow"></span>${
    tiles.length > 0 ? '<a href="?format=csv&amp;bom=true">Numbers as CSV</a>' : ''
  }<span>Edge Analytics</span></footer>`
  return {
    title,
    style: STYLE,
    body: `<main class="shared${isEmbedded ? ' embedded' : ''}">
${isEmbedded ? '' : header}
${tiles.length === 0 ? '<p class="empty">This dashboard has no insights.</p>' : ''}
<div class="tiles">
${drawn.join('\n')}
</div>
${note ? `<p class="mut">${escapeHtml(note)}</p>` : ''}
${isEmbedded ? '' : footer}
</main>`
  }
}

/**
 * Returns the widths of tiles: two beside each other, or four where they are numbers. The odd one
 * of several numbers is as wide as a chart.
 */
function widthsOf(areNumbers: boolean[]): Width[] {
  if (areNumbers.length === 1) {
    return ['alone']
  }
  let place = 0
  return areNumbers.map((isNumber, i) => {
    place = isNumber ? place + 1 : 0
    const isPaired = isNumber && (place % 2 === 0 || areNumbers[i + 1])
    return isPaired ? 'quarter' : 'half'
  })
}

function drawTile(
  { title, chart, failure }: ShownBoard['tiles'][number],
  { id, width, range }: { id: string; width: Width; range: string }
): string {
  const words = [range, chart?.counted, chart && noteOf(chart)].filter(Boolean).join(' · ')
  const isEmpty = chart?.series.every(({ data }) => data.every((value) => value === 0))
  const warning =
    chart?.warning && !isEmpty ? `<p class="warn">${escapeHtml(chart.warning)}</p>` : ''
  return `<section class="card tile ${width}"><header><h2>${isolated(title)}</h2>${
    words ? `<p>${escapeHtml(words)}</p>` : ''
  }${warning}</header>
${chart ? draw(chart, id, width) : `<p class="why">${escapeHtml(failure ?? '')}</p>`}</section>`
}

/** Draws a chart for rooms of several widths, with a table of its numbers. */
function draw(chart: Chart, id: string, name: Width): string {
  const drawn = DRAWINGS[name].map(({ width, height }) =>
    drawInset(chart, {
      width,
      height: heightOf(chart, height),
      colors: VARIABLES,
      id: `${id}-${width}-`
    })
  )
  return `<div class="chart"><div>${drawn.join('\n')}</div></div>
${chart.kind === 'number' ? '' : listNumbers(chart)}`
}

/**
 * Returns a table of a chart's numbers: a row for each bucket with its annotations, or for each
 * series of a chart without a time axis.
 */
function listNumbers({ kind, buckets, series, annotations = [] }: Chart): string {
  const columns = hasBuckets(kind)
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
  const rows = hasBuckets(kind) ? buckets : series.map(({ name }) => name)
  if (columns.length * rows.length === 0) {
    return ''
  }
  if (columns.length * rows.length > MAX_CELLS) {
    return '<p class="why">There are too many numbers to list.</p>'
  }
  const isAnnotated = annotations.length > 0
  const names = [...columns.map(({ name }) => name), ...(isAnnotated ? ['Annotations'] : [])]
  const head = names.map((name) => `<th scope="col">${isolated(name)}</th>`).join('')
  const body = rows.map((row, i) => {
    const cells = columns.map(({ data }) => `<td>${formatValue(data[i] ?? 0)}</td>`).join('')
    const texts = annotations.filter(({ bucket }) => bucket === i).map(({ text }) => isolated(text))
    const last = isAnnotated ? `<td class="text">${texts.join('<br>')}</td>` : ''
    return `<tr><th scope="row">${isolated(row)}</th>${cells}${last}</tr>`
  })
  return `<details><summary>Numbers</summary><div class="numbers" tabindex="0"><table class="table">
<thead><tr><td></td>${head}</tr></thead>
<tbody>${body.join('')}</tbody>
</table></div></details>`
}

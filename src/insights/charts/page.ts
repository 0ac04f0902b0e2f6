import { describeMoment } from '../../calendar/words.ts'
import type { ChartTile } from '../../charts/board.ts'
import { type Chart, isAllZero } from '../../charts/chart.ts'
import { drawInset, heightOf, noteOf } from '../../charts/draw.ts'
import { formatShare, formatValue } from '../../charts/format.ts'
import { type HeatRow, heatOf, isHigh } from '../../charts/retention.ts'
import { VARIABLES } from '../../html/css.ts'
import { escapeHtml, isolated } from '../../html/escape.ts'
import type { HtmlPage } from '../../html/page.ts'
import { numbersIn } from './numbers.ts'

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
.heat { overflow-x: auto; padding: var(--s-4) var(--s-16) var(--s-16); }
.heat table { width: 100%; border-collapse: separate; border-spacing: 2px; font: var(--regular) var(--t-12) var(--font); }
.heat th { height: 28px; padding: 0 6px; color: var(--ink-3); font-weight: var(--medium); text-align: center; white-space: nowrap; }
.heat tbody th { position: sticky; left: 0; min-width: 64px; max-width: 160px; padding: 0 var(--s-12) 0 0; overflow: hidden; text-overflow: ellipsis; background: var(--surface); color: var(--ink); text-align: left; }
.heat td { height: 32px; min-width: 50px; border-radius: 4px; padding: 0; text-align: center; }
.heat .size { min-width: 0; padding-right: var(--s-12); color: var(--ink-2); text-align: right; }
.heat .mean > * { color: var(--ink); font-weight: var(--semibold); }
.heat .part { color: var(--ink-2); outline: 1px dashed var(--axis); outline-offset: -1px; }
${[1, 2, 3, 4, 5, 6].map((shade) => `.heat .h${shade} { background: var(--h${shade}); color: var(--on-heat-low); }`).join('\n')}
.heat .high { color: var(--on-heat-high); }
.csv { padding-top: var(--s-8); font: var(--regular) var(--t-12) var(--font); text-align: right; }
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
  .heat { padding: var(--s-4) var(--s-12) var(--s-12); }
  .heat td { height: 40px; }
  .tile summary { height: 44px; padding: 0 var(--s-12); }
}
@media print { .tile details { display: none; } }
`

/** How a page is shown: in another page, it has neither header nor footer. */
type Frame = { isEmbedded: boolean; csv: string }

/** The page at an address where `format=csv` has the numbers. */
const ALONE: Frame = { isEmbedded: false, csv: '?format=csv&bom=true' }

/**
 * Returns the page of an insight or dashboard.
 * @param frame `csv` is the address of the numbers
 */
export function boardPage(
  board: ShownBoard,
  { isEmbedded, csv }: Frame = ALONE
): Omit<HtmlPage, 'nonce'> {
  const { title, description, timezone, computed_at, tiles, note } = board
  const ranges = new Set(tiles.flatMap(({ chart }) => chart?.subtitle || []))
  const [range = timezone] = ranges.size === 1 ? ranges : []
  const widths = widthsOf(tiles.map(({ chart }) => chart?.kind === 'number'))
  const drawn = tiles.map((tile, i) =>
    drawTile(tile, {
      id: `t${i}`,
      width: widths[i] ?? 'half',
      isTitled: isEmbedded || tiles.length > 1 || tile.title !== title,
      // The header names the time zone.
      range: ranges.size > 1 ? (tile.chart?.subtitle.replace(` · ${timezone}`, '') ?? '') : ''
    })
  )
  const header = `<header><div class="grow"><h1>${isolated(title)}</h1>${
    description ? `<p class="sec">${isolated(description)}</p>` : ''
  }</div><p class="mut">${escapeHtml(range)}</p></header>`
  const isOpen = tiles.some(({ chart }) => chart && isUnfinished(chart))
  const link = tiles.length > 0 ? `<a href="${escapeHtml(csv)}">Numbers as CSV</a>` : ''
  const footer = `<footer><span>Counted on ${escapeHtml(describeMoment(Date.parse(computed_at), timezone))}.${
    isOpen ? ' What is not over yet is dotted or dashed.' : ''
  }</span><span class="grow"></span>${link}<span>Edge Analytics</span></footer>`
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
${isEmbedded ? link && `<p class="csv">${link}</p>` : footer}
</main>`
  }
}

/** Whether a chart has a number that may still change. */
const isUnfinished = ({ finished, buckets, series }: Chart): boolean =>
  finished < buckets.length ||
  series.some(({ cohort }) => cohort !== undefined && cohort.finished < cohort.begun)

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
  { id, width, isTitled, range }: { id: string; width: Width; isTitled: boolean; range: string }
): string {
  const words = [range, chart?.counted, chart && noteOf(chart)].filter(Boolean).join(' · ')
  const isEmpty = chart && isAllZero(chart.series)
  const warning =
    chart?.warning && !isEmpty ? `<p class="warn">${escapeHtml(chart.warning)}</p>` : ''
  const heading = isTitled ? `<h2>${isolated(title)}</h2>` : ''
  return `<section class="card tile ${width}"><header>${heading}${
    words ? `<p>${escapeHtml(words)}</p>` : ''
  }${warning}</header>
${chart ? draw(chart, id, width) : `<p class="why">${escapeHtml(failure ?? '')}</p>`}</section>`
}

/** Draws a chart for rooms of several widths, with a table of its numbers. */
function draw(chart: Chart, id: string, name: Width): string {
  if (chart.kind === 'retention' && !isAllZero(chart.series)) {
    return drawHeat(chart)
  }
  const drawn = DRAWINGS[name].map(({ width, height }) =>
    drawInset(chart, {
      width,
      height: heightOf(chart, width, height),
      colors: VARIABLES,
      id: `${id}-${width}-`
    })
  )
  return `<div class="chart"><div>${drawn.join('\n')}</div></div>
${chart.kind === 'number' || chart.kind === 'numbers' ? '' : listNumbers(chart)}`
}

const TOO_MANY = '<p class="why">There are too many numbers to list.</p>'

/** Draws retention as a table, of which phones scroll all columns but the first. */
function drawHeat(chart: Chart): string {
  const rows = heatOf(chart)
  const columns = chart.buckets.slice(1)
  if (rows.length * columns.length > MAX_CELLS) {
    return TOO_MANY
  }
  const head = columns.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  return `<div class="heat" tabindex="0"><table>
<thead><tr><td></td><th scope="col" class="size">Persons</th>${head}</tr></thead>
<tbody>${rows.map(drawHeatRow).join('\n')}</tbody>
</table></div>`
}

function drawHeatRow({ name, size, cells, isMean }: HeatRow): string {
  const drawn = cells.map((cell) => {
    if (!cell) {
      return isMean ? '<td>–</td>' : '<td></td>'
    }
    const { share, shade } = cell
    const part = isMean ? '' : ' class="part"'
    return `<td${shade ? ` class="${shade}${isHigh(shade) ? ' high' : ''}"` : part}>${formatShare(share)}</td>`
  })
  return `<tr${isMean ? ' class="mean"' : ''}><th scope="row">${isolated(name || '(empty)')}</th><td class="size">${formatValue(size)}</td>${drawn.join('')}</tr>`
}

/**
 * Returns a table of a chart's numbers: a row for each bucket with its annotations, or for each
 * series of a chart without an axis.
 */
function listNumbers(chart: Chart): string {
  const { columns, rows } = numbersIn(chart)
  if (columns.length * rows.length === 0) {
    return ''
  }
  if (columns.length * rows.length > MAX_CELLS) {
    return TOO_MANY
  }
  const isAnnotated = rows.some(({ notes }) => notes !== undefined && notes.length > 0)
  const names = [...columns, ...(isAnnotated ? ['Annotations'] : [])]
  const head = names.map((name) => `<th scope="col">${isolated(name)}</th>`).join('')
  const body = rows.map(({ name, cells, notes = [] }) => {
    const numbers = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')
    const last = isAnnotated ? `<td class="text">${notes.map(isolated).join('<br>')}</td>` : ''
    return `<tr><th scope="row">${isolated(name)}</th>${numbers}${last}</tr>`
  })
  return `<details><summary>Numbers</summary><div class="numbers" tabindex="0"><table class="table">
<thead><tr><td></td>${head}</tr></thead>
<tbody>${body.join('')}</tbody>
</table></div></details>`
}

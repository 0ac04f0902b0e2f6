import type { NamedMark } from '../charts/draw.ts'
import { describeChange, formatChange, formatIn, judge } from '../charts/format.ts'
import {
  BASE,
  button,
  emailPage,
  FIGURE,
  HEADING,
  paragraph,
  SMALL,
  section,
  TABLE
} from '../html/email.ts'
import { escapeHtml, isolated } from '../html/escape.ts'
import { LIGHT } from '../html/tokens.ts'
import { cut, isolate } from '../input/show.ts'
import type { FigureLine, InsightPart } from './content.ts'
import { type Digest, notesOf } from './digest.ts'
import { type Figured, labelBeside, layOut, type ShownList } from './layout.ts'
import type { Painted } from './picture/picture.ts'

/** Maximum number of insights that are shown as large numbers. */
const MAX_NUMBERS = 3

/** Characters of a name in the legend of the chart. */
const MAX_NAME = 40

/** An e-mail's chart with the address of its image. */
type ShownChart = Painted & { source: string }

const isOneNumber = (part: InsightPart): part is Figured =>
  'lines' in part && part.lines.length === 1

/**
 * Writes the page of a digest: at most three numbers, one chart, one list, and a line for each
 * other insight.
 */
export function digestPage(
  digest: Digest,
  { chart, why, unsubscribe }: { chart: ShownChart | undefined; why: string; unsubscribe: string }
): string {
  const { content, page } = digest
  const { parts } = content
  const { range, list, others } = layOut(parts)
  const numbers = others.filter(isOneNumber).slice(0, MAX_NUMBERS)
  const lines = others.filter((part) => !numbers.some((one) => one === part))
  const drawn = parts.find(({ insight }) => insight !== undefined && insight === chart?.insight)
  const [lead] = numbers
  return emailPage({
    title: content.name,
    preview: lead ? describe(lead) : '',
    above: `${isolated(content.project)}${range && ` · ${range}`}`,
    sections: [
      ...(numbers.length > 0 ? [drawNumbers(numbers, { title: content.name, range })] : []),
      ...(chart && drawn
        ? [
            drawChart(chart, {
              name: drawn.name === content.name ? '' : drawn.name,
              page,
              isBelow: numbers.length > 0
            })
          ]
        : []),
      ...(list
        ? [
            drawList(list, {
              isTitled: list.part === drawn || list.part.name === content.name,
              range
            })
          ]
        : []),
      ...(lines.length > 0 ? [drawLines(lines, range)] : []),
      ...(content.more > 0
        ? [
            section(
              `<div class="t3" style="${SMALL}">…and ${content.more} more on the dashboard.</div>`
            )
          ]
        : []),
      button('Open the charts', page)
    ],
    notes: notesOf(digest),
    foot: `${escapeHtml(why)}<br><a class="lnk" href="${escapeHtml(unsubscribe)}" style="color:${LIGHT['accent-ink']}">Unsubscribe</a>`
  })
}

/** Writes the page of a notice to a subscription's owner. */
export const noticePage = ({
  title,
  reason,
  next,
  why
}: {
  title: string
  reason: string
  next: string
  why: string
}): string =>
  emailPage({
    title,
    preview: reason,
    above: 'Edge Analytics',
    notes: [reason],
    sections: [paragraph(escapeHtml(next))],
    foot: escapeHtml(why)
  })

const CHANGES = {
  [-1]: { name: 'bad', color: LIGHT.bad },
  0: { name: 't3', color: LIGHT['ink-3'] },
  1: { name: 'good', color: LIGHT.good }
}

/** `Sign-ups: 132, +15.8% from 114` */
function describe({ name, lines: [line] }: Figured): string {
  const change = line ? describeChange(line.value, line.previous, line.unit) : ''
  return `${isolate(name)}: ${formatIn(line?.unit, line?.value ?? 0)}${change && `, ${change}`}`
}

/** Names the period of an insight unless it is `range`, which the e-mail has above its title. */
const dated = (part: Figured, range: string): string =>
  part.range === range ? '' : `<div class="t3" style="${SMALL}">${part.range}</div>`

/**
 * Draws numbers beside each other. A number that has the name of the e-mail needs no name of its
 * own, only what it counts.
 */
function drawNumbers(parts: Figured[], { title, range }: { title: string; range: string }): string {
  const cells = parts.map((part, i) => {
    const [line] = part.lines
    const edge =
      i === 0 ? 'padding:14px 0' : `padding:14px 0 14px 16px;border-left:1px solid ${LIGHT.line}`
    const label = part.name === title && line ? line.label : part.name
    return `<td class="bl" width="${Math.floor(100 / parts.length)}%" valign="top" style="${edge}"><div class="t2" style="font-size:12px;line-height:16px;color:${LIGHT['ink-2']};overflow-wrap:anywhere">${isolated(label)}</div>${dated(part, range)}
<div class="t1" style="font-size:24px;line-height:32px;font-weight:600;letter-spacing:-0.02em;color:${LIGHT.ink}">${formatIn(line?.unit, line?.value ?? 0)}</div>${line ? drawChange(line, true) : ''}</td>`
  })
  return `<tr><td class="edge" style="padding:8px 24px 0"><table ${TABLE}><tr>${cells.join('\n')}</tr></table></td></tr>`
}

/** Writes the change of a line and, if asked, the value before; empty without a change. */
function drawChange(
  { value, previous, unit, isIncreaseBad }: FigureLine,
  saysFrom = false
): string {
  const change = formatChange(value, previous, unit)
  if (change === '') {
    return ''
  }
  const { name, color } = CHANGES[judge(value, previous, isIncreaseBad)]
  const from = describeChange(value, previous, unit).slice(change.length)
  const rest = saysFrom && from ? `<span class="from">${from}</span>` : ''
  return `<div class="${name}" style="font-size:12px;line-height:16px;color:${color};font-variant-numeric:tabular-nums;white-space:nowrap">${change}${rest}</div>`
}

/** Draws the chart. @param isBelow whether it stands below numbers, from which a line divides it */
function drawChart(
  { source, counted, names, alt }: ShownChart,
  { name, page, isBelow }: { name: string; page: string; isBelow: boolean }
): string {
  const heading = name ? `<h2 class="t1" style="${HEADING}">${isolated(name)}</h2>` : ''
  const legend =
    names.length > 0 ? `<div style="padding-bottom:4px">${names.map(drawName).join(' ')}</div>` : ''
  const edge = isBelow ? `20px 24px 0;border-top:1px solid ${LIGHT.line}` : '16px 24px 0'
  return `<tr><td class="edge rule" style="padding:${edge}">${heading}<div class="t3" style="${SMALL};padding-bottom:8px">${escapeHtml(counted)}</div>${legend}
<a href="${escapeHtml(page)}" style="text-decoration:none"><img class="t3" src="${source}" width="552" alt="${escapeHtml(alt)}" style="display:block;width:100%;max-width:552px;height:auto;border:0;${SMALL}"></a></td></tr>`
}

/** Draws a name of the legend: its colour, if it has one, and the name, which stay beside each other. */
const drawName = ({ name, color }: NamedMark): string =>
  `<span class="t2" style="display:inline-block;padding-right:12px;font-size:12px;line-height:16px;color:${LIGHT['ink-2']};overflow-wrap:anywhere">${
    color
      ? `<span style="display:inline-block;width:8px;height:8px;margin-right:6px;border-radius:2px;background:${color}"></span>`
      : ''
  }${isolated(cut(name || '(empty)', MAX_NAME))}</span>`

/** Draws the largest lines of an insight as ranked bars. */
function drawList(
  { part, rows: shown, left }: ShownList,
  { isTitled, range }: { isTitled: boolean; range: string }
): string {
  const largest = Math.max(...shown.map(({ value }) => Math.abs(value)), Number.MIN_VALUE)
  const rows = shown.map((line) => {
    const width = Math.round((Math.abs(line.value) / largest) * 100)
    const bar = 'height:4px;line-height:4px;font-size:0'
    return `<tr><td style="padding:0 0 6px"><table ${TABLE}><tr><td class="t1" style="padding:2px 0;${BASE}">${isolated(line.label)}</td>\
<td class="t1" align="right" style="padding-left:12px;${FIGURE}">${formatIn(line.unit, line.value)}</td>\
<td width="76" align="right">${drawChange(line)}</td></tr></table>\
<table ${TABLE}><tr><td class="br" width="${Math.max(1, width)}%" height="4" style="${bar};background:${LIGHT.h4};border-radius:2px">&nbsp;</td><td height="4" style="${bar}">&nbsp;</td></tr></table></td></tr>`
  })
  const rest = left > 0 ? `<tr><td class="t3" style="${SMALL}">…and ${left} more</td></tr>` : ''
  const heading = isTitled
    ? ''
    : `<h2 class="t1" style="${HEADING};padding-bottom:6px">${isolated(part.name)}</h2>`
  return section(`${heading}${dated(part, range)}<table ${TABLE}>${rows.join('\n')}${rest}</table>`)
}

/**
 * Draws a line for each insight: its first number with the change, or the reason why there is none.
 */
function drawLines(parts: InsightPart[], range: string): string {
  const rows = parts.map((part) => {
    const cell = `padding:4px 0;border-top:1px solid ${LIGHT.line}`
    if ('failure' in part) {
      return `<tr><td class="t1 rule" colspan="3" style="${cell};${BASE}">${isolated(part.name)}<div class="t3" style="${SMALL}">${escapeHtml(part.failure)}</div></td></tr>`
    }
    const [line] = part.lines
    const label = labelBeside(part)
    return `<tr><td class="t1 rule" style="${cell};${BASE}">${[part.name, label].filter(Boolean).map(isolated).join(' · ')}${dated(part, range)}</td>\
<td class="t1 rule" align="right" style="${cell};padding-left:12px;${FIGURE}">${formatIn(line?.unit, line?.value ?? 0)}</td>\
<td class="rule" width="76" align="right" style="${cell}">${line ? drawChange(line) : ''}</td></tr>`
  })
  return section(`<table ${TABLE}>${rows.join('\n')}</table>`)
}

import type { Colors } from '../html/tokens.ts'
import type { Chart, Series } from './chart.ts'
import { formatDuration, formatShare, formatValue } from './format.ts'
import { BOLDER, type Box } from './frame.ts'
import { colorOf, lookOf, type Pen } from './pen.ts'
import { type Attributes, element, label, round } from './svg.ts'
import { fitName, widthOf } from './text.ts'

/**
 * Pixels of the narrowest step that is a column, with and without its name; with narrower ones, each
 * step is a row.
 */
const NARROWEST = { named: 150, bare: 120 }
/** Pixels of the widest bar. */
const WIDEST = 120
/** Share of a column that the bars take. */
const FILLED = { one: 0.5, several: 0.78 }
/** Fewest pixels of the highest bar. */
const LOWEST = 56
/** Height of the name of a step, of its large number, and of a line of facts, pixels. */
const LINES = { name: 26, number: 28, fact: 16 }
/** Heights of a row with and without facts, pixels. */
const ROWS = { full: 62, bare: 44 }
/** Fewest pixels of a row with facts. */
const FACTS_FROM = ROWS.full - 4
const ROUND = 3
const NAME_SIZE = 13
const FACT_SIZE = 12
const BADGE = { size: 9, room: 26 }

/** What a funnel says of one of its steps. */
export type FunnelFacts = {
  count: number
  /** The share of those who took the first step. */
  share: number
  /** The share of those who took the step before; undefined for the first step. */
  ofBefore: number | undefined
  /** The number of those who took the step before, but not this one. */
  left: number
  average: number | null
  median: number | null
}

/** Returns the facts of a step, whose index is from 0 on. */
export function factsOf({ data, times }: Series, step: number): FunnelFacts {
  const [count, first] = [data[step] ?? 0, data[0] ?? 0]
  const before = step === 0 ? undefined : (data[step - 1] ?? 0)
  return {
    count,
    share: shareOf(count, first),
    ofBefore: before === undefined ? undefined : shareOf(count, before),
    left: before === undefined ? 0 : before - count,
    average: times?.[step]?.average ?? null,
    median: times?.[step]?.median ?? null
  }
}

const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** The look of what is lost. It is seen on any ground, as a bar is. */
const paleOf = ({ d1 }: Colors): Attributes => ({ fill: d1, 'fill-opacity': 0.12 })

/** Whether each step is a column of a chart of this width, pixels, instead of a row. */
const hasColumns = (width: number, steps: number, isBare = false): boolean =>
  width / steps >= (isBare ? NARROWEST.bare : NARROWEST.named)

/** Returns the height of a funnel of this width, at most `most` with columns; all pixels. */
export function heightOfFunnel({ buckets, series }: Chart, width: number, most: number): number {
  const steps = buckets.length
  if (hasColumns(width, steps)) {
    return most
  }
  return series.length > 1 ? steps * (28 + 16 * series.length) + 44 : steps * ROWS.full
}

/** Where a step is drawn. */
export type StepPlace = {
  /** The column or the row of each series. */
  bars: Box[]
  /** Where it says how many left before the step; undefined if it does not. */
  left: Box | undefined
}

/** Returns where the steps of a funnel with names are drawn in a box. */
export function placesOfSteps(box: Box, chart: Chart): StepPlace[] {
  const { buckets, series } = chart
  const { left, right, top, bottom } = box
  if (!hasColumns(right - left, buckets.length)) {
    const height = heightOfRow(bottom - top, buckets.length, series.length)
    return buckets.map((_, step) => {
      const from = top + step * height
      const pitch = (height - 24) / series.length
      const hasFacts = series.length === 1 && step > 0 && height >= FACTS_FROM
      return {
        bars:
          series.length === 1
            ? [{ ...box, top: from, bottom: from + (hasFacts ? 34 : height) }]
            : series.map((_, i) => ({
                ...box,
                top: from + 16 + i * pitch,
                bottom: from + 16 + (i + 1) * pitch
              })),
        left: hasFacts
          ? { left, right: (left + right) / 2, top: from + 34, bottom: from + height }
          : undefined
      }
    })
  }
  const { width, base, lines } = layOutColumns(box, chart, false)
  const { band, bar } = bandOf(width, series.length)
  return buckets.map((_, step) => {
    const x = left + step * width
    const facts = base + 6 + LINES.name + LINES.number - 2
    return {
      bars:
        series.length === 1
          ? [{ left: x, right: x + width, top, bottom: facts }]
          : series.map((_, i) => ({
              left: x + i * bar,
              right: x + (i + 1) * bar,
              top,
              bottom: base
            })),
      left:
        lines > 0 && step > 0
          ? {
              left: x,
              right: x + Math.min(width, band * 2),
              top: facts,
              bottom: facts + LINES.fact + 2
            }
          : undefined
    }
  })
}

/** Returns the height of a row of a funnel with so many steps and series, pixels. */
const heightOfRow = (height: number, steps: number, series: number): number =>
  Math.min(height / steps, series > 1 ? 28 + 16 * series : ROWS.full)

/**
 * Draws a funnel: for each step a bar as high as the share of those who took it, and a slope down
 * to the next. Where there is no room for columns, each step is a row. Several series are bars
 * beside each other.
 * @param isBare whether the names of the steps are left out
 */
export const drawFunnel = (box: Box, pen: Pen, chart: Chart, isBare = false): string =>
  hasColumns(box.right - box.left, chart.buckets.length, isBare)
    ? drawColumns(box, pen, chart, isBare)
    : drawRowsOf(box, pen, chart, isBare)

/** Returns the width of a column, the foot of the bars, and the number of lines with facts. */
function layOutColumns(box: Box, { buckets, series }: Chart, isBare: boolean) {
  const isAlone = series.length === 1
  const named = isBare ? 0 : LINES.name
  const number = isAlone || isBare ? LINES.number : 0
  const room = box.bottom - box.top - named - number - LOWEST
  const lines = isAlone && !isBare ? Math.min(3, Math.max(0, Math.floor(room / LINES.fact))) : 0
  return {
    width: (box.right - box.left) / buckets.length,
    lines,
    base: box.bottom - named - number - lines * LINES.fact - 4
  }
}

function drawColumns(box: Box, pen: Pen, chart: Chart, isBare: boolean): string {
  const { buckets, series } = chart
  const isAlone = series.length === 1
  const { width, lines, base } = layOutColumns(box, chart, isBare)
  // The percents of several series stand above their bars.
  const top = box.top + (isAlone ? 0 : FACT_SIZE + 4)
  const y = (share: number) => base - share * (base - top)
  const line = { x1: box.left, x2: box.right, y1: base, y2: base, stroke: pen.colors.axis }
  const bars = isAlone
    ? drawSlopes(pen, { series: series[0], buckets, left: box.left, width, base, y })
    : drawGroups(pen, { series, buckets, left: box.left, width, base, y })
  const texts = buckets.map((name, step) => {
    const place = { left: box.left + step * width, width: width - 12, y: base + 6 }
    return drawStep(pen, { name, step, one: isAlone ? series[0] : undefined, lines, isBare }, place)
  })
  return [...bars, element('line', line), ...texts].join('')
}

type Bars = {
  buckets: string[]
  left: number
  /** The width of a step. */
  width: number
  base: number
  y(share: number): number
}

/** Draws the bars of one series with the slopes between them. */
function drawSlopes(
  { colors }: Pen,
  { series, buckets, left, width, base, y }: Bars & { series: Series | undefined }
): string[] {
  if (!series) {
    return []
  }
  const bar = Math.min(WIDEST, width * FILLED.one)
  const shares = buckets.map((_, step) => factsOf(series, step).share)
  return shares.map((share, step) => {
    const x = left + step * width
    const next = shares[step + 1]
    const points = [x + bar, y(share), x + width, y(next ?? 0)].map(round)
    const [from, fromY, until, untilY] = points
    const slope = `M${from} ${fromY}L${until} ${untilY}V${round(base)}H${from}Z`
    const height = base - y(share)
    return [
      next === undefined ? '' : element('path', { d: slope, ...paleOf(colors) }),
      height === 0
        ? ''
        : element('rect', {
            x,
            y: y(share),
            width: bar,
            height,
            rx: Math.min(ROUND, height / 2),
            fill: colors.d1
          })
    ].join('')
  })
}

/** Returns the pixels that the bars of several series take together, and each of them. */
function bandOf(width: number, series: number): { band: number; bar: number } {
  const band = Math.min(width * FILLED.several, WIDEST * series)
  return { band, bar: band / series }
}

/** Draws for each step the bars of all series, with their percents where there is room. */
function drawGroups(
  pen: Pen,
  { series, buckets, left, width, base, y }: Bars & { series: Series[] }
): string[] {
  const { bar } = bandOf(width, series.length)
  return buckets.flatMap((_, step) =>
    series.map((one, i) => {
      const { share } = factsOf(one, step)
      const x = left + step * width + i * bar
      const height = base - y(share)
      const percent = formatShare(share)
      return [
        height === 0
          ? ''
          : element('rect', {
              x: x + 0.5,
              y: y(share),
              width: Math.max(0.5, bar - 1),
              height,
              rx: Math.min(ROUND, bar / 4, height / 2),
              fill: colorOf(pen, lookOf(one, i))
            }),
        widthOf(percent, pen.size) + 4 > bar
          ? ''
          : label(percent, {
              x: x + bar / 2,
              y: y(share) - 4,
              'font-size': pen.size,
              'text-anchor': 'middle',
              fill: pen.colors['ink-2']
            })
      ].join('')
    })
  )
}

type Step = {
  name: string
  step: number
  /** The only series; undefined with several. */
  one: Series | undefined
  /** The number of facts. */
  lines: number
  isBare: boolean
}

/** Draws the texts of a step below its bar. */
function drawStep(
  pen: Pen,
  { name, step, one, lines, isBare }: Step,
  { left, width, y }: { left: number; width: number; y: number }
): string {
  const { colors } = pen
  const named = isBare ? '' : drawName(pen, { name, step }, { x: left, y: y + 18, width })
  const top = y + (isBare ? 0 : LINES.name)
  if (!one) {
    return isBare ? drawBadge(pen, step, { x: left, y: top + 18 }) : named
  }
  const facts = factsOf(one, step)
  const percent = formatShare(facts.share)
  const size = isBare ? { big: pen.size + 3, small: pen.size } : { big: 20, small: FACT_SIZE }
  const from = left + (isBare ? BADGE.room : 0)
  const beside = from + widthOf(percent, size.big * BOLDER) + 6
  const number: Attributes = { y: top + 18, fill: colors.ink }
  return [
    named,
    isBare ? drawBadge(pen, step, { x: left, y: top + 18 }) : '',
    label(percent, {
      ...number,
      x: from,
      'font-size': size.big,
      'font-weight': 600,
      'letter-spacing': '-0.02em'
    }),
    label(fitName(formatValue(facts.count), size.small, left + width - beside), {
      ...number,
      x: beside,
      'font-size': size.small,
      fill: colors['ink-3']
    }),
    ...describeStep(facts, step, width)
      .slice(0, lines)
      .map((text, i) =>
        label(fitName(text, FACT_SIZE, width), {
          x: left,
          y: top + LINES.number + i * LINES.fact + 11,
          'font-size': FACT_SIZE,
          fill: colors[i === 0 ? 'ink' : 'ink-2']
        })
      )
  ].join('')
}

/** Draws the number of a step in a circle, and its name. */
const drawName = (
  pen: Pen,
  { name, step }: { name: string; step: number },
  { x, y, width }: { x: number; y: number; width: number }
): string =>
  drawBadge(pen, step, { x, y }) +
  label(fitName(name || '(empty)', NAME_SIZE * BOLDER, width - BADGE.room), {
    x: x + BADGE.room,
    y,
    'font-size': NAME_SIZE,
    'font-weight': 600,
    fill: pen.colors.ink
  })

/** Draws the number of a step in a circle, beside a text whose baseline is at `y`. */
function drawBadge({ colors }: Pen, step: number, { x, y }: { x: number; y: number }): string {
  const middle = x + BADGE.size
  return (
    element('circle', { cx: middle, cy: y - 4.5, r: BADGE.size, fill: colors.hover }) +
    label(`${step + 1}`, {
      x: middle,
      y: y - 0.5,
      'font-size': 11,
      'font-weight': 600,
      'text-anchor': 'middle',
      fill: colors['ink-2']
    })
  )
}

/**
 * Says who left before a step, and how long the others took; the average only where there is room.
 */
function describeStep(
  { left, ofBefore, median, average }: FunnelFacts,
  step: number,
  width: number
): string[] {
  if (ofBefore === undefined) {
    return []
  }
  const times =
    median === null || average === null
      ? []
      : [
          `${formatDuration(median)} median, ${formatDuration(average)} average`,
          `${formatDuration(median)} median`
        ]
  const time = times.find((words) => widthOf(words, FACT_SIZE) <= width)
  return [
    `${formatValue(left)} left`,
    `${formatShare(ofBefore)} of step ${step}`,
    ...(time === undefined ? [] : [time])
  ]
}

/** Draws a row for each step, as many as there is room for. */
function drawRowsOf(box: Box, pen: Pen, { buckets, series }: Chart, isBare: boolean): string {
  const height = heightOfRow(box.bottom - box.top, buckets.length, series.length)
  return buckets
    .map((name, step) => {
      const row = { ...box, top: box.top + step * height, bottom: box.top + (step + 1) * height }
      const titled = isBare ? `${step + 1}` : name
      return series.length > 1
        ? drawRowOfSeries(row, pen, { name: titled, step, series })
        : drawRow(row, pen, { name: titled, step, one: series[0] })
    })
    .join('')
}

/** Draws a step: its name and numbers, a bar on a track, and facts if there is room. */
function drawRow(
  { left, right, top, bottom }: Box,
  { colors }: Pen,
  { name, step, one }: { name: string; step: number; one: Series | undefined }
): string {
  if (!one) {
    return ''
  }
  const facts = factsOf(one, step)
  const height = bottom - top
  const [width, thickness] = [right - left, Math.min(12, Math.max(3, height - 30))]
  const percent = formatShare(facts.share)
  const count = formatValue(facts.count)
  const percentLeft = right - Math.max(50, widthOf(percent, NAME_SIZE * BOLDER) + 8)
  const nameWidth = percentLeft - left - widthOf(count, FACT_SIZE) - 12
  const text = { y: top + 13, 'font-size': NAME_SIZE, fill: colors.ink }
  const end = { 'text-anchor': 'end' }
  const bar = { x: left, y: top + 19, height: thickness, rx: ROUND }
  const [lost, ...more] = height >= FACTS_FROM ? describeStep(facts, step, width / 2) : []
  const below = { y: top + 19 + thickness + 15, 'font-size': FACT_SIZE, fill: colors['ink-2'] }
  const room = width - widthOf(lost ?? '', FACT_SIZE) - 12
  const texts = [more.join(' · '), more[0] ?? '']
  const fitting = texts.find((words) => widthOf(words, FACT_SIZE) <= room) ?? ''
  return [
    label(fitName(name || '(empty)', NAME_SIZE, nameWidth), { ...text, x: left }),
    label(count, {
      ...text,
      ...end,
      x: percentLeft,
      'font-size': FACT_SIZE,
      fill: colors['ink-3']
    }),
    label(percent, { ...text, ...end, x: right, 'font-weight': 600 }),
    element('rect', { ...bar, width, ...paleOf(colors) }),
    facts.share === 0
      ? ''
      : element('rect', { ...bar, width: width * facts.share, fill: colors.d1 }),
    lost === undefined ? '' : label(lost, { ...below, x: left }),
    fitting === '' ? '' : label(fitting, { ...below, ...end, x: right })
  ].join('')
}

/** Draws a step with a bar for each series. */
function drawRowOfSeries(
  { left, right, top, bottom }: Box,
  pen: Pen,
  { name, step, series }: { name: string; step: number; series: Series[] }
): string {
  const pitch = (bottom - top - 24) / series.length
  const thickness = Math.max(1, Math.min(12, pitch * 0.75))
  const room = 50
  const bars = series.map((one, i) => {
    const { share } = factsOf(one, step)
    const y = top + 20 + i * pitch
    const width = (right - left - room) * share
    const bar = { x: left, y, width, height: thickness, rx: Math.min(ROUND, thickness / 2) }
    return [
      share === 0 ? '' : element('rect', { ...bar, fill: colorOf(pen, lookOf(one, i)) }),
      pitch < pen.size
        ? ''
        : label(formatShare(share), {
            x: right,
            y: y + thickness / 2 + 4,
            'font-size': pen.size,
            'text-anchor': 'end',
            fill: pen.colors['ink-2']
          })
    ].join('')
  })
  const heading = label(fitName(name || '(empty)', NAME_SIZE * BOLDER, right - left), {
    x: left,
    y: top + 13,
    'font-size': NAME_SIZE,
    'font-weight': 600,
    fill: pen.colors.ink
  })
  return heading + bars.join('')
}

import { labelAxis } from '../../calendar/axis.ts'
import type { Interval } from '../../calendar/buckets.ts'
import { parseClock, toClock } from '../../calendar/clock.ts'
import { DAY } from '../../calendar/units.ts'
import { type Cell, type Chart, hasBuckets, MAX_POINTS, type Series } from '../../charts/chart.ts'
import { formatValue } from '../../charts/format.ts'
import { AppError } from '../../errors.ts'
import type { Json } from '../../input/json.ts'
import { show } from '../../input/show.ts'
import type { SqlAnswer } from '../../sql/answer.ts'
import type { DrawingPlace, DrawnQuestion, QuestionFigure } from '../drawing.ts'
import type { ShownColumn, ShownStatement, StatementView } from './view.ts'

/** A column of an answer, and its place in the rows. */
type Column = { label: string; place: number; kind: 'number' | 'time' | 'text' }

/** The drawn columns of an answer. */
type Drawn = {
  x: Column | undefined
  y: Column[]
  by: Column | undefined
  /** Of a table. */
  columns: Column[]
}

type Table = Pick<SqlAnswer, 'types' | 'results'>

type DrawnAnswer = Table & Pick<SqlAnswer, 'hasMore'>

/** The clock by which an answer is drawn, and when. */
type Clock = { project: Pick<DrawingPlace['project'], 'timezone'>; now: Date }

/** Draws the answer to a statement: a table, a chart over its first time or text, or its numbers. */
export function drawStatement(
  { view }: Pick<ShownStatement, 'view'>,
  answer: DrawnAnswer,
  place: Clock
): DrawnQuestion {
  const drawn = columnsOf(view, answer)
  const hasTimes = drawn.columns.some(({ kind }) => kind === 'time')
  const { figures, counted, ...chart } = contentOf(view.kind, drawn, answer, place)
  const words = [counted, ...(answer.hasMore ? ['there are more rows'] : [])].filter(Boolean)
  return {
    chart: {
      title: namesOf(drawn.y.length > 0 ? drawn.y : drawn.columns),
      subtitle: hasTimes ? place.project.timezone : '',
      days: [],
      total: null,
      ...chart,
      counted: words.join('; ')
    },
    buckets: [],
    range: { from: 'all', until: place.now.getTime() },
    figures,
    uncounted: []
  }
}

/** @throws invalid_input, attr the path in the view, for a column that an answer does not have */
export function expectColumns(view: StatementView, types: SqlAnswer['types']): void {
  columnsOf(view, { types, results: [] })
}

/** @throws invalid_input, attr the path in the view, for a column that cannot be drawn */
function columnsOf({ kind, x, y, by, columns }: StatementView, { types, results }: Table): Drawn {
  const all = types.map(([label, type], place): Column => ({ label, place, kind: kindOf(type) }))
  const find = ({ name, label, attr }: ShownColumn): Column => {
    const found = all.find((column) => column.label === name)
    if (!found) {
      const names = all.map((column) => column.label).join(', ')
      const detail = `The statement has no column ${show(name)}. Its columns: ${names}.`
      throw new AppError('invalid_input', detail, attr)
    }
    return { ...found, label }
  }
  const findNumber = (shown: ShownColumn): Column => {
    const found = find(shown)
    if (found.kind !== 'number') {
      const detail = `The column ${show(shown.name)} has no numbers: use toFloat.`
      throw new AppError('invalid_input', detail, shown.attr)
    }
    return found
  }
  const axis = x
    ? find(x)
    : (all.find((column) => column.kind === 'time') ?? all.find((column) => column.kind === 'text'))
  const numbers = y
    ? y.map(findNumber)
    : all.filter((column) => column.kind === 'number' && column.place !== axis?.place)
  const names = by && find(by)
  if (by && numbers.length !== 1) {
    const detail = 'With a column for the names of series, name one column of numbers in yAxis.'
    throw new AppError('invalid_input', detail, by.attr)
  }
  return {
    x: axis,
    y: numbers,
    by: names ?? (hasBuckets(kind) ? findNames(all, axis, numbers, results) : undefined),
    columns: columns?.map(find) ?? all
  }
}

/** Returns the column with the names of series, if an answer has several rows for a point. */
function findNames(
  all: Column[],
  axis: Column | undefined,
  numbers: Column[],
  results: Json[][]
): Column | undefined {
  const points = axis ? new Set(results.map((row) => textOf(row[axis.place]))) : undefined
  const isRepeated = points !== undefined && points.size < results.length
  return isRepeated && numbers.length === 1
    ? all.find(({ kind, place }) => kind === 'text' && place !== axis?.place)
    : undefined
}

/** `Nullable(Float64)` → number */
function kindOf(type: string): Column['kind'] {
  const plain = type.replace(/^Nullable\((.*)\)$/, '$1')
  if (/^(?:U?Int|Float|Decimal)/.test(plain)) {
    return 'number'
  }
  return /^Date/.test(plain) ? 'time' : 'text'
}

type Content = Pick<Chart, 'kind' | 'buckets' | 'series' | 'finished' | 'counted'> &
  Partial<Pick<Chart, 'days' | 'columns'>> & { figures: QuestionFigure[] }

function contentOf(
  kind: StatementView['kind'],
  drawn: Drawn,
  answer: Table,
  place: Clock
): Content {
  switch (kind) {
    case 'table':
      return isOneRowOfNumbers(drawn, answer) ? toNumbers(drawn, answer) : toTable(drawn, answer)
    case 'number':
      return toNumbers(drawn, answer)
    case 'values':
    case 'pie':
      return { kind, ...toValues(drawn, answer) }
    default:
      return { kind, ...overAxis(drawn, answer, place) }
  }
}

const isOneRowOfNumbers = ({ columns }: Drawn, { results }: Table): boolean =>
  results.length === 1 &&
  columns.every(({ kind, place }) => kind === 'number' && results[0]?.[place] !== null)

/** The numbers of the first row, beside each other. */
function toNumbers({ y }: Drawn, { results: [row = []] }: Table): Content {
  const figures = y.flatMap(({ label, place }) => {
    const value = row[place]
    return typeof value === 'number' ? [{ label, value, previous: null }] : []
  })
  const [first, ...others] = figures
  const series = first ? [{ name: first.label, data: figures.map(({ value }) => value) }] : []
  const common = { series, finished: figures.length, counted: '', figures }
  return others.length === 0
    ? { kind: 'number', buckets: [], ...common }
    : {
        kind: 'numbers',
        buckets: figures.map(({ label }) => label),
        columns: figures.map(() => ({})),
        ...common
      }
}

/** A row for each row, named by the first column. */
function toTable({ columns, y }: Drawn, { results }: Table): Content {
  const [first, ...others] = columns
  const series = results.map(
    (row): Series => ({
      name: first ? nameOf(row[first.place]) : '',
      data: [],
      cells: others.map(({ place, kind }) => cellOf(row[place], kind))
    })
  )
  const number = y.find(({ place }) => place !== first?.place)
  return {
    kind: 'table',
    buckets: others.map(({ label }) => label),
    columns: others.map(() => ({})),
    series,
    finished: others.length,
    counted: others.length > 0 && first ? `${namesOf(others)} by ${first.label}` : '',
    figures: number
      ? figuresOf(
          series,
          results.map((row) => row[number.place])
        )
      : [{ label: 'Rows', value: results.length, previous: null }]
  }
}

/** A number for each row, named by its text. */
function toValues({ x, y: [number] }: Drawn, { results }: Table): Omit<Content, 'kind'> {
  const rows = number ? results.filter((row) => typeof row[number.place] === 'number') : []
  const values = rows.map((row) => row[number?.place ?? 0])
  const series = rows.map(
    (row, i): Series => ({
      name: x ? nameOf(row[x.place]) : String(i + 1),
      data: [Number(values[i])]
    })
  )
  return {
    buckets: [],
    series,
    finished: 0,
    counted: describe(number ? [number] : [], x),
    figures: figuresOf(series, values)
  }
}

const figuresOf = (series: Series[], values: (Json | undefined)[]): QuestionFigure[] =>
  series.flatMap(({ name }, i) => {
    const value = values[i]
    return typeof value === 'number' ? [{ label: name || '(empty)', value, previous: null }] : []
  })

/** Numbers over times in their order, or over texts as the statement orders them. */
function overAxis(
  { x, y, by }: Drawn,
  { results }: Table,
  { project, now }: Clock
): Omit<Content, 'kind'> {
  const named = results.map((row, i) => ({ row, at: x ? textOf(row[x.place]) : String(i + 1) }))
  const isTime = x?.kind === 'time'
  const rows = isTime
    ? named.filter(({ at }) => at !== '').sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at))
    : named
  const points = by ? [...new Set(rows.map(({ at }) => at))] : rows.map(({ at }) => at)
  const series = by
    ? pivot(rows, { points, by, number: y[0]?.place ?? 0 })
    : y.map(({ label, place }) => ({
        name: label,
        numbers: rows.map(({ row }) => row[place] ?? null)
      }))
  const isFilled = series.some(({ numbers }) => numbers.some((one) => typeof one !== 'number'))
  const axis = isTime
    ? timesOf(points, toClock(now.getTime(), project.timezone))
    : { buckets: points.map((at) => at || '(empty)'), days: [], finished: points.length }
  const shown = series.map(
    ({ name, numbers }): Series => ({
      name: name || '(empty)',
      data: numbers.map((one) => (typeof one === 'number' ? one : 0))
    })
  )
  return {
    ...axis,
    series: shown,
    counted: [
      describe(y, x) + (by ? ` and ${by.label}` : ''),
      ...(isFilled ? ['missing numbers are drawn as 0'] : [])
    ].join('; '),
    figures: figuresAt(shown, axis)
  }
}

type NamedRow = { row: Json[]; at: string }

/** Makes a series of the rows of each name. @throws query_too_large, attr `points` */
function pivot(
  rows: NamedRow[],
  { points, by, number }: { points: string[]; by: Column; number: number }
): { name: string; numbers: Json[] }[] {
  const places = new Map(points.map((at, i) => [at, i]))
  const names = rows.map(({ row }) => nameOf(row[by.place]))
  const size = new Set(names).size * points.length
  if (size > MAX_POINTS) {
    throw new AppError(
      'query_too_large',
      `The chart would have ${size} numbers (series × points), and at most ${MAX_POINTS} are drawn: add a LIMIT, or read fewer values of ${show(by.label)}.`,
      'points'
    )
  }
  const series = new Map<string, Json[]>()
  for (const [i, { row, at }] of rows.entries()) {
    const name = names[i] ?? ''
    const numbers = series.get(name) ?? points.map(() => null)
    numbers[places.get(at) ?? 0] = row[number] ?? null
    series.set(name, numbers)
  }
  return [...series].map(([name, numbers]) => ({ name, numbers }))
}

/** The last point that is over, compared with the one before it. */
function figuresAt(
  series: Series[],
  { buckets, finished }: Pick<Chart, 'buckets' | 'finished'>
): QuestionFigure[] {
  const last = Math.max(0, Math.min(finished, buckets.length) - 1)
  return series.flatMap(({ name, data }) => {
    const value = data[last]
    return value === undefined
      ? []
      : [{ label: `${name} · ${buckets[last]}`, value, previous: data[last - 1] ?? null }]
  })
}

/**
 * Returns the time axis of points such as `2026-03-01` and `2026-03-01T09:00:00+01:00`. A point is over
 * once it has lasted as long as the shortest time between two of them.
 * @param now on the clock of the project, ms
 */
function timesOf(points: string[], now: number): Pick<Chart, 'buckets' | 'days' | 'finished'> {
  const local = points.map((at) => at.slice(0, 19).replace('T', ' '))
  const areDays = local.every((at) => at.length <= 10 || at.endsWith(' 00:00:00'))
  const days = areDays ? local.map((at) => at.slice(0, 10)) : local
  const times = days.map((day) => parseClock(day) ?? 0)
  const steps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  const step = Math.min(...steps)
  const ends = times.map((time) => time + (Number.isFinite(step) ? step : 0))
  const finished = ends.filter((end) => end <= now).length
  const interval = intervalOf(days, areDays, step)
  const isBegun = (times[finished] ?? Number.POSITIVE_INFINITY) <= now
  return { days, buckets: labelAxis(days, interval, isBegun ? finished : -1), finished }
}

function intervalOf(days: string[], areDays: boolean, step: number): Interval {
  if (!areDays) {
    return 'hour'
  }
  if (step >= 28 * DAY && days.every((day) => day.endsWith('-01'))) {
    return 'month'
  }
  return step > DAY ? 'week' : 'day'
}

const describe = (numbers: Column[], axis: Column | undefined): string =>
  [namesOf(numbers), ...(axis ? [axis.label] : [])].join(' by ')

const namesOf = (columns: Column[]): string => columns.map(({ label }) => label).join(', ')

function cellOf(value: Json | undefined, kind: Column['kind']): Cell {
  if (value === undefined || value === null) {
    return null
  }
  return typeof value === 'number' && kind === 'number' ? value : nameOf(value)
}

/** What stands for a value in words: `1,250`, `2026-03-01 09:00:00`; empty for null. */
function nameOf(value: Json | undefined): string {
  if (typeof value === 'number') {
    return formatValue(value)
  }
  return textOf(value).replace(
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:[+-]\d\d:\d\d|Z)$/,
    '$1 $2'
  )
}

const textOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) {
    return ''
  }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

import { labelAxis } from '../../calendar/axis.ts'
import { bucketsOf, daysOf } from '../../calendar/buckets.ts'
import type { Chart, Series } from '../../charts/chart.ts'
import { heatOf } from '../../charts/retention.ts'
import { isolate } from '../../input/show.ts'
import type { SeriesQuery } from '../../trends/query.ts'
import { NONE, nameOfValues } from '../../trends/value-names.ts'
import type { ResolvedRange } from '../date-range.ts'
import {
  type DrawingPlace,
  type DrawnQuestion,
  nameOfEvent,
  type QuestionFigure,
  rangeOfAnswer,
  subtitleOf
} from '../drawing.ts'
import type { RetentionQuery } from './query.ts'
import type { RetentionRow } from './retention.ts'

/** Draws the answer to a question about retention: a row for each period and value. */
export function drawRetentionAnswer(
  query: RetentionQuery,
  answer: { results: RetentionRow[]; resolved_date_range: ResolvedRange | null },
  { project, now }: DrawingPlace
): DrawnQuestion {
  const { trend, columns } = query
  const range = rangeOfAnswer(answer.resolved_date_range, trend)
  const periods = bucketsOf(range, trend.interval, project)
  const days = daysOf(periods, trend.interval)
  const names = labelAxis(days, trend.interval, periods.length)
  const begun = periods.filter(({ from }) => from <= now.getTime()).length
  const series = answer.results.map(({ breakdown_value: value, values }, i): Series => {
    // The rows of each value of the breakdown follow each other.
    const row = i % periods.length
    return {
      name: names[row] ?? '',
      data: values.map(({ count }) => count),
      cohort: {
        day: days[row] ?? '',
        ...(value !== null && { value: nameOfValues(trend.breakdowns, [value || NONE]) }),
        finished: values.filter(({ complete }) => complete !== false).length,
        begun: columns.last.filter((_, column) => row + firstOf(columns.last, column) < begun)
          .length
      }
    }
  })
  const [target, returning] = trend.series
  const chart: DrawnQuestion['chart'] = {
    title: `Retention of ${target ? nameOfEvent(target) : ''}`,
    subtitle: subtitleOf(range, project),
    counted: describe(query, target, returning),
    kind: 'retention',
    buckets: columns.labels,
    days: [],
    series,
    finished: columns.labels.length,
    total: null
  }
  return {
    chart,
    buckets: [],
    range,
    figures: sumUp(chart),
    uncounted: series.some(({ data }) => data[0]) ? [] : [target?.event ?? []].flat()
  }
}

/** Returns the first distance of a column. */
const firstOf = (last: readonly number[], column: number): number =>
  column === 0 ? 0 : (last[column - 1] ?? 0) + 1

function describe(
  { isFirstOnly, period, isCumulative }: RetentionQuery,
  target: SeriesQuery | undefined,
  returning: SeriesQuery | undefined
): string {
  const name = (one: SeriesQuery | undefined) =>
    one && (one.event !== null || one.customName !== null) ? isolate(nameOfEvent(one)) : 'any event'
  const members = `Persons ${isFirstOnly ? 'by the first' : 'with'} ${name(target)}`
  const back = `share that came back with ${name(returning)}`
  const later = isCumulative ? 'then or later' : `by ${period.toLowerCase()}`
  return `${members}; ${back} ${later}`
}

/** Returns the mean share of each column, or with a breakdown that of column 1 for each value. */
function sumUp(chart: Pick<Chart, 'series' | 'buckets'>): QuestionFigure[] {
  const rows = heatOf(chart)
  const figure = (label: string, share: number): QuestionFigure => ({
    label,
    value: share * 100,
    previous: null,
    unit: 'percent'
  })
  const labels = chart.buckets.slice(1)
  const [first] = rows
  return first?.isMean
    ? first.cells.flatMap((cell, i) => (cell ? [figure(labels[i] ?? '', cell.share)] : []))
    : rows.flatMap(({ name, cells: [cell] }) =>
        cell ? [figure(`${name}, ${labels[0]}`, cell.share)] : []
      )
}

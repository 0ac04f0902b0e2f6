import type { Series } from '../../charts/chart.ts'
import { isolate } from '../../input/show.ts'
import type { ResolvedRange } from '../date-range.ts'
import {
  type DrawingPlace,
  type DrawnQuestion,
  nameOfEvent,
  rangeOfAnswer,
  subtitleOf,
  timeAxis,
  uncountedOf
} from '../drawing.ts'
import type { LifecycleSeries } from './lifecycle.ts'
import type { LifecycleQuery } from './query.ts'
import type { LifecycleStatus } from './statuses.ts'

const NAMES: Record<LifecycleStatus, string> = {
  new: 'New',
  returning: 'Returning',
  resurrecting: 'Resurrecting',
  dormant: 'Dormant'
}

/** Draws the answer to a question about a lifecycle: stacked bars, dormant persons below zero. */
export function drawLifecycleAnswer(
  { trend }: LifecycleQuery,
  answer: { results: LifecycleSeries[]; resolved_date_range: ResolvedRange | null },
  place: DrawingPlace
): DrawnQuestion {
  const range = rangeOfAnswer(answer.resolved_date_range, trend)
  const { axis, buckets } = timeAxis(range, answer.results[0]?.days ?? [], trend, place)
  const series = answer.results.map(({ status, data }): Series => ({ name: NAMES[status], data }))
  const last = Math.max(0, axis.finished - 1)
  const name = trend.series.map(nameOfEvent).join(', ')
  return {
    chart: {
      title: `Lifecycle of ${name}`,
      subtitle: subtitleOf(range, place.project),
      counted: `${isolate(name)}, persons by ${trend.interval}`,
      kind: 'stacked',
      ...axis,
      series,
      total: null
    },
    buckets,
    range,
    figures: series.map(({ name, data }) => ({
      label: name,
      value: data[last] ?? 0,
      previous: data[last - 1] ?? null
    })),
    uncounted: uncountedOf(trend, () => series.flatMap(({ data }) => data))
  }
}

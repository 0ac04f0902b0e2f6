import type { Series } from '../../charts/chart.ts'
import { plainName } from '../../events/names.ts'
import { isolate } from '../../input/show.ts'
import type { ResolvedRange } from '../date-range.ts'
import {
  type DrawingPlace,
  type DrawnQuestion,
  nameOfEvent,
  rangeOfAnswer,
  subtitleOf,
  uncountedOf
} from '../drawing.ts'
import type { StickinessQuery } from './query.ts'
import type { StickinessSeries } from './stickiness.ts'

/** Draws the answer to a question about stickiness: a bar for each number of intervals. */
export function drawStickinessAnswer(
  { trend, isCumulative }: StickinessQuery,
  answer: { results: StickinessSeries[]; resolved_date_range: ResolvedRange | null },
  { project }: DrawingPlace
): DrawnQuestion {
  const range = rangeOfAnswer(answer.resolved_date_range, trend)
  const current = answer.results.filter(({ compare_label }) => compare_label !== 'previous')
  const before = answer.results.filter(({ compare_label }) => compare_label === 'previous')
  const buckets = current[0]?.labels ?? []
  const series = current.map(
    ({ label, data }, i): Series => ({
      name: plainName(label),
      data,
      ...(before[i] && { previous: before[i].data })
    })
  )
  const names = trend.series.map(nameOfEvent)
  const isAlone = series.length === 1
  const figures = series.flatMap(({ name, data, previous }) =>
    data.map((value, i) => ({
      label: [...(isAlone ? [] : [name]), buckets[i] ?? ''].join(', '),
      value,
      previous: previous?.[i] ?? null
    }))
  )
  return {
    chart: {
      title: `Stickiness of ${names.join(', ')}`,
      subtitle: subtitleOf(range, project),
      counted: [
        `${isAlone ? `${isolate(names[0] ?? '')}, persons` : 'Persons'} by ${trend.interval}s with it`,
        ...(isCumulative ? ['or more'] : []),
        ...(before.length > 0 ? ['grey: the period before'] : [])
      ].join('; '),
      kind: 'bars',
      buckets,
      days: [],
      series,
      finished: buckets.length,
      total: null
    },
    buckets: [],
    range,
    figures,
    uncounted: uncountedOf(trend, (i) => series[i]?.data ?? [])
  }
}

import { type Chart, hasBuckets, type Series } from '../../src/charts/chart.ts'
import { formatChange } from '../../src/charts/format.ts'
import { factsOf } from '../../src/charts/funnel.ts'
import { heatOf } from '../../src/charts/retention.ts'
import { plainName } from '../../src/events/names.ts'
import {
  type DrawnAnswer,
  formulasOf,
  type QuestionNode,
  type SeriesNode
} from '../chart/answer.ts'
import { bucketName, numberIn } from '../chart/words.ts'
import { seriesOf } from './question.ts'

/** Words of a sentence; those that carry its finding are strong. */
export type Words = (string | { strong: string })[]

const count = (number: number): string => numberIn(undefined, number)

const strong = (text: string) => ({ strong: text.slice(0, 100) })

/** Maths whose numbers can be added up over time. */
const ADDITIVE = ['total', 'sum', 'first_time_for_user', 'first_matching_event_for_user']

/** Whether the numbers of a trend can be added up; those of distinct persons cannot. */
export const isAdditive = (question: QuestionNode): boolean =>
  question.kind === 'TrendsQuery' &&
  formulasOf(question).length === 0 &&
  question.trendsFilter?.display !== 'ActionsLineGraphCumulative' &&
  seriesOf(question).every(({ math = 'total' }) => ADDITIVE.includes(math))

/** What the finished buckets of a series amount to: their sum, or their mean. */
export function amountOf(
  { data, previous }: Series,
  chart: Pick<Chart, 'kind' | 'finished'>,
  isSum: boolean
): { value: number; previous: number | undefined } {
  if (!hasBuckets(chart.kind)) {
    return { value: data[0] ?? 0, previous: previous?.[0] }
  }
  const over = (numbers: number[]) => {
    const finished = numbers.slice(0, chart.finished)
    const sum = finished.reduce((total, number) => total + number, 0)
    return isSum ? sum : sum / Math.max(1, finished.length)
  }
  return { value: over(data), previous: previous && over(previous) }
}

const COUNTED: Record<string, string> = {
  total: 'events',
  dau: 'unique persons',
  weekly_active: 'persons active within 7 days',
  monthly_active: 'persons active within 30 days',
  unique_session: 'sessions',
  first_time_for_user: 'persons for the first time',
  first_matching_event_for_user: 'persons for the first time'
}

/** `unique persons` · `sum of amount` */
export const countedBy = (question: QuestionNode): string => {
  const [first] = seriesOf(question)
  const { math = 'total', math_property: property } = first ?? {}
  return COUNTED[math] ?? `${math.replaceAll('_', ' ')}${property ? ` of ${property}` : ''}`
}

function withChange(value: number, previous: number | undefined): Words {
  const change = formatChange(value, previous)
  if (previous === undefined || change === '') {
    return []
  }
  return change === 'no change'
    ? [', as many as before']
    : [`, ${change} from ${numberIn(undefined, Math.round(previous * 10) / 10)} before`]
}

/** Says the one finding of an answer; nothing if there is none. */
export function sentenceOf(question: QuestionNode, chart: DrawnAnswer): Words {
  if (chart.series.every(({ data }) => data.every((value) => value === 0))) {
    return []
  }
  switch (chart.kind) {
    case 'funnel':
      return sentenceOfFunnel(chart)
    case 'retention':
      return sentenceOfRetention(chart)
    default:
      return SENTENCES[question.kind]?.(question, chart) ?? []
  }
}

const SENTENCES: Record<string, (question: QuestionNode, chart: DrawnAnswer) => Words> = {
  TrendsQuery: sentenceOfTrend,
  LifecycleQuery: (_, { series, finished, days, interval }) => {
    const last = Math.max(0, finished - 1)
    const words = series.map(
      ({ name, data }) => `${count(Math.abs(data[last] ?? 0))} ${name.toLowerCase()}`
    )
    return [strong(bucketName(days[last] ?? '', interval)), `: ${words.join(', ')} persons.`]
  },
  StickinessQuery: (_, { series: [first], buckets }) => {
    const all = first?.data.reduce((sum, value) => sum + value, 0) ?? 0
    const often = first?.data.slice(1).reduce((sum, value) => sum + value, 0) ?? 0
    return all === 0
      ? []
      : [
          strong(numberIn('percent', (often / all) * 100)),
          ` of ${count(all)} persons came back after ${buckets[0] ?? 'the first time'}.`
        ]
  }
}

const nameOfSeries = (one: SeriesNode | undefined): string =>
  one?.custom_name || (one?.event === null ? 'any event' : plainName(one?.event ?? ''))

/** Says of a single series how much there was, and of several which had the most. */
function sentenceOfTrend(question: QuestionNode, chart: DrawnAnswer): Words {
  const { series, finished, kind, interval } = chart
  if (!hasBuckets(kind)) {
    return valueSentence(chart)
  }
  const isSum = isAdditive(question)
  const [best] = series
    .filter(({ isRest }) => !isRest)
    .map((one) => ({ name: one.name, ...amountOf(one, chart, isSum) }))
    .toSorted((a, b) => b.value - a.value)
  if (!best || finished === 0) {
    return []
  }
  const number = numberIn(undefined, isSum ? best.value : Math.round(best.value * 10) / 10)
  const often = isSum ? '' : ` by ${interval ?? 'day'} on average`
  const isOpen = isSum && finished < (series[0]?.data.length ?? 0)
  const change = [
    ...(isOpen ? [interval === 'day' ? ', without today' : `, without this ${interval}`] : []),
    ...withChange(best.value, best.previous),
    '.'
  ]
  if (series.length > 1) {
    return [strong(best.name || '(empty)'), ` has the most: ${number}${often}`, ...change]
  }
  return formulasOf(question).length > 0
    ? [strong(number), often, ...change]
    : [
        strong(`${number} ${countedBy(question)}`),
        ` of ${nameOfSeries(seriesOf(question)[0])}${often}`,
        ...change
      ]
}

function valueSentence({ series, kind }: DrawnAnswer): Words {
  const [most] = series
    .filter(({ isRest }) => !isRest)
    .toSorted((a, b) => (b.data[0] ?? 0) - (a.data[0] ?? 0))
  return kind === 'number' || !most
    ? []
    : [
        strong(most.name || '(empty)'),
        ` has the most: ${numberIn(undefined, most.data[0] ?? 0)}`,
        ...withChange(most.data[0] ?? 0, most.previous?.[0]),
        '.'
      ]
}

function sentenceOfFunnel({ series, buckets }: DrawnAnswer): Words {
  const [best] = series
  const last = buckets.length - 1
  if (!best) {
    return []
  }
  if (series.length > 1) {
    const { share } = factsOf(best, last)
    return [
      strong(best.name || '(empty)'),
      ` has the most who got to ${buckets[last]}: `,
      strong(numberIn('percent', share * 100)),
      '.'
    ]
  }
  const losses = buckets.map((_, step) => factsOf(best, step).left)
  const worst = losses.indexOf(Math.max(...losses))
  const before = best.data[worst - 1] ?? 0
  return [
    strong(numberIn('percent', factsOf(best, last).share * 100)),
    ` of those with ${buckets[0]} got to ${buckets[last]}.`,
    ...(worst > 0
      ? [
          ' Most leave before ',
          strong(buckets[worst] ?? ''),
          `: ${count(losses[worst] ?? 0)} of ${count(before)}.`
        ]
      : [])
  ]
}

function sentenceOfRetention(chart: DrawnAnswer): Words {
  const [mean] = heatOf(chart)
  const labels = chart.buckets.slice(1)
  const known = (mean?.cells ?? []).flatMap((cell, i) =>
    cell ? [{ label: labels[i] ?? '', share: cell.share }] : []
  )
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last || !mean) {
    return []
  }
  const share = (one: { share: number }) => strong(numberIn('percent', one.share * 100))
  const of = mean.isMean ? '' : ` of ${mean.name}`
  return first === last
    ? [share(first), `${of} came back in ${first.label}.`]
    : [share(first), `${of} came back in ${first.label}, `, share(last), ` in ${last.label}.`]
}

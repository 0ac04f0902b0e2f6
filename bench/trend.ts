import { z } from 'zod'
import { DAYS } from './support/events.ts'
import { TREND_NAMES, type TrendName } from './support/questions.ts'
import type { Outcome } from './support/report.ts'
import {
  type Comparison,
  compareSides,
  IN_A_TURN,
  type Most,
  sizeOf
} from './support/side-by-side.ts'

const LARGE: Record<TrendName, Most> = {
  total: { text: 0.6 },
  filter: { text: 0.4, materialized: 2 },
  sum: { text: 0.4, materialized: 2 },
  median: { text: 1 },
  breakdown: { text: 0.4, materialized: 2 },
  'two breakdowns': { text: 1 },
  'person breakdown': { text: 1 },
  dau: { text: 0.5, materialized: 0.6 },
  'dau by the hour': { text: 1 },
  'weekly active': { text: 0.5, materialized: 0.6 },
  'first time': { text: 1 }
}
/** For the rarer kind of event, where the fixed costs of a request weigh more. */
const SMALL: Most = { text: 1 }
const SMALL_TOTAL: Most = { text: 1.6 }

const Answer = z.object({
  result: z.array(
    z.object({
      data: z.array(z.number()),
      days: z.array(z.string()),
      breakdown_value: z
        .union([z.string(), z.array(z.string()).transform((values) => values.join('::'))])
        .default('')
    })
  )
})

const COMPARISON: Comparison<TrendName> = {
  questions: TREND_NAMES,
  moreOften: { total: 5 },
  ofOwnEvents: [],
  mostOf(question, isLarge) {
    if (isLarge) {
      return LARGE[question]
    }
    return question === 'total' ? SMALL_TOTAL : SMALL
  },
  cellsOf: (_, text) =>
    Answer.parse(JSON.parse(text)).result.flatMap(({ data, days, breakdown_value }) =>
      data.map((value, i): [string, string, number] => [days[i] ?? '', breakdown_value, value])
    )
}

/** Measures trends of sealed events over HTTP, next to ClickHouse's engine and DuckDB with the same events. */
export function benchTrend(isSmoke: boolean): Promise<Outcome> {
  const { events, persons, runs } = sizeOf(isSmoke)
  return compareSides(COMPARISON, isSmoke, [
    `${events.toLocaleString('en')} events of 20 kinds, ${persons.toLocaleString('en')} persons, about 600 bytes of properties, ${DAYS} days,`,
    `by the day unless the question says otherwise. ${runs} runs (${runs * (COMPARISON.moreOften.total ?? 1)} of total) in turns of ${IN_A_TURN}. Warm-up: all questions about the smaller event, then a turn of each question before its runs.`
  ])
}

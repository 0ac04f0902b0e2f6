import { z } from 'zod'
import { DAYS } from './support/events.ts'
import { NODE_NAMES, type NodeName, TABLES, WEEKS, WINDOW_DAYS } from './support/questions.ts'
import type { Outcome } from './support/report.ts'
import type { Runtime } from './support/runtime.ts'
import { storePersons } from './support/seed.ts'
import {
  type Cells,
  type Comparison,
  compareSides,
  IN_A_TURN,
  sizeOf
} from './support/side-by-side.ts'

const Step = z.object({
  order: z.int(),
  count: z.int(),
  breakdown_value: z.tuple([z.string()]).default([''])
})

const Funnel = z.object({
  results: z.array(z.union([Step.transform((step) => [step]), z.array(Step)]))
})

const Retention = z.object({
  results: z.array(z.object({ date: z.string(), values: z.array(z.object({ count: z.int() })) }))
})

const Lifecycle = z.object({
  results: z.array(
    z.object({ status: z.string(), days: z.array(z.string()), data: z.array(z.int()) })
  )
})

const Overview = z.object({
  results: z.array(z.object({ key: z.string(), value: z.number() })),
  series: z.object({
    current: z
      .object({ days: z.array(z.string()) })
      .catchall(z.array(z.union([z.number(), z.string(), z.null()])))
  }),
  tables: z.array(
    z.object({
      results: z.array(
        z.tuple([z.string(), z.tuple([z.int(), z.null()]), z.tuple([z.int(), z.null()])])
      )
    })
  ),
  events: z.array(z.object({ event: z.string(), count: z.int() }))
})

const DATE_LENGTH = '2026-01-01'.length

const funnelCells = (answer: unknown): Cells =>
  Funnel.parse(answer)
    .results.flat()
    .map(({ order, count, breakdown_value: [value] }) => [`step ${order + 1}`, value, count])

function overviewCells(answer: unknown): Cells {
  const { results, series, tables, events } = Overview.parse(answer)
  const { days, ...numbers } = series.current
  return [
    ...results.map(({ key, value }): Cells[number] => ['', key, value]),
    ...Object.entries(numbers).flatMap(([key, data]) =>
      data.map((number, i): Cells[number] => [
        (days[i] ?? '').slice(0, DATE_LENGTH),
        key,
        Number(number)
      ])
    ),
    ...tables.flatMap((table, i) =>
      table.results.flatMap(
        ([value, [visitors], [views]]): Cells => [
          [`${TABLES[i]} visitors`, value, visitors],
          [`${TABLES[i]} views`, value, views]
        ]
      )
    ),
    ...events.map(({ event, count }): Cells[number] => ['event', event, count])
  ]
}

const CELLS: Record<NodeName, (answer: unknown) => Cells> = {
  funnel: funnelCells,
  'funnel with breakdown': funnelCells,
  retention: (answer) =>
    Retention.parse(answer).results.flatMap(({ date, values }) =>
      values.map(({ count }, i): Cells[number] => [date.slice(0, DATE_LENGTH), String(i), count])
    ),
  lifecycle: (answer) =>
    Lifecycle.parse(answer).results.flatMap(({ status, days, data }) =>
      data.map((count, i): Cells[number] => [(days[i] ?? '').slice(0, DATE_LENGTH), status, count])
    ),
  overview: overviewCells
}

const comparisonOf = (persons: number): Comparison<NodeName> => ({
  questions: NODE_NAMES,
  moreOften: {},
  ofOwnEvents: ['overview'],
  mostOf: (_, isLarge) => (isLarge ? { text: 0.5, materialized: 1 } : { text: 1, materialized: 2 }),
  cellsOf: (question, text) => CELLS[question](JSON.parse(text)),
  async complete({ db }: Runtime, projectId) {
    await storePersons(db, projectId, persons)
    // As capture does, so that a lifecycle finds new persons.
    await db
      .prepare(`
        with firsts as (
          select person_id as id, min(timestamp) as at
          from events join distinct_ids on key = identity where events.project_id = ?1 group by person_id)
        update persons set created_at = firsts.at from firsts where persons.id = firsts.id`)
      .bind(projectId)
      .run()
  }
})

/** Measures funnels, retention, lifecycles and overviews of sealed events over HTTP, next to ClickHouse's engine and DuckDB. */
export function benchQuestions(isSmoke: boolean): Promise<Outcome> {
  const { events, persons, runs } = sizeOf(isSmoke)
  return compareSides(comparisonOf(persons), isSmoke, [
    `${events.toLocaleString('en')} events of 20 kinds, ${persons.toLocaleString('en')} persons, about 600 bytes of properties, ${DAYS} days. The event of a question`,
    `is the first of three steps within ${WINDOW_DAYS} days, the other two are 3 % events; it makes members and lets them come back, over ${WEEKS} weeks; and it is that of a lifecycle by the day.`,
    `${runs} runs in turns of ${IN_A_TURN}. Warm-up: all questions about the smaller event, then a turn of each question before its runs.`
  ])
}

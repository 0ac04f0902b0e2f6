import { z } from 'zod'
import { DAYS } from './support/events.ts'
import { STATEMENT_NAMES, type StatementName } from './support/questions.ts'
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

const Answer = z.object({ results: z.array(z.array(z.union([z.string(), z.number()]))) })

type Row = z.infer<typeof Answer>['results'][number]

const CELLS: Record<StatementName, (row: Row, place: number) => Cells> = {
  'top list': ([url, n, u]) => [
    [String(url), 'n', Number(n)],
    [String(url), 'u', Number(u)]
  ],
  totals: (row) => row.map((n, i): Cells[number] => ['total', 'abcde'.charAt(i), Number(n)]),
  'daily series': ([day, browser, n]) => [[String(day), String(browser), Number(n)]],
  // Persons with equally many events are in no order.
  'per person': ([, n], place) => [[String(place + 1), '', Number(n)]]
}

const comparisonOf = (persons: number): Comparison<StatementName> => ({
  questions: STATEMENT_NAMES,
  moreOften: {},
  ofOwnEvents: [],
  mostOf: (_, isLarge) =>
    isLarge ? { text: 0.5, materialized: 1.5 } : { text: 1, materialized: 2.5 },
  cellsOf: (question, text) => Answer.parse(JSON.parse(text)).results.flatMap(CELLS[question]),
  complete: ({ db }: Runtime, projectId) => storePersons(db, projectId, persons)
})

/** Measures statements in SQL about sealed events over HTTP, next to ClickHouse's engine and DuckDB. */
export function benchStatements(isSmoke: boolean): Promise<Outcome> {
  const { events, persons, runs } = sizeOf(isSmoke)
  return compareSides(comparisonOf(persons), isSmoke, [
    `${events.toLocaleString('en')} events of 20 kinds, ${persons.toLocaleString('en')} persons, about 600 bytes of properties, ${DAYS} days. A top list of 20 of 5,000 addresses,`,
    'five totals in one row, a series by day and browser, and the 100 persons with the most events; each about the events of one name.',
    `${runs} runs in turns of ${IN_A_TURN}. Warm-up: all statements about the smaller event, then a turn of each statement before its runs.`
  ])
}

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { type Engine, openClickHouse, openDuck } from './support/engines.ts'
import { DAYS, kindOf, storeEvents } from './support/events.ts'
import { type Ask, QUESTIONS, type QuestionName, questionsTo, range } from './support/questions.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { startWorkers } from './support/runtime.ts'
import { seedProject } from './support/seed.ts'

/** Allowed ratio of the service's time to ClickHouse's, by kind of event. */
const MOST: Record<QuestionName, [large: number, small: number]> = {
  total: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  filter: [3, 3],
  sum: [3, 3],
  breakdown: [4, 3],
  dau: [5, 3],
  'weekly active': [6, 5]
}
const MAX_TOTAL_MS = 10
const MAX_MS = 500

/** Requests to one side before the next side's turn. */
const IN_A_TURN = 3

/** Questions that take a few milliseconds are repeated more often, so that one hiccup of the machine does not show. */
const MORE_OFTEN: Partial<Record<QuestionName, number>> = { total: 5 }

type Size = { events: number; persons: number; runs: number }

/** Measures daily trends over 90 days over HTTP, next to ClickHouse's engine and DuckDB with the same events. */
export async function benchTrend(isSmoke: boolean): Promise<Outcome> {
  const size: Size = isSmoke
    ? { events: 1_000, persons: 100, runs: 3 }
    : { events: 1_000_000, persons: 50_000, runs: 15 }
  const runtime = await startWorkers()
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-trend-'))
  try {
    const { projectId, key } = await seedProject(runtime, 0, ['insight:read'])
    const file = join(folder, 'events.ndjson')
    await storeEvents(runtime, projectId, size.events, size.persons, file)
    const engines = [
      ...(isSmoke ? [] : [await openClickHouse(file, join(folder, 'clickhouse'))]),
      await openDuck(file)
    ]
    const ask = questionsTo(runtime.service, projectId, key)
    // Two gigabytes were written. Waits for the disk, which would otherwise slow the first questions.
    execFileSync('sync')
    // Warms up all sides: otherwise the first one asked would pay for one-time compiling and reading.
    for (const question of QUESTIONS) {
      await measure(ask, kindOf(1), question, engines, { ...size, runs: IN_A_TURN })
    }
    const rows = []
    for (const event of [kindOf(0), kindOf(1)]) {
      for (const question of QUESTIONS) {
        rows.push({ event, question, times: await measure(ask, event, question, engines, size) })
      }
    }
    for (const engine of engines) {
      await engine.close()
    }
    return report(rows, engines, size)
  } finally {
    await runtime.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

const Answer = z.object({
  result: z.array(
    z.object({
      data: z.array(z.number()),
      days: z.array(z.string()),
      breakdown_value: z.string().default('')
    })
  )
})

/** Asks all sides in turns of a few requests, so that none always follows another, and compares their answers. */
async function measure(
  ask: Ask,
  event: string,
  question: QuestionName,
  engines: Engine[],
  size: Size
) {
  const { from, until } = range()
  const runs = size.runs * (MORE_OFTEN[question] ?? 1)
  const times: Record<string, number[]> = {}
  const time = async <T>(side: string, turn: number, run: () => Promise<T>): Promise<T[]> => {
    const answers: T[] = []
    for (let i = 0; i < IN_A_TURN; i += 1) {
      const started = performance.now()
      answers.push(await run())
      if (turn > 0) {
        times[side] = [...(times[side] ?? []), performance.now() - started]
      }
    }
    return answers
  }
  for (let turn = 0; turn <= runs / IN_A_TURN; turn += 1) {
    const answers = await time('service', turn, () => ask(event, question))
    const [cells = [], ...others] = answers.map(({ text }) =>
      Answer.parse(JSON.parse(text)).result.flatMap(({ data, days, breakdown_value }) =>
        data.map((value, i): [string, string, number] => [days[i] ?? '', breakdown_value, value])
      )
    )
    for (const other of others) {
      expectSame(`${question} of ${event}, again`, cells, other.filter(isSome))
    }
    for (const engine of engines) {
      const rows = await time(engine.name, turn, () =>
        engine.ask(engine.queries[question]?.(event, from, until) ?? '')
      )
      for (const one of rows) {
        expectSame(`${question} of ${event}: ${engine.name}`, cells, one)
      }
    }
  }
  return times
}

type Cells = [string, string, number][]

const isSome = ([, , number]: Cells[number]): boolean => number !== 0

function expectSame(what: string, ours: Cells, theirs: Cells): void {
  const wanted = new Map(theirs.map(([day, value, number]) => [`${day} ${value}`, number]))
  const kept = ours.filter(isSome)
  const isSame =
    kept.length === wanted.size &&
    kept.every(
      ([day, value, number]) =>
        Math.abs(number - (wanted.get(`${day} ${value}`) ?? Number.NaN)) <= 1e-9 * Math.abs(number)
    )
  if (!isSame) {
    throw new Error(
      `${what} answered differently: ${JSON.stringify([kept.slice(0, 5), theirs.slice(0, 5)])}`
    )
  }
}

type Measured = { event: string; question: QuestionName; times: Record<string, number[]> }

const isLarge = (event: string): boolean => event === kindOf(0)

const shareOf = (event: string): string => (isLarge(event) ? '40 %' : '3 %')

const mostOf = ({ event, question }: Measured): number => MOST[question][isLarge(event) ? 0 : 1]

const medianOf = ({ times }: Measured, side: string): number => percentile(times[side] ?? [], 0.5)

/** Returns the ratio of the service's time to ClickHouse's; `undefined` if ClickHouse was not asked. */
const ratioOf = (row: Measured): number | undefined =>
  row.times.ClickHouse ? medianOf(row, 'service') / medianOf(row, 'ClickHouse') : undefined

/** Lists the targets that a question misses, each with the measured value. */
function missedBy(row: Measured): string[] {
  const { event, question } = row
  const ours = medianOf(row, 'service')
  const ratio = ratioOf(row)
  const missed: string[] = []
  if (question === 'total' && isLarge(event) && ours > MAX_TOTAL_MS) {
    missed.push(`total ${rounded(ours)} ms`)
  }
  if (ours > MAX_MS) {
    missed.push(`${question} of the ${shareOf(event)} event ${rounded(ours)} ms`)
  }
  if (ratio !== undefined && ratio > mostOf(row)) {
    missed.push(`${question} of the ${shareOf(event)} event ${rounded(ratio)}×`)
  }
  return missed
}

/** Formats a line of the report's table. */
function lineOf(row: Measured, engines: Engine[]): string[] {
  const ours = medianOf(row, 'service')
  const slowest = percentile(row.times.service ?? [], 0.95)
  const ratio = ratioOf(row)
  const most = mostOf(row)
  return [
    `${row.question}, ${shareOf(row.event)} event`,
    `${rounded(ours)} / ${rounded(slowest)}`,
    ...engines.map(({ name }) => rounded(medianOf(row, name))),
    ratio === undefined ? 'not asked' : `${rounded(ratio)}×`,
    Number.isFinite(most) ? `${most}×` : '-'
  ]
}

function report(rows: Measured[], engines: Engine[], size: Size): Outcome {
  return {
    table: [
      [
        'median (/ p95), ms',
        'service',
        ...engines.map(({ name }) => name),
        'service : ClickHouse',
        'at most'
      ],
      ...rows.map((row) => lineOf(row, engines))
    ],
    notes: [
      `${size.events.toLocaleString('en')} events of 20 kinds, ${size.persons.toLocaleString('en')} persons, about 600 bytes of properties, ${DAYS} days,`,
      `by the day. ${size.runs} runs, ${size.runs * (MORE_OFTEN.total ?? 1)} of total, in turns of ${IN_A_TURN}, after a warm-up turn and all runs of the smaller event.`,
      'All sides gave the same answers. The service is asked over HTTP, with everything that a request costs; the engines run in the asking process.'
    ],
    missed: rows.flatMap(missedBy)
  }
}

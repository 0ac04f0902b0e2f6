import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { type Engine, openClickHouse, openDuck } from './support/engines.ts'
import { DAYS, kindOf, storeEvents } from './support/events.ts'
import { type Ask, QUESTIONS, type QuestionName, questionsTo, RANGE } from './support/questions.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { inTemporaryAsync, startWorkers } from './support/runtime.ts'
import { seal } from './support/seal.ts'
import { seedProject } from './support/seed.ts'

/** Targets: ratios of the service's time to ClickHouse's, with properties as text and with materialized columns. */
type Most = { text: number; materialized?: number }

const LARGE: Record<QuestionName, Most> = {
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

/** Requests to one side before the next side's turn. */
const IN_A_TURN = 3

/** Questions that take a few milliseconds are repeated more often, so that one hiccup of the machine does not show. */
const MORE_OFTEN: Partial<Record<QuestionName, number>> = { total: 5 }

type Size = { events: number; persons: number; runs: number }

/** Measures trends of sealed events over HTTP, next to ClickHouse's engine and DuckDB with the same events. */
export async function benchTrend(isSmoke: boolean): Promise<Outcome> {
  const size: Size = isSmoke
    ? { events: 1_000, persons: 100, runs: 3 }
    : { events: 1_000_000, persons: 50_000, runs: 15 }
  return await inTemporaryAsync((folder) => measureAll(size, isSmoke, folder))
}

async function measureAll(size: Size, isSmoke: boolean, folder: string): Promise<Outcome> {
  const runtime = await startWorkers()
  try {
    const { projectId, key } = await seedProject(runtime, 0, ['insight:read'])
    const file = join(folder, 'events.ndjson')
    await storeEvents(runtime, projectId, size, file)
    await seal(runtime)
    const opened = [
      ...(isSmoke ? [] : [await openClickHouse(file, join(folder, 'clickhouse'))]),
      await openDuck(file)
    ]
    const engines = opened.flatMap((one) => one.engines)
    const ask = questionsTo(runtime.service, projectId, key)
    // Up to two gigabytes were written. Waits for the disk, which would otherwise slow the first questions.
    execFileSync('sync')
    // Warms up all sides: otherwise the first one asked would pay for one-time compiling and reading.
    for (const question of QUESTIONS) {
      await measure(ask, { event: kindOf(1), question }, engines, { ...size, runs: IN_A_TURN })
    }
    const rows = []
    for (const event of [kindOf(0), kindOf(1)]) {
      for (const question of QUESTIONS) {
        rows.push({
          event,
          question,
          times: await measure(ask, { event, question }, engines, size)
        })
      }
    }
    for (const one of opened) {
      one.close()
    }
    return report(rows, engines, size)
  } finally {
    await runtime.end()
  }
}

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

/**
 * Asks the sides in turns and compares the answers. A turn is several requests to one side, so that only the first of them
 * suffers from what the other sides have done to the processor's caches.
 */
async function measure(
  ask: Ask,
  { event, question }: { event: string; question: QuestionName },
  engines: Engine[],
  size: Size
) {
  const { from, until } = RANGE
  const runs = size.runs * (MORE_OFTEN[question] ?? 1)
  const times: Record<string, number[]> = {}
  const time = async <T>(side: string, turn: number, run: () => Promise<T>): Promise<T[]> => {
    const answers: T[] = []
    for (let i = 0; i < IN_A_TURN; i += 1) {
      const started = performance.now()
      answers.push(await run())
      // The first turn is the warm-up.
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
      expectSame(`${question} of ${event}, asked again`, cells, other)
    }
    for (const engine of engines) {
      const rows = await time(engine.name, turn, () =>
        engine.ask(engine.queries[question](event, from, until))
      )
      for (const one of rows) {
        expectSame(`${question} of ${event}, asked of ${engine.name}`, cells, one)
      }
    }
  }
  return times
}

type Cells = [string, string, number][]

/** Whether a cell is compared. Only the service lists empty buckets, as zeros. */
const isSome = ([, , number]: Cells[number]): boolean => number !== 0

function expectSame(what: string, ours: Cells, theirs: Cells): void {
  const wanted = new Map(
    theirs.filter(isSome).map(([day, value, number]) => [`${day} ${value}`, number])
  )
  const kept = ours.filter(isSome)
  const isSame =
    kept.length === wanted.size &&
    kept.every(
      ([day, value, number]) =>
        Math.abs(number - (wanted.get(`${day} ${value}`) ?? Number.NaN)) <= 1e-9 * Math.abs(number)
    )
  if (!isSame) {
    throw new Error(
      `The answers differ for ${what}: ${JSON.stringify([kept.slice(0, 5), theirs.slice(0, 5)])}`
    )
  }
}

type Measured = { event: string; question: QuestionName; times: Record<string, number[]> }

const isLarge = (event: string): boolean => event === kindOf(0)

const nameOf = ({ event, question }: Measured): string =>
  `${question}, ${isLarge(event) ? '40 %' : '3 %'} event`

function mostOf({ event, question }: Measured): Most {
  if (isLarge(event)) {
    return LARGE[question]
  }
  return question === 'total' ? SMALL_TOTAL : SMALL
}

const medianOf = ({ times }: Measured, side: string): number => percentile(times[side] ?? [], 0.5)

type Ratio = { side: string; ratio: number | undefined; most: number | undefined }

/** Lists the ratios of the service's time to ClickHouse's; a ratio is `undefined` if ClickHouse was not asked. */
function ratiosOf(row: Measured): Ratio[] {
  const { text, materialized } = mostOf(row)
  return [
    { side: 'ClickHouse', most: text },
    { side: 'materialized', most: materialized }
  ].map(({ side, most }) => ({
    side,
    ratio: row.times[side] && medianOf(row, 'service') / medianOf(row, side),
    most
  }))
}

/** Lists the targets that a question misses, each with the measured value. */
const missedBy = (row: Measured): string[] =>
  ratiosOf(row).flatMap(({ side, ratio, most }) =>
    ratio !== undefined && most !== undefined && ratio > most
      ? [`${nameOf(row)} ${rounded(ratio)}× ${side}`]
      : []
  )

/** Formats a line of the report's table. */
function lineOf(row: Measured, engines: Engine[]): string[] {
  const p95 = percentile(row.times.service ?? [], 0.95)
  return [
    nameOf(row),
    `${rounded(medianOf(row, 'service'))} / ${rounded(p95)}`,
    ...engines.map(({ name }) => rounded(medianOf(row, name))),
    ...ratiosOf(row).flatMap(({ ratio, most }) => [
      ratio === undefined ? 'not asked' : `${rounded(ratio)}×`,
      most === undefined ? '-' : `${most}×`
    ])
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
        'at most',
        'service : materialized',
        'at most'
      ],
      ...rows.map((row) => lineOf(row, engines))
    ],
    notes: [
      `${size.events.toLocaleString('en')} events of 20 kinds, ${size.persons.toLocaleString('en')} persons, about 600 bytes of properties, ${DAYS} days,`,
      `by the day unless the question says otherwise. ${size.runs} runs (${size.runs * (MORE_OFTEN.total ?? 1)} of total) in turns of ${IN_A_TURN}. Warm-up: all questions about the smaller event, then a turn of each question before its runs.`,
      'All sides gave the same answers. The service is asked over HTTP, with everything that a request costs; the engines run in the asking process.'
    ],
    missed: rows.flatMap(missedBy)
  }
}

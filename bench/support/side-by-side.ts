import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Engine, openClickHouse, openDuck } from './engines.ts'
import { kindOf, type Volume, volumeOf } from './events.ts'
import { type Ask, type QuestionName, questionsTo, RANGE } from './questions.ts'
import { type Outcome, percentile, rounded } from './report.ts'
import { inTemporaryAsync, type Runtime, startWorkers } from './runtime.ts'
import { seal } from './seal.ts'
import { seedProject } from './seed.ts'
import { storeEvents } from './storing.ts'

/** Targets: ratios of the service's time to ClickHouse's, with properties as text and with materialized columns. */
export type Most = { text: number; materialized?: number }

/** Rows of `[day, value, number]`: see `Engine`. */
export type Cells = [string, string, number][]

/** Questions about the 40 % event and the 3 % event, which the service and the other engines answer in turns. */
export type Comparison<Name extends QuestionName> = {
  questions: readonly Name[]
  /** Questions that take a few milliseconds are repeated more often, so that one hiccup of the machine does not show. */
  moreOften: Partial<Record<Name, number>>
  /** Questions about events of their own: they are asked once, not for each of the two events. */
  ofOwnEvents: readonly Name[]
  mostOf: (question: Name, isLarge: boolean) => Most
  /** Reads the service's answer to a question. */
  cellsOf: (question: Name, text: string) => Cells
  /** Completes the stored events, before they are sealed. */
  complete?: (runtime: Runtime, projectId: number) => Promise<void>
}

/** Requests to one side before the next side's turn. */
export const IN_A_TURN = 3

export type Size = Volume & { runs: number }

export const sizeOf = (isSmoke: boolean): Size =>
  isSmoke ? { ...volumeOf(1_000, 100), runs: 3 } : { ...volumeOf(1_000_000, 50_000), runs: 15 }

/** Measures questions over HTTP, next to ClickHouse's engine and DuckDB with the same events; `--smoke` skips ClickHouse. */
export async function compareSides<Name extends QuestionName>(
  comparison: Comparison<Name>,
  isSmoke: boolean,
  notes: string[]
): Promise<Outcome> {
  const size = sizeOf(isSmoke)
  return await inTemporaryAsync(async (folder) => {
    const runtime = await startWorkers()
    try {
      const { projectId, key } = await seedProject(runtime, 0, ['insight:read', 'query:read'])
      const file = join(folder, 'events.ndjson')
      await storeEvents(runtime, projectId, size, file)
      await comparison.complete?.(runtime, projectId)
      await seal(runtime)
      const opened = [
        ...(isSmoke ? [] : [await openClickHouse(file, join(folder, 'clickhouse'))]),
        await openDuck(file)
      ]
      const engines = opened.flatMap((one) => one.engines)
      const ask = questionsTo(runtime.service, projectId, key)
      // Up to two gigabytes were written. Waits for the disk, which would otherwise slow the first questions.
      execFileSync('sync')
      const rows = await measureAll(comparison, ask, engines, size.runs)
      for (const one of opened) {
        one.close()
      }
      return report(comparison, rows, engines, notes)
    } finally {
      await runtime.end()
    }
  })
}

async function measureAll<Name extends QuestionName>(
  comparison: Comparison<Name>,
  ask: Ask,
  engines: Engine[],
  runs: number
): Promise<Measured<Name>[]> {
  const { questions, ofOwnEvents, moreOften } = comparison
  const measured = (event: string, question: Name, times: number) =>
    measure(comparison, ask, { event, question }, engines, times)
  // Warms up all sides: otherwise the first one asked would pay for one-time compiling and reading.
  for (const question of questions) {
    await measured(kindOf(1), question, IN_A_TURN)
  }
  const rows: Measured<Name>[] = []
  for (const event of [kindOf(0), kindOf(1)]) {
    const asked = questions.filter((name) => isLarge(event) || !ofOwnEvents.includes(name))
    for (const question of asked) {
      const times = await measured(event, question, runs * (moreOften[question] ?? 1))
      rows.push({ event, question, isOfOwnEvents: ofOwnEvents.includes(question), times })
    }
  }
  return rows
}

/**
 * Asks the sides in turns and compares the answers. A turn is several requests to one side, so that only the first of them
 * suffers from what the other sides have done to the processor's caches.
 */
async function measure<Name extends QuestionName>(
  { cellsOf }: Comparison<Name>,
  ask: Ask,
  { event, question }: { event: string; question: Name },
  engines: Engine[],
  runs: number
): Promise<Record<string, number[]>> {
  const { from, until } = RANGE
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
    const [cells = [], ...others] = answers.map(({ text }) => cellsOf(question, text))
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

type Measured<Name> = {
  event: string
  question: Name
  isOfOwnEvents: boolean
  times: Record<string, number[]>
}

const isLarge = (event: string): boolean => event === kindOf(0)

const nameOf = ({ event, question, isOfOwnEvents }: Measured<string>): string =>
  isOfOwnEvents ? question : `${question}, ${isLarge(event) ? '40 %' : '3 %'} event`

const medianOf = ({ times }: Measured<string>, side: string): number =>
  percentile(times[side] ?? [], 0.5)

type Ratio = { side: string; ratio: number | undefined; most: number | undefined }

/** Lists the ratios of the service's time to ClickHouse's; a ratio is `undefined` if ClickHouse was not asked. */
function ratiosOf(row: Measured<string>, { text, materialized }: Most): Ratio[] {
  return [
    { side: 'ClickHouse', most: text },
    { side: 'materialized', most: materialized }
  ].map(({ side, most }) => ({
    side,
    ratio: row.times[side] && medianOf(row, 'service') / medianOf(row, side),
    most
  }))
}

/** Formats a line of the report's table. */
function lineOf(row: Measured<string>, ratios: Ratio[], engines: Engine[]): string[] {
  const p95 = percentile(row.times.service ?? [], 0.95)
  return [
    nameOf(row),
    `${rounded(medianOf(row, 'service'))} / ${rounded(p95)}`,
    ...engines.map(({ name }) => rounded(medianOf(row, name))),
    ...ratios.flatMap(({ ratio, most }) => [
      ratio === undefined ? 'not asked' : `${rounded(ratio)}×`,
      most === undefined ? '-' : `${most}×`
    ])
  ]
}

function report<Name extends QuestionName>(
  { mostOf }: Comparison<Name>,
  measured: Measured<Name>[],
  engines: Engine[],
  notes: string[]
): Outcome {
  const rows = measured.map((row) => ({
    row,
    ratios: ratiosOf(row, mostOf(row.question, isLarge(row.event)))
  }))
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
      ...rows.map(({ row, ratios }) => lineOf(row, ratios, engines))
    ],
    notes: [
      ...notes,
      'All sides gave the same answers. The service is asked over HTTP, with everything that a request costs; the engines run in the asking process.'
    ],
    missed: rows.flatMap(({ row, ratios }) =>
      ratios.flatMap(({ side, ratio, most }) =>
        ratio !== undefined && most !== undefined && ratio > most
          ? [`${nameOf(row)} ${rounded(ratio)}× ${side}`]
          : []
      )
    )
  }
}

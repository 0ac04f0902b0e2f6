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

/** How many times as long as ClickHouse the service may take, by kind of event. */
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

/** So many requests of each kind, and two more, warm all sides up. */
const WARM_UP = 3

type Size = { events: number; persons: number; runs: number }

/** How long a trend by the day over 90 days takes over HTTP, beside ClickHouse's engine and DuckDB with the same events. */
export async function benchTrend(isSmoke: boolean): Promise<Outcome> {
  const size: Size = isSmoke
    ? { events: 5_000, persons: 500, runs: 3 }
    : { events: 1_000_000, persons: 50_000, runs: 15 }
  const runtime = await startWorkers()
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-trend-'))
  try {
    const { projectId, key } = await seedProject(runtime, 0, ['insight:read'])
    const file = join(folder, 'events.ndjson')
    await storeEvents(runtime, projectId, size.events, size.persons, file)
    const engines = [...(isSmoke ? [] : [await openClickHouse(file, join(folder, 'clickhouse'))]), await openDuck(file)]
    const ask = questionsTo(runtime.service, projectId, key)
    // Whichever is asked first would else pay for what all sides compile and read once.
    for (const question of QUESTIONS) await measure(ask, kindOf(1), question, engines, { ...size, runs: WARM_UP })
    const rows = []
    for (const event of [kindOf(0), kindOf(1)])
      for (const question of QUESTIONS)
        rows.push({ event, question, times: await measure(ask, event, question, engines, size) })
    for (const engine of engines) await engine.close()
    return report(rows, engines, size)
  } finally {
    await runtime.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

const Answer = z.object({
  result: z.array(
    z.object({ data: z.array(z.number()), days: z.array(z.string()), breakdown_value: z.string().default('') })
  )
})

/** All sides take turns, and have to answer the same. */
async function measure(ask: Ask, event: string, question: QuestionName, engines: Engine[], { runs }: Size) {
  const { from, until } = range()
  const times: Record<string, number[]> = { service: [] }
  for (let run = -2; run < runs; run += 1) {
    const { text, ms } = await ask(event, question)
    const cells = Answer.parse(JSON.parse(text)).result.flatMap(({ data, days, breakdown_value }) =>
      data.map((value, i): [string, string, number] => [days[i] ?? '', breakdown_value, value])
    )
    if (run >= 0) times.service?.push(ms)
    for (const engine of engines) {
      const started = performance.now()
      const rows = await engine.ask(engine.queries[question]?.(event, from, until) ?? '')
      const took = performance.now() - started
      expectSame(`${question} of ${event}: ${engine.name}`, cells, rows)
      if (run >= 0) times[engine.name] = [...(times[engine.name] ?? []), took]
    }
  }
  return times
}

type Cells = [string, string, number][]

function expectSame(what: string, ours: Cells, theirs: Cells): void {
  const wanted = new Map(theirs.map(([day, value, number]) => [`${day} ${value}`, number]))
  const kept = ours.filter(([, , number]) => number !== 0)
  const isSame =
    kept.length === wanted.size &&
    kept.every(
      ([day, value, number]) =>
        Math.abs(number - (wanted.get(`${day} ${value}`) ?? Number.NaN)) <= 1e-9 * Math.abs(number)
    )
  if (!isSame) throw new Error(`${what} answers differently: ${JSON.stringify([kept.slice(0, 5), theirs.slice(0, 5)])}`)
}

type Measured = { event: string; question: QuestionName; times: Record<string, number[]> }

function report(rows: Measured[], engines: Engine[], size: Size): Outcome {
  const missed: string[] = []
  const table = rows.map(({ event, question, times }) => {
    const share = event === kindOf(0) ? '40 %' : '3 %'
    const median = (name: string) => percentile(times[name] ?? [], 0.5)
    const ours = median('service')
    const ratio = times.ClickHouse ? ours / median('ClickHouse') : undefined
    const most = MOST[question][event === kindOf(0) ? 0 : 1]
    if (question === 'total' && event === kindOf(0) && ours > MAX_TOTAL_MS) missed.push(`total ${rounded(ours)} ms`)
    if (ours > MAX_MS) missed.push(`${question} of the ${share} event ${rounded(ours)} ms`)
    if (ratio !== undefined && ratio > most) missed.push(`${question} of the ${share} event ${rounded(ratio)}×`)
    return [
      `${question}, ${share} event`,
      `${rounded(ours)} / ${rounded(percentile(times.service ?? [], 0.95))}`,
      ...engines.map(({ name }) => rounded(median(name))),
      ratio === undefined ? 'not asked' : `${rounded(ratio)}×`,
      Number.isFinite(most) ? `${most}×` : '-'
    ]
  })
  return {
    table: [
      ['median (/ p95), ms', 'service', ...engines.map(({ name }) => name), 'service : ClickHouse', 'at most'],
      ...table
    ],
    notes: [
      `${size.events.toLocaleString('en')} events of 20 kinds, ${size.persons.toLocaleString('en')} persons, about 700 bytes of properties, ${DAYS} days,`,
      `by the day; all sides are warmed up by everything of the smaller event, then ${size.runs} runs of each after 2 that do not`,
      'count, the sides taking turns and answering the same. The service over HTTP with all that a request costs, the engines',
      'in the process that asks them.'
    ],
    missed
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { sendOk } from './support/client.ts'
import { type Engine, openClickHouse, openDuck } from './support/engines.ts'
import { DAYS, kindOf, midnight, storeEvents } from './support/events.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { startWorkers } from './support/runtime.ts'
import { seedProject } from './support/seed.ts'

const DAY = 86_400_000

/** What is asked: of the service as a series, and how many times as long as ClickHouse it may take, by kind of event. */
const QUESTIONS: { name: string; series: object; more?: object; most: [large: number, small: number] }[] = [
  { name: 'total', series: {}, most: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] },
  { name: 'filter', series: { properties: [{ key: 'plan', value: 'pro' }] }, most: [3, 3] },
  { name: 'sum', series: { math: 'sum', math_property: 'price' }, most: [3, 3] },
  { name: 'breakdown', series: {}, more: { breakdown: '$browser' }, most: [4, 3] },
  { name: 'dau', series: { math: 'dau' }, most: [5, 3] },
  { name: 'weekly active', series: { math: 'weekly_active' }, most: [6, 5] }
]
const MAX_TOTAL_MS = 10
const MAX_MS = 500

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
    const url = new URL(`/api/environments/${projectId}/insights/trend/`, runtime.service)
    const rows = []
    for (const event of [kindOf(0), kindOf(1)])
      for (const question of QUESTIONS)
        rows.push({ event, question, times: await measure(url, key, event, question, engines, size) })
    for (const engine of engines) await engine.close()
    return report(rows, engines, size)
  } finally {
    await runtime.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Question = (typeof QUESTIONS)[number]

const Answer = z.object({
  result: z.array(
    z.object({ data: z.array(z.number()), days: z.array(z.string()), breakdown_value: z.string().default('') })
  )
})

/** All sides take turns, and have to answer the same. */
async function measure(url: URL, key: string, event: string, question: Question, engines: Engine[], { runs }: Size) {
  const until = midnight()
  const from = until - DAYS * DAY
  const iso = (time: number) => new Date(time).toISOString().slice(0, 10)
  const body = {
    events: [{ id: event, ...question.series }],
    date_from: iso(from),
    date_to: iso(until - 1),
    ...question.more
  }
  const options = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } }
  const ask = async () => {
    const { text, ms } = await sendOk(url, options, Buffer.from(JSON.stringify(body)))
    const cells = Answer.parse(JSON.parse(text)).result.flatMap(({ data, days, breakdown_value }) =>
      data.map((value, i): [string, string, number] => [days[i] ?? '', breakdown_value, value])
    )
    return { ms, cells }
  }
  const times: Record<string, number[]> = { service: [] }
  for (let run = -2; run < runs; run += 1) {
    const { ms, cells } = await ask()
    if (run >= 0) times.service?.push(ms)
    for (const engine of engines) {
      const started = performance.now()
      const rows = await engine.ask(engine.queries[question.name]?.(event, from, until) ?? '')
      const took = performance.now() - started
      expectSame(`${question.name} of ${event}: ${engine.name}`, cells, rows)
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

type Measured = { event: string; question: Question; times: Record<string, number[]> }

function report(rows: Measured[], engines: Engine[], size: Size): Outcome {
  const missed: string[] = []
  const table = rows.map(({ event, question, times }) => {
    const share = event === kindOf(0) ? '40 %' : '3 %'
    const median = (name: string) => percentile(times[name] ?? [], 0.5)
    const ours = median('service')
    const ratio = times.ClickHouse ? ours / median('ClickHouse') : undefined
    const most = question.most[event === kindOf(0) ? 0 : 1]
    if (question.name === 'total' && event === kindOf(0) && ours > MAX_TOTAL_MS)
      missed.push(`total ${rounded(ours)} ms`)
    if (ours > MAX_MS) missed.push(`${question.name} of the ${share} event ${rounded(ours)} ms`)
    if (ratio !== undefined && ratio > most) missed.push(`${question.name} of the ${share} event ${rounded(ratio)}×`)
    return [
      `${question.name}, ${share} event`,
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
      `by the day; ${size.runs} runs after 2 to warm up, the sides taking turns and answering the same. The service over HTTP`,
      'with all that a request costs, the engines in the process that asks them.'
    ],
    missed
  }
}

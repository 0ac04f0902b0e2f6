import { setTimeout as sleep } from 'node:timers/promises'
import { busyBatch } from './support/batches.ts'
import { sendOk } from './support/client.ts'
import { kindOf, storeEvents } from './support/events.ts'
import { type Ask, QUESTIONS, questionsTo } from './support/questions.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { type Runtime, startWorkers } from './support/runtime.ts'
import { seedProject, storePersons } from './support/seed.ts'

const MAX_OTHERS_MS = 200
const MAX_STATEMENT_MS = 150
/** Events per person. */
const EVENTS_OF_PERSON = 20
const PAUSE_MS = 50
/** Pause between batches of 100 events, ms: 200 events per second. */
const CAPTURE_PAUSE_MS = 500

type Size = { sizes: number[]; runs: number; others: number }

/** Measures how trends slow down with more events, and how reading a person and capturing slow down meanwhile. */
export async function benchGrowth(isSmoke: boolean): Promise<Outcome> {
  const { sizes, runs, others }: Size = isSmoke
    ? { sizes: [100, 200, 400], runs: 1, others: 2 }
    : { sizes: [100_000, 1_000_000, 4_000_000], runs: 5, others: 200 }
  const columns: number[][] = []
  for (const events of sizes) {
    columns.push(await measure(events, runs, others))
  }
  const rows: { name: string; most: number }[] = [
    ...QUESTIONS.map((name) => ({ name: `${name}, median`, most: Number.POSITIVE_INFINITY })),
    { name: 'longest statement of a trend', most: MAX_STATEMENT_MS },
    { name: 'retrieving a person meanwhile, p95', most: MAX_OTHERS_MS },
    { name: 'capturing 100 events meanwhile, p95', most: MAX_OTHERS_MS }
  ]
  return {
    table: [
      ['ms', ...sizes.map((events) => `${events.toLocaleString('en')} events`), 'at most'],
      ...rows.map(({ name, most }, i) => [
        name,
        ...columns.map((column) => rounded(column[i] ?? 0)),
        Number.isFinite(most) ? rounded(most) : ''
      ])
    ],
    notes: [
      `The 40 % event, daily over 90 days, median of ${runs} runs after a warm-up; then the same trends back to back, with`,
      `${1000 / PAUSE_MS} persons read and ${100_000 / CAPTURE_PAUSE_MS} events captured per second.`
    ],
    missed: rows.flatMap(({ name, most }, i) =>
      columns.flatMap((column, n) =>
        (column[i] ?? 0) > most
          ? [`${name}, ${sizes[n]?.toLocaleString('en')} events: ${rounded(column[i] ?? 0)}`]
          : []
      )
    )
  }
}

/** Times in ms of each question, of the longest statement, and of other requests meanwhile. */
async function measure(events: number, runs: number, others: number): Promise<number[]> {
  const persons = Math.ceil(events / EVENTS_OF_PERSON)
  const runtime = await startWorkers()
  try {
    const { projectId, key, token } = await seedProject(runtime, 0, ['insight:read', 'person:read'])
    await storeEvents(runtime, projectId, events, persons, undefined)
    await storePersons(runtime.db, projectId, persons)
    const ask = questionsTo(runtime.service, projectId, key)
    const medians = []
    runtime.lines.length = 0
    for (const question of QUESTIONS) {
      const times = []
      for (let run = -1; run < runs; run += 1) {
        const { ms } = await ask(kindOf(0), question)
        if (run >= 0) {
          times.push(ms)
        }
      }
      medians.push(percentile(times, 0.5))
    }
    const longest = Math.max(...runtime.lines.map(({ longest_ms }) => longest_ms))
    return [
      ...medians,
      longest,
      ...(await measureOthers(runtime, ask, { projectId, key, token, persons, others }))
    ]
  } finally {
    await runtime.end()
  }
}

type Others = { projectId: number; key: string; token: string; persons: number; others: number }

async function measureOthers(
  { service }: Runtime,
  ask: Ask,
  { projectId, key, token, persons, others }: Others
) {
  let isOver = false
  const trends = async () => {
    while (!isOver) {
      for (const question of QUESTIONS) {
        if (!isOver) {
          await ask(kindOf(0), question)
        }
      }
    }
  }
  const every = async (pauseMs: number, send: (n: number) => Promise<{ ms: number }>) => {
    const sent = []
    for (let n = 0; n < (others * PAUSE_MS) / pauseMs; n += 1) {
      sent.push(send(n))
      await sleep(pauseMs)
    }
    return percentile(
      (await Promise.all(sent)).map(({ ms }) => ms),
      0.95
    )
  }
  const asking = trends()
  const headers = { authorization: `Bearer ${key}` }
  const known = Array.from({ length: Math.min(persons, 1_000) }, (_, i) => 1 + i)
  const measured = await Promise.all([
    every(PAUSE_MS, (n) =>
      sendOk(
        new URL(`/api/environments/${projectId}/persons/${1 + ((n * 7_919) % persons)}/`, service),
        { headers }
      )
    ),
    every(CAPTURE_PAUSE_MS, (n) => {
      const { gzip } = busyBatch(token, known, 10 * persons + n * 100)
      const type = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      return sendOk(new URL('/batch/', service), { method: 'POST', headers: type }, gzip)
    })
  ])
  isOver = true
  await asking
  return measured
}

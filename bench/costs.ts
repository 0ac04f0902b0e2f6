import {
  billOf,
  CHARTS_A_DAY,
  COUNTED,
  DAYS,
  EVENTS_OF_REQUEST,
  MONTHS_KEPT,
  PRICES_OF,
  totalOf,
  type UsePerEvent
} from '../console/project/costs.ts'
import { writeHistory } from '../scripts/demo/history.ts'
import type { DemoEvent } from '../scripts/demo/visitor.ts'
import { sendOk } from './support/client.ts'
import { type Outcome, rounded } from './support/report.ts'
import { type Runtime, startWorkers, untilLogged } from './support/runtime.ts'
import { seal } from './support/seal.ts'
import { type Seeded, seedProject } from './support/seed.ts'
import { waitUntil } from './support/waiting.ts'

/** Events per month for which a price is computed. */
const MONTHLY = [100_000, 1_000_000, 10_000_000]

/** Share by which the figures that the console computes with may differ from those counted here. */
const TOLERANCE = 0.1

/** Counts the rows that a small SaaS reads and writes in a month, and computes from them what the service costs. */
export async function benchCosts(isSmoke: boolean): Promise<Outcome> {
  const { events } = writeHistory({
    persons: isSmoke ? 5 : 600,
    days: DAYS,
    seed: 'harbour',
    anchor: new Date(new Date().setUTCHours(0, 0, 0, 0))
  })
  const rows = await measure(events)
  const bills = MONTHLY.map((monthly) => billOf(monthly, rows))
  const [first = []] = bills
  return {
    table: [
      ['US dollars a month', ...MONTHLY.map((monthly) => `${monthly.toLocaleString('en')} events`)],
      ...first.map(({ name }, i) => [
        name,
        ...bills.map((bill) => inDollars(bill[i]?.dollars ?? 0))
      ]),
      ['total', ...bills.map((bill) => inDollars(totalOf(bill)))]
    ],
    notes: [
      `List prices of Cloudflare Workers Paid, ${PRICES_OF}. Counted with ${events.length.toLocaleString('en')} events of the demo in requests of ${EVENTS_OF_REQUEST}:`,
      `${rounded(rows.written)} rows written, ${rounded(rows.read)} rows read and ${rounded(rows.bytes)} bytes stored per event, including its copy in columns; a chart reads ${rounded(1_000 * rows.readOfChart)} rows per 1,000 events`,
      `in its range. Assumed: ${CHARTS_A_DAY} charts of ${DAYS} days are opened each day, and events are kept for ${MONTHS_KEPT} months.`
    ],
    missed: isSmoke ? [] : missedBy(rows)
  }
}

/** Captures the events over HTTP, seals them and requests charts. @returns rows and bytes per event */
async function measure(events: DemoEvent[]): Promise<UsePerEvent> {
  const runtime = await startWorkers()
  try {
    const seeded = await seedProject(runtime, 0, ['insight:read'])
    const before = await bytesOf(runtime)
    await capture(runtime, seeded, events)
    await seal(runtime)
    const sum = (name: 'rows_read' | 'rows_written') =>
      runtime.lines.reduce((total, line) => total + line[name], 0)
    const [written, read] = [sum('rows_written'), sum('rows_read')]
    const bytes = (await bytesOf(runtime)) - before
    runtime.lines.length = 0
    const asked = await askCharts(runtime, seeded, events)
    await untilLogged(runtime)
    return {
      written: written / events.length,
      read: read / events.length,
      readOfChart: sum('rows_read') / asked,
      bytes: bytes / events.length
    }
  } finally {
    await runtime.end()
  }
}

async function capture(runtime: Runtime, { token }: Seeded, events: DemoEvent[]): Promise<void> {
  const url = new URL('/batch/', runtime.service)
  for (let at = 0; at < events.length; at += EVENTS_OF_REQUEST) {
    const batch = events
      .slice(at, at + EVENTS_OF_REQUEST)
      .map(({ distinctId, ...event }) => ({ ...event, distinct_id: distinctId }))
    await sendOk(url, { method: 'POST' }, Buffer.from(JSON.stringify({ api_key: token, batch })))
  }
  await waitUntil(
    'all events are stored',
    async () => (await countOf(runtime, 'events')) >= events.length,
    { everyMs: 200 }
  )
}

/**
 * Requests the daily count and the daily unique users of the three most frequent events.
 * @returns the number of events that the charts count, added up over all charts
 */
async function askCharts(
  { service }: Runtime,
  { projectId, key }: Seeded,
  events: DemoEvent[]
): Promise<number> {
  const byName = [...Map.groupBy(events, ({ event }) => event)]
    .map(([name, own]) => ({ name, count: own.length }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 3)
  const url = new URL(`/api/environments/${projectId}/insights/trend/`, service)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  let counted = 0
  for (const { name, count } of byName) {
    for (const math of ['total', 'dau']) {
      const body = { events: [{ id: name, math }], date_from: `-${DAYS}d` }
      await sendOk(url, { method: 'POST', headers }, Buffer.from(JSON.stringify(body)))
      counted += count
    }
  }
  return counted
}

/** Says which figures of the console are no longer those that were counted. */
const missedBy = (rows: UsePerEvent): string[] =>
  Object.entries(rows).flatMap(([name, value]) => {
    const known = COUNTED[name as keyof UsePerEvent]
    return Math.abs(value / known - 1) > TOLERANCE
      ? `console/project/costs.ts has ${known} for ${name}, but ${rounded(value)} were counted`
      : []
  })

const inDollars = (dollars: number): string => `$${dollars.toFixed(2)}`

async function countOf({ db }: Runtime, table: 'events'): Promise<number> {
  return (await db.prepare(`select count(*) as count from ${table}`).first<number>('count')) ?? 0
}

/** Returns the size of the database in bytes. */
async function bytesOf({ db }: Runtime): Promise<number> {
  return (await db.prepare('select 1').run()).meta.size_after
}

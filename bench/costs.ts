import { writeHistory } from '../scripts/demo/history.ts'
import type { DemoEvent } from '../scripts/demo/visitor.ts'
import { sendOk } from './support/client.ts'
import { type Outcome, rounded } from './support/report.ts'
import { type Runtime, startWorkers, untilLogged } from './support/runtime.ts'
import { seal } from './support/seal.ts'
import { type Seeded, seedProject } from './support/seed.ts'
import { waitUntil } from './support/waiting.ts'

/** Cloudflare's list prices of Workers Paid in US dollars, August 2026: the included amount, and the price per unit. */
const PRICES = {
  base: 5,
  requests: { free: 10e6, each: 0.3 / 1e6 },
  cpuMs: { free: 30e6, each: 0.02 / 1e6 },
  rowsRead: { free: 25e9, each: 0.001 / 1e6 },
  rowsWritten: { free: 50e6, each: 1 / 1e6 },
  storedGb: { free: 5, each: 0.75 },
  queueOperations: { free: 1e6, each: 0.4 / 1e6 }
}

/** Events that an SDK sends in one request. */
const EVENTS_OF_REQUEST = 5
/** Operations per queue message: write, read and delete. Each capture request is assumed to send one message. */
const OPERATIONS_OF_MESSAGE = 3
/** Charts of 30 days that a team opens per day. */
const CHARTS_A_DAY = 50
/** Months for which events are kept. */
const MONTHS_KEPT = 12
/** Assumed CPU time per captured event and per chart, ms. The bench's parts `capture` and `trend` measure less. */
const CPU_MS = { event: 0.5, chart: 500 }
/** Days of the month, and days that a chart covers. */
const DAYS = 30

/** Events per month for which a price is computed. */
const MONTHLY = [100_000, 1_000_000, 10_000_000]

/** Rows and bytes per captured event; `readOfChart`: rows that a chart reads per event that it counts. */
type PerEvent = { written: number; read: number; readOfChart: number; bytes: number }

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
  const total = (bill: Record<string, number>) =>
    Object.values(bill).reduce((sum, dollars) => sum + dollars, 0)
  const names = Object.keys(bills[0] ?? {})
  return {
    table: [
      ['US dollars a month', ...MONTHLY.map((monthly) => `${monthly.toLocaleString('en')} events`)],
      ...names.map((name) => [name, ...bills.map((bill) => inDollars(bill[name] ?? 0))]),
      ['total', ...bills.map((bill) => inDollars(total(bill)))]
    ],
    notes: [
      `List prices of Cloudflare Workers Paid, August 2026. Counted with ${events.length.toLocaleString('en')} events of the demo in requests of ${EVENTS_OF_REQUEST}:`,
      `${rounded(rows.written)} rows written, ${rounded(rows.read)} rows read and ${rounded(rows.bytes)} bytes stored per event, including its copy in columns; a chart reads ${rounded(1_000 * rows.readOfChart)} rows per 1,000 events`,
      `in its range. Assumed: ${CHARTS_A_DAY} charts of ${DAYS} days are opened each day, and events are kept for ${MONTHS_KEPT} months.`
    ],
    missed: []
  }
}

/** Captures the events over HTTP, seals them and requests charts. @returns rows and bytes per event */
async function measure(events: DemoEvent[]): Promise<PerEvent> {
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

/** Returns each item of the monthly bill for this many events per month. */
function billOf(monthly: number, rows: PerEvent): Record<string, number> {
  const requests = monthly / EVENTS_OF_REQUEST
  const charts = CHARTS_A_DAY * DAYS
  // Assumes that each chart counts all events of its 30 days.
  const rowsRead = monthly * rows.read + charts * monthly * rows.readOfChart
  const gb = (monthly * MONTHS_KEPT * rows.bytes) / 1e9
  return {
    'Workers Paid': PRICES.base,
    requests: priceOf(PRICES.requests, requests + charts),
    'CPU time': priceOf(PRICES.cpuMs, monthly * CPU_MS.event + charts * CPU_MS.chart),
    queues: priceOf(PRICES.queueOperations, requests * OPERATIONS_OF_MESSAGE),
    'rows written': priceOf(PRICES.rowsWritten, monthly * rows.written),
    'rows read': priceOf(PRICES.rowsRead, rowsRead),
    storage: priceOf(PRICES.storedGb, gb)
  }
}

const priceOf = ({ free, each }: { free: number; each: number }, used: number): number =>
  Math.max(0, used - free) * each

const inDollars = (dollars: number): string => `$${dollars.toFixed(2)}`

async function countOf({ db }: Runtime, table: 'events'): Promise<number> {
  return (await db.prepare(`select count(*) as count from ${table}`).first<number>('count')) ?? 0
}

/** Returns the size of the database in bytes. */
async function bytesOf({ db }: Runtime): Promise<number> {
  return (await db.prepare('select 1').run()).meta.size_after
}

/*
 * What the service costs on Cloudflare: the list prices, the counted use per event, and the
 * formula. The bench counts the use, and says so when the figures here are no longer right.
 */

/** The included amount, and the price per unit beyond it, US dollars. */
type Price = { free: number; each: number }

/** When the prices were read. */
export const PRICES_OF = 'August 2026'

/** Cloudflare's list prices of Workers Paid in US dollars. */
export const PRICES = {
  base: 5,
  requests: { free: 10e6, each: 0.3 / 1e6 },
  cpuMs: { free: 30e6, each: 0.02 / 1e6 },
  rowsRead: { free: 25e9, each: 0.001 / 1e6 },
  rowsWritten: { free: 50e6, each: 1 / 1e6 },
  storedGb: { free: 5, each: 0.75 },
  queueOperations: { free: 1e6, each: 0.4 / 1e6 }
}

/** Rows and bytes per captured event; `readOfChart`: rows that a chart reads per event that it counts. */
export type UsePerEvent = { written: number; read: number; readOfChart: number; bytes: number }

/** What `npm run bench -- costs` has counted with the events of the demo, columns included. */
export const COUNTED: UsePerEvent = {
  written: 4.1,
  read: 14.8,
  readOfChart: 0.0034,
  bytes: 1_131
}

/** Events that an SDK sends in one request. */
export const EVENTS_OF_REQUEST = 5
/** Operations per queue message: write, read and delete. Each capture request is assumed to send one message. */
const OPERATIONS_OF_MESSAGE = 3
/** Charts of 30 days that a team opens per day. */
export const CHARTS_A_DAY = 50
/** Months for which events are kept. */
export const MONTHS_KEPT = 12
/** Assumed CPU time per captured event and per chart, ms. The bench's parts `capture` and `trend` measure less. */
const CPU_MS = { event: 0.5, chart: 500 }
/** Days of the month, and days that a chart covers. */
export const DAYS = 30

/** An item of the bill: what is used in a month, how much of it is included, and its price. */
export type BillItem = { name: string; used: number; free: number; dollars: number }

/** Estimates the bill of a month with this many events. */
export function billOf(monthly: number, rows: UsePerEvent = COUNTED): BillItem[] {
  const requests = monthly / EVENTS_OF_REQUEST
  const charts = CHARTS_A_DAY * DAYS
  const item = (name: string, { free, each }: Price, used: number): BillItem => ({
    name,
    used,
    free,
    dollars: Math.max(0, used - free) * each
  })
  return [
    { name: 'Workers Paid', used: 1, free: 0, dollars: PRICES.base },
    item('requests', PRICES.requests, requests + charts),
    item('CPU time', PRICES.cpuMs, monthly * CPU_MS.event + charts * CPU_MS.chart),
    item('queues', PRICES.queueOperations, requests * OPERATIONS_OF_MESSAGE),
    item('rows written', PRICES.rowsWritten, monthly * rows.written),
    // Assumes that each chart counts all events of its 30 days.
    item('rows read', PRICES.rowsRead, monthly * rows.read + charts * monthly * rows.readOfChart),
    item('storage', PRICES.storedGb, (monthly * MONTHS_KEPT * rows.bytes) / 1e9)
  ]
}

export const totalOf = (bill: readonly BillItem[]): number =>
  bill.reduce((sum, { dollars }) => sum + dollars, 0)

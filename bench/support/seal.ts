import { drain, type Runtime } from './runtime.ts'

/** The cron that starts sealing, among other things. */
const CRON = '*/15 * * * *'

/** What a run of the cron sealed: the events, the longest statement in ms, the rows written, and the seconds of the whole run. */
export type Sealed = { events: number; longestMs: number; rowsWritten: number; seconds: number }

/**
 * Copies all events that are old enough into columns, as the cron of every 15 minutes does, and waits until this is done. All
 * figures but the seconds come from the log of the queue that seals.
 */
export async function seal(runtime: Runtime): Promise<Sealed> {
  const before = runtime.lines.length
  const started = performance.now()
  await runtime.fire(CRON)
  await drain(runtime)
  const seconds = (performance.now() - started) / 1000
  const batches = runtime.lines
    .slice(before)
    .filter(({ queue }) => queue === 'edge-analytics-columns')
  return {
    events: batches.reduce((sum, { events }) => sum + events, 0),
    longestMs: Math.max(0, ...batches.map(({ longest_ms }) => longest_ms)),
    rowsWritten: batches.reduce((sum, { rows_written }) => sum + rows_written, 0),
    seconds
  }
}

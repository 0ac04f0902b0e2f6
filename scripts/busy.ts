import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from '../src/db/client.ts'

export const BUSY = 'Another process keeps the local databases busy; try again.'

/** How long a command retries while the running service writes to the same files, ms. */
const BUSY_MS = 5000

/**
 * Repeats `run` until it succeeds, up to `busyMs`, as long as its errors are temporary, such as a
 * busy database.
 */
export async function retryWhileBusy<T>(
  run: () => Promise<T>,
  { busyMs = BUSY_MS, isTemporary = isBusy } = {}
): Promise<T> {
  const deadline = performance.now() + busyMs
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isTemporary(error) || performance.now() > deadline) {
        throw error
      }
    }
    await sleep(20 + Math.random() * 80)
  }
}

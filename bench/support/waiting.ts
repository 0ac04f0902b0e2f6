import { setTimeout as sleep } from 'node:timers/promises'

type Pace = {
  /** Pause between two checks, ms. */
  everyMs?: number
  /** Longest wait, ms. The default is five times the longest target of a wait, that of `deliveries`. */
  limitMs?: number
}

/**
 * Checks again and again until `isTrue` returns true.
 * @param goal completes the sentence of the error: "all events are stored"
 * @throws if it is still false after `limitMs`
 */
export async function waitUntil(
  goal: string,
  isTrue: () => boolean | Promise<boolean>,
  { everyMs = 20, limitMs = 600_000 }: Pace = {}
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > end) {
      throw new Error(`Gave up waiting until ${goal}, after ${limitMs / 1000} seconds.`)
    }
    await sleep(everyMs)
  }
}

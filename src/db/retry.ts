import { UnavailableError } from '../errors.ts'
import { pause } from '../turns.ts'
import { findConflict } from './client.ts'

/** Attempts before the caller gets a 503; the pauses between eight take 1.3 s on average. */
const MAX_TRIES = 8

/**
 * Repeats a read, computation and write while other writers change the rows in between, up to
 * `MAX_TRIES` times in all.
 * @throws unavailable after the last conflict; any other error of `attempt` at once
 */
export async function retryConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (!findConflict(error)) {
        throw error
      }
      if (tries === MAX_TRIES) {
        throw new UnavailableError(
          'The record kept changing while it was being updated; try again.',
          error
        )
      }
      await pause(Math.random() * 10 * 2 ** tries)
    }
  }
}

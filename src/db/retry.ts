import { UnavailableError } from '../errors.ts'
import { pause } from '../pause.ts'
import { findConflict } from './client.ts'

const MAX_TRIES = 8

/**
 * Reads, computes and writes again as long as others change in between what was read.
 * @throws unavailable when that goes on and on
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
        throw new UnavailableError('Others are changing the same again and again.', error)
      }
      await pause(Math.random() * 10 * 2 ** tries)
    }
  }
}

const INTERVAL_MS = 100
const MAX_ATTEMPTS = 1_500

/**
 * Repeats `ask` until it returns true. The limit is a number of attempts, because tests set the clock.
 * @throws if it is still false after two and a half minutes
 */
export async function until(ask: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; !(await ask()); attempt += 1) {
    if (attempt === MAX_ATTEMPTS) {
      throw new Error(`Still false after ${attempt} attempts: ${ask}`)
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS))
  }
}

/** Thrown by `within` when it stops waiting for its work. */
export class LateError extends Error {}

/**
 * Returns the result of `work`. @throws the error of `work`, or LateError after `ms` milliseconds
 * without a result
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateError(`The operation took longer than ${ms} ms.`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits `ms` milliseconds. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

/** Number of requests that have begun in this isolate. */
let begun = 0

/** Notes that a request begins. */
export function noteRequest(): void {
  begun += 1
}

/**
 * The turns that a long computation gives to the other requests of its isolate, because all of them
 * run on one thread. Once another request has begun since the computation began, each turn lasts 1
 * ms: time for the answer to a short query of that request.
 */
export class Turns {
  readonly #before = begun

  /** Gives a turn. Requests that arrived since the last turn begin in this one. */
  async give(): Promise<void> {
    await pause(this.#isAwaited() ? 1 : 0)
  }

  /** Gives a turn if another request has begun; one that has just arrived must wait. */
  async giveIfAwaited(): Promise<void> {
    if (this.#isAwaited()) {
      await pause(1)
    }
  }

  /** Whether another request has begun since the computation did, even if it has ended. */
  #isAwaited(): boolean {
    return begun > this.#before
  }
}

import { pause } from './pause.ts'

/** Requests that have begun in this isolate. */
let begun = 0

/** Notes that a request begins. */
export function noteRequest(): void {
  begun += 1
}

/**
 * The turns that a long computation gives to the other requests of its isolate, since all run on one thread. If any have
 * begun since the computation did, a turn lasts 1 ms, so that a short query of theirs is answered within it.
 */
export class Turns {
  readonly #before = begun

  /** Gives a turn. A request that has arrived meanwhile begins in it. */
  async give(): Promise<void> {
    await pause(this.#isAwaited() ? 1 : 0)
  }

  /** Gives a turn if any other request has begun. Costs nothing otherwise, but does not let one begin either. */
  async giveIfAwaited(): Promise<void> {
    if (this.#isAwaited()) {
      await pause(1)
    }
  }

  #isAwaited(): boolean {
    return begun > this.#before
  }
}

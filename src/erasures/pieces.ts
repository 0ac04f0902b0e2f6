import type { Usage } from '../db/client.ts'
import { pause } from '../pause.ts'
import { isSpent } from '../queues/invocation.ts'

/**
 * Target duration of a piece of work with its commit, ms: other queries wait that long. Pieces shrink
 * and grow to meet it.
 */
const PIECE_MS = 10
/** Pause after a piece, as a multiple of the piece's duration, in which other queries can run. */
const REST = 3
/** Rows of the first piece. */
const FIRST_PIECE = 100
/** Fewest and most rows of a piece. */
const SIZES = { min: 10, max: 2_000 }

/** The rows that a piece removed, and the duration of its longest statement, ms. */
export type Piece = { removed: number; ms: number }

/** Does work in pieces, each a short transaction, as far as one invocation's limits allow. */
export class Pieces {
  readonly #usage: Usage
  readonly #clock: () => Date
  #limit = FIRST_PIECE

  constructor({ usage, clock }: { usage: Usage; clock: () => Date }) {
    this.#usage = usage
    this.#clock = clock
  }

  /**
   * Calls `remove` with the size of a piece until a piece removes fewer rows than that.
   * @returns whether everything was removed before the invocation reached its limits
   */
  async run(remove: (limit: number) => Promise<Piece>): Promise<boolean> {
    while (!isSpent(this.#usage)) {
      const limit = this.#limit
      const started = this.#clock().getTime()
      const { removed, ms } = await remove(limit)
      if (removed < limit) {
        return true
      }
      // A Worker's clock may stand still, and `ms` may be 0: 0.1 avoids a division by 0.
      const took = Math.max(ms, this.#clock().getTime() - started, 0.1)
      const next = Math.round(limit * Math.min(2, PIECE_MS / took))
      this.#limit = Math.min(SIZES.max, Math.max(SIZES.min, next))
      await pause(REST * took)
    }
    return false
  }

  /**
   * Repeats a step as long as it returns true, which means that something is left.
   * @returns whether nothing was left before the invocation reached its limits
   */
  async repeat(step: () => Promise<boolean>): Promise<boolean> {
    while (await step()) {
      if (isSpent(this.#usage)) {
        return false
      }
    }
    return true
  }
}

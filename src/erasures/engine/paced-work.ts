import type { Usage } from '../../db/client.ts'
import { type PieceOfWork, restAfter, type Spent } from '../../db/rest.ts'
import { isSpent } from '../../queues/invocation.ts'
import { pause } from '../../turns.ts'

/**
 * Time in the database that a piece should take, ms: other queries wait that long. The farther away
 * the database is, the longer the pieces: each costs a round trip, beside which their callers
 * hardly notice the wait.
 */
const PIECE_MS = { min: 8, max: 24, perMsAway: 1 / 4 }

/** Time for other queries after a piece, as a multiple of its own time in the database. */
const REST = 3

/** The first, the smallest and the largest number of rows of a piece. */
type Sizes = { first: number; min: number; max: number }

/**
 * Sizes for events and versions. Removing 1,000 events takes 12 to 60 ms: so long at most, even if
 * the clock of the database stands still and shows 0 ms.
 */
export const ROWS: Sizes = { first: 100, min: 10, max: 1_000 }

/**
 * Returns the size of the next piece: as many rows as take `PIECE_MS` in the database, but at most
 * twice as many as before.
 */
export function nextSize(
  { rows, databaseMs, elapsedMs }: Spent & { rows: number },
  { min, max }: Sizes
): number {
  const awayMs = elapsedMs - databaseMs
  const pieceMs = Math.min(PIECE_MS.max, Math.max(PIECE_MS.min, awayMs * PIECE_MS.perMsAway))
  const next = Math.round(rows * Math.min(2, pieceMs / databaseMs))
  return Math.min(max, Math.max(min, next))
}

/** Does work in pieces, each a short transaction, as far as one invocation's limits allow. */
export class PacedWork {
  readonly #usage: Usage
  readonly #clock: () => Date

  /** @param usage the cost of the database's statements */
  constructor({ usage, clock }: { usage: Usage; clock: () => Date }) {
    this.#usage = usage
    this.#clock = clock
  }

  /**
   * Calls `work` with the size of a piece, until nothing is left to do.
   * @returns whether everything was done before the invocation reached its limits
   */
  async run(work: PieceOfWork, sizes = ROWS): Promise<boolean> {
    return !isSpent(this.#usage) && (await this.runAnyway(work, sizes))
  }

  /**
   * Like `run`, but does a piece even if the invocation has reached its limits: for the last part
   * of a job, which no invocation would begin if the parts before it always reached them.
   */
  async runAnyway(work: PieceOfWork, sizes: Sizes): Promise<boolean> {
    let limit = sizes.first
    do {
      const started = this.#clock().getTime()
      const { databaseMs: before } = this.#usage
      const { rows, isLast } = await work(limit)
      if (isLast) {
        return true
      }
      // The clock stands still while code computes, but it moves while the code waits for the
      // database.
      const elapsedMs = this.#clock().getTime() - started
      const databaseMs = this.#usage.databaseMs - before
      limit = nextSize({ rows, databaseMs, elapsedMs }, sizes)
      await pause(restAfter({ databaseMs, elapsedMs }, REST))
    } while (!isSpent(this.#usage))
    return false
  }
}

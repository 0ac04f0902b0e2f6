import type { Spent } from '../db/rest.ts'
import { restAfter } from '../db/rest.ts'
import { pause } from '../turns.ts'

/**
 * Maximum number of rows of one read, and of bytes of their properties. A read takes 10 to 20 ms.
 */
export const READ_AT_ONCE = { maxRows: 2_000, maxBytes: 1_000_000 }

/**
 * Leaves the database to others after each statement, for some times as long as the statement took.
 */
export class Pace {
  readonly #times: number
  readonly #clock: (() => Date) | undefined

  /** @param clock with a clock, the time that a statement was on its way counts as rest */
  constructor(times: number, clock?: () => Date) {
    this.#times = times
    this.#clock = clock
  }

  /** Returns the result of a statement that took `ms` in the database, after the rest. */
  async after<Result extends { ms: number }>(run: () => Promise<Result>): Promise<Result> {
    const started = this.#clock?.().getTime()
    const result = await run()
    await pause(restAfter(this.#spent(result.ms, started), this.#times))
    return result
  }

  #spent(databaseMs: number, started: number | undefined): Spent {
    const now = this.#clock?.().getTime()
    const isTimed = started !== undefined && now !== undefined
    return { databaseMs, elapsedMs: isTimed ? now - started : databaseMs }
  }
}

/** Reads rows page by page, from after `first` on, until a page is empty. */
export async function* inPages<Place, Row extends Place>(
  pace: Pace,
  first: Place,
  read: (after: Place) => Promise<{ rows: Row[]; ms: number }>
): AsyncGenerator<Row[]> {
  for (let after: Place | undefined = first; after !== undefined; ) {
    const place: Place = after
    const { rows } = await pace.after(() => read(place))
    yield rows
    after = rows.at(-1)
  }
}

/** What statements cost: their time in the database, and until their answer, ms. */
export type Spent = { databaseMs: number; elapsedMs: number }

/**
 * Returns the pause after statements, ms, so that others get the database for `times` as long as
 * the statements took in it. Others had it already while the statements and the answer were on
 * their way, which counts.
 */
export const restAfter = ({ databaseMs, elapsedMs }: Spent, times: number): number =>
  Math.max(0, times * databaseMs - Math.max(0, elapsedMs - databaseMs))

/** Does at most `limit` rows. @returns the number of rows, and whether nothing is left */
export type PieceOfWork = (limit: number) => Promise<{ rows: number; isLast: boolean }>

/** The coverage of a distinct id by a suppression. Times are ms UTC. */
export type Suppressed = {
  suppressionId: string
  /** Whether `$identify` can no longer fold the suppressed person into another. */
  isIdentified: boolean
  /** Data received at this time or later is dropped. */
  since: number
  /** Data received at this time or later is stored again; null while in force. */
  liftedAt: number | null
}

/** The suppressions of distinct ids, by distinct id. */
export type Suppressions = ReadonlyMap<string, Suppressed[]>

/** A number of events or parts of recordings that a suppression has dropped. */
export type Drops = { suppression: string; count: number; lastAt: number }

/** Finds the suppression that drops data received at `receivedAt`, ms UTC. */
export const suppressionAt = (
  suppressed: readonly Suppressed[],
  receivedAt: number
): Suppressed | undefined =>
  suppressed.find(
    ({ since, liftedAt }) => receivedAt >= since && (liftedAt === null || receivedAt < liftedAt)
  )

/** Counts dropped data by suppression. */
export function countDrops(dropped: readonly { suppression: string; at: number }[]): Drops[] {
  const bySuppression = Map.groupBy(dropped, ({ suppression }) => suppression)
  return [...bySuppression].map(([suppression, own]) => ({
    suppression,
    count: own.length,
    lastAt: Math.max(...own.map(({ at }) => at))
  }))
}

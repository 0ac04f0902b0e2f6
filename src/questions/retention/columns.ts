/** The periods of retention, as requests and labels name them. */
export const RETENTION_PERIODS = ['Hour', 'Day', 'Week', 'Month'] as const
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number]

/** The columns of a retention table. Column 0 is a row's own period. */
export type RetentionColumns = {
  labels: string[]
  /** The column of each distance from a row's period, in periods; 0 is the row's period itself. */
  ofDistance: Uint16Array
  /** The last distance of each column. */
  last: number[]
}

/**
 * Returns the columns of a table.
 * @param lengths the numbers of periods of the columns after column 0: `[1, 3]` are the columns
 * `Day 0`, `Day 1` and `Day 2-4`
 */
export function columnsOf(period: RetentionPeriod, lengths: readonly number[]): RetentionColumns {
  const labels = [`${period} 0`]
  const distances = [0]
  const last = [0]
  for (const [i, length] of lengths.entries()) {
    const first = distances.length
    const end = first + length - 1
    labels.push(`${period} ${first === end ? first : `${first}-${end}`}`)
    distances.push(...Array.from({ length }, () => i + 1))
    last.push(end)
  }
  return { labels, ofDistance: Uint16Array.from(distances), last }
}

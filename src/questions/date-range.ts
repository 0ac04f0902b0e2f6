import { toIso } from '../calendar/clock.ts'
import type { Period } from '../trends/answer.ts'

/** The times, UTC, of the first and the last millisecond that a question is about. */
export type ResolvedRange = { date_from: string; date_to: string }

/** Returns the range of a period; null for a period without buckets. */
export function resolveRange(period: Pick<Period, 'buckets'> | undefined): ResolvedRange | null {
  const [first, last] = [period?.buckets[0], period?.buckets.at(-1)]
  return first && last ? { date_from: toIso(first.from), date_to: toIso(last.until - 1) } : null
}

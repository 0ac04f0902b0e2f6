import { DAY } from '../../calendar/units.ts'
import { type Extent, keepsData } from '../extent.ts'

/** The deployment's setting: the days for which data that a deletion kept can still be deleted. */
export type CompletionSetting = { COMPLETION_DAYS: string }

/** Reads `COMPLETION_DAYS`. @throws unless it is a whole number from 0 to 9999 */
export function readCompletionDays({ COMPLETION_DAYS }: CompletionSetting): number {
  if (!/^(0|[1-9]\d{0,3})$/.test(COMPLETION_DAYS)) {
    throw new Error('COMPLETION_DAYS must be a whole number of days, from 0 to 9999.')
  }
  return Number(COMPLETION_DAYS)
}

/**
 * Returns until when an erasure requested at `now` can be completed, ms UTC; null if it keeps
 * nothing that could be deleted later.
 */
export const linkedUntil = (
  extent: Extent,
  setting: CompletionSetting,
  now: number
): number | null => (keepsData(extent) ? now + readCompletionDays(setting) * DAY : null)

/**
 * Returns until when the data that an erasure kept can be deleted, ms UTC; null if it kept nothing,
 * or the link to the data is removed.
 */
export const completableUntil = ({
  linkedUntil: until,
  ...extent
}: Extent & { linkedUntil: number | null }): number | null => (keepsData(extent) ? until : null)

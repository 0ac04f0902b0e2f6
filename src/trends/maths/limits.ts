import { AppError } from '../../errors.ts'

/** Distinct values of a breakdown in the whole range. */
export const MAX_BREAKDOWN_VALUES = 100_000

/** Different actors, sessions or numbers in memory; with a breakdown, for each value. */
export const MAX_SUBJECTS = 500_000

/** @throws query_too_large, attr `actors` */
export function expectFew(subjects: number, most = MAX_SUBJECTS): void {
  if (subjects > most) {
    throw new AppError(
      'query_too_large',
      `The question needs more than ${most} different actors, sessions or numbers at once. Choose a shorter interval or range, or leave out the breakdown.`,
      'actors'
    )
  }
}

/** Numbers of overlapping windows in memory, for each breakdown value; all take 40 MB. */
export const MAX_WINDOW_NUMBERS = 10_000_000

/**
 * Checks the number of breakdown values for which overlapping windows are counted.
 * @throws query_too_large, attr `breakdown_values`
 */
export function expectFewValues(values: number, windows: number): void {
  const most = Math.min(MAX_BREAKDOWN_VALUES, Math.floor(MAX_WINDOW_NUMBERS / windows))
  if (values > most) {
    throw new AppError(
      'query_too_large',
      `The breakdown has more than ${most} distinct values in this range, and actors or sessions of overlapping windows are counted for at most ${most} values in ${windows} buckets: choose a longer interval, a shorter range or another property.`,
      'breakdown_values'
    )
  }
}

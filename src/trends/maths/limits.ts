import { AppError } from '../../errors.ts'

/** Different actors, sessions or numbers in memory at once; with a breakdown, they count for each value. */
export const MAX_SUBJECTS = 500_000

/** @throws query_too_large, attr `actors` */
export function expectFew(subjects: number): void {
  if (subjects > MAX_SUBJECTS) {
    throw new AppError(
      'query_too_large',
      `The trend needs more than ${MAX_SUBJECTS} different actors, sessions or numbers at once. Choose a shorter interval or range, or leave out the breakdown.`,
      'actors'
    )
  }
}

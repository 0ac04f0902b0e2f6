import { AppError } from '../errors.ts'

/** Rows of an answer whose request names no limit; the number is PostHog's. */
export const DEFAULT_LIMIT = 100

/** Whether an answer is returned as a file, which cannot say that it lacks rows. */
export type ListScope = { isExport?: boolean }

/** How many rows an answer has at most, and whether it must not have more. */
export type RowLimit = { limit: number; isWhole: boolean }

/**
 * Returns the limit of an answer: without an asked one, `DEFAULT_LIMIT` or, in a file, `most` rows,
 * which then have to be all.
 */
export const limitRows = (
  asked: number | null | undefined,
  most: number,
  { isExport = false }: ListScope
): RowLimit => ({
  limit: asked ?? (isExport ? most : DEFAULT_LIMIT),
  isWhole: isExport && (asked ?? null) === null
})

/** @throws query_too_large, attr `limit`, for a file that would lack rows */
export function expectWhole({ limit, isWhole }: RowLimit, hasMore: boolean): void {
  if (isWhole && hasMore) {
    throw new AppError(
      'query_too_large',
      `The file would have more than ${limit} rows: ask for several files with a limit and an offset.`,
      'limit'
    )
  }
}

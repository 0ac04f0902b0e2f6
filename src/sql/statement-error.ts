import { AppError } from '../errors.ts'

/** An error in a statement; `at` is an offset in its text. */
export class StatementError extends Error {
  readonly at: number

  constructor(at: number, detail: string) {
    super(detail)
    this.at = at
  }
}

const OUT_OF_RANGE =
  'A time or a date of this statement is out of range: the years -271821 to 275760 are allowed.'

/**
 * Calls `work`. @throws invalid_input, as `locate` makes it of a StatementError: with the line and the
 * column, such as `1:8: Unable to resolve field: evnt.`
 */
export async function locating<Result>(
  locate: (error: StatementError) => AppError,
  work: () => Promise<Result>
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RangeError && /time value/i.test(error.message)) {
      throw new AppError('invalid_input', OUT_OF_RANGE, 'query')
    }
    throw error instanceof StatementError ? locate(error) : error
  }
}

/** Returns the invalid_input error that names the line and the column of an error. */
export function toAppError(text: string, { at, message }: StatementError): AppError {
  const before = text.slice(0, at).split('\n')
  const column = (before.at(-1) ?? '').length + 1
  return new AppError('invalid_input', `${before.length}:${column}: ${message}`, 'query')
}

import type { ApiError } from '../api.ts'
import type { Asked } from '../explore/answer.ts'
import type { SqlAnswer } from './statement.ts'

/** A statement that is run, and the answer to it or to the previous one. */
export type SqlAsked = Asked<SqlAnswer>

/** Whether the answer that is shown is that to a statement. */
export const answers = ({ shown }: SqlAsked, statement: string): boolean =>
  shown?.query.query === statement

/** Whether the statement is at fault, not the connection or the key. */
export const isOfStatement = (error: ApiError | undefined): error is ApiError =>
  error?.status === 400

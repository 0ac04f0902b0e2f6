import type { Json } from '../input/json.ts'

/** The answer to a question for rows: a cell for each column. */
export type ListAnswer = {
  results: Json[][]
  columns: string[]
  types: string[]
  /** Whether there are more rows after these. */
  hasMore: boolean
  limit: number
  offset: number
}

/** Returns rows as a table whose first row is the header. */
export const tableOfRows = ({
  columns,
  results
}: Pick<ListAnswer, 'columns' | 'results'>): Json[][] => [columns, ...results]

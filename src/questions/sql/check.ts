import { checkSql, type SqlScope } from '../../sql/answer.ts'
import { expectColumns } from './chart.ts'
import type { ShownStatement } from './view.ts'

/** @throws invalid_input for a statement without an answer, or without a column that its view names */
export async function checkShown(
  scope: SqlScope,
  statement: ShownStatement,
  now: Date
): Promise<void> {
  expectColumns(statement.view, await checkSql(scope, statement, now))
}

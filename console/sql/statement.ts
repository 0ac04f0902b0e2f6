import type { QuestionNode } from '../chart/answer.ts'

/** What is asked before someone writes something else: it needs no scope for persons. */
export const FIRST_STATEMENT = `SELECT event, count() AS events, count(DISTINCT person_id) AS visitors
FROM events
WHERE timestamp > now() - INTERVAL 30 DAY
GROUP BY event
ORDER BY events DESC
LIMIT 100`

/** Characters of a statement in an address; mail and chat cut longer links. */
export const MAX_IN_ADDRESS = 4_000

/** Most rows of an answer. */
export const MAX_ROWS = 50_000

/** The answer of `query/` to a statement. */
export type SqlAnswer = {
  results: unknown[][]
  columns: string[]
  types: [name: string, type: string][]
  hasMore: boolean
  limit: number
  offset: number
  warnings: string[]
}

/** Asks a statement. */
export const toQuery = (statement: string): QuestionNode => ({
  kind: 'HogQLQuery',
  query: statement
})

/** A fault of a statement, and its offset if the service names its place. */
export type StatementFault = { words: string; at: number | undefined; place: string }

/** Reads the words of a fault: `1:8: Unable to resolve field: evnt.` */
export function faultIn(statement: string, message: string): StatementFault {
  const [, line, column, words] = /^(\d+):(\d+): (.*)$/s.exec(message) ?? []
  if (line === undefined || words === undefined) {
    return { words: message, at: undefined, place: '' }
  }
  const before = statement.split('\n').slice(0, Number(line) - 1)
  const at = before.reduce((sum, text) => sum + text.length + 1, 0) + Number(column) - 1
  return {
    words,
    at: Math.min(at, statement.length),
    place: `Line ${line}, column ${column}`
  }
}

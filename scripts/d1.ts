import type { Bound } from '../src/db/client.ts'

/** Runs statements in one transaction, in order. */
type RunBatch = (statements: Bound[]) => Promise<D1Result[]>

/**
 * Returns a D1 database that runs every statement by `runBatch`. It has only the methods that
 * sessions and `migrate` use.
 */
export function toD1(runBatch: RunBatch): D1Database {
  const batch = (statements: Bound[]) =>
    runBatch(statements.map(({ sql, params }) => ({ sql, params })))
  const statement = (sql: string, params: unknown[]) => {
    const all = async () => (await batch([{ sql, params }]))[0]
    return { sql, params, all, run: all, bind: (...values: unknown[]) => statement(sql, values) }
  }
  const session = { prepare: (sql: string) => statement(sql, []), batch, getBookmark: () => null }
  return { ...session, withSession: () => session } as unknown as D1Database
}

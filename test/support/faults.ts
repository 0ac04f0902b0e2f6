/** Runs around every call to the database: `call` counts from 1, `statements` is how many it holds. */
type Around = <T>(run: () => Promise<T>, call: number, statements: number) => Promise<T>

/** The real database, with something happening around each of its calls: a fault, or another client's work. */
export function aroundCalls(database: D1Database, around: Around): D1Database {
  let calls = 0
  const guarded = <T>(run: () => Promise<T>, statements = 1): Promise<T> => {
    calls += 1
    return around(run, calls, statements)
  }
  const originals = new WeakMap<object, D1PreparedStatement>()
  const wrapStatement = (statement: D1PreparedStatement) => {
    const wrapped = {
      bind: (...values: unknown[]) => wrapStatement(statement.bind(...values)),
      all: () => guarded(() => statement.all())
    }
    originals.set(wrapped, statement)
    return wrapped
  }
  const unwrap = (wrapped: object): D1PreparedStatement => {
    const statement = originals.get(wrapped)
    if (!statement) {
      throw new Error('a statement of another database')
    }
    return statement
  }
  const withSession = (bookmark?: string) => {
    const session = database.withSession(bookmark)
    return {
      prepare: (sql: string) => wrapStatement(session.prepare(sql)),
      batch: (statements: object[]) =>
        guarded(() => session.batch(statements.map(unwrap)), statements.length),
      getBookmark: () => session.getBookmark()
    }
  }
  // The product reaches a database through `withSession` alone.
  return { withSession } as unknown as D1Database
}

/**
 * Returns a D1 binding whose database is this many ms away: each statement and each batch travels half of the time there, and half
 * of the time back. `onTrip` is called for each of them. The function becomes part of the service's entry as text, so it must not
 * use anything outside itself.
 */
export function atDistance(db: D1Database, ms: number, onTrip: () => void) {
  const travel = () => new Promise((resolve) => setTimeout(resolve, ms / 2))
  const trip = async <T>(work: () => Promise<T>): Promise<T> => {
    onTrip()
    if (ms === 0) {
      return work()
    }
    await travel()
    // Also a failure takes its time to come back.
    try {
      return await work()
    } finally {
      await travel()
    }
  }
  const prepared = (statement: D1PreparedStatement) => ({
    statement,
    bind: (...values: unknown[]) => prepared(statement.bind(...values)),
    all: () => trip(() => statement.all())
  })
  // A class, because the service recognizes its databases by the prototype.
  class DistantDatabase {
    withSession(bookmark?: string) {
      const session = db.withSession(bookmark)
      return {
        prepare: (sql: string) => prepared(session.prepare(sql)),
        batch: (all: { statement: D1PreparedStatement }[]) =>
          trip(() => session.batch(all.map(({ statement }) => statement))),
        getBookmark: () => session.getBookmark()
      }
    }
  }
  return new DistantDatabase()
}

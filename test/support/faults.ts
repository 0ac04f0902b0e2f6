import type { Bound } from '../../src/db/client.ts'

/** Runs around every call to the database. `call` counts from 1. */
type Around = <T>(run: () => Promise<T>, call: number, statements: Bound[]) => Promise<T>

/** Returns the real database with a hook around each call, which can fail or do another client's work. */
export function aroundCalls(database: D1Database, around: Around): D1Database {
  let calls = 0
  const guarded = <T>(run: () => Promise<T>, statements: Bound[]): Promise<T> => {
    calls += 1
    return around(run, calls, statements)
  }
  const originals = new WeakMap<object, { statement: D1PreparedStatement; bound: Bound }>()
  const wrapStatement = (statement: D1PreparedStatement, bound: Bound) => {
    const wrapped = {
      bind: (...params: unknown[]) =>
        wrapStatement(statement.bind(...params), { ...bound, params }),
      all: () => guarded(() => statement.all(), [bound])
    }
    originals.set(wrapped, { statement, bound })
    return wrapped
  }
  const unwrap = (wrapped: object) => {
    const original = originals.get(wrapped)
    if (!original) {
      throw new Error('The statement belongs to another database.')
    }
    return original
  }
  const withSession = (bookmark?: string) => {
    const session = database.withSession(bookmark)
    return {
      prepare: (sql: string) => wrapStatement(session.prepare(sql), { sql, params: [] }),
      batch(wrapped: object[]) {
        const batch = wrapped.map(unwrap)
        return guarded(
          () => session.batch(batch.map(({ statement }) => statement)),
          batch.map(({ bound }) => bound)
        )
      },
      getBookmark: () => session.getBookmark()
    }
  }
  // The product uses databases only through `withSession`, and finds them by their prototype.
  return Object.assign(Object.create(Object.getPrototypeOf(database)), { withSession })
}

/**
 * Returns the real database, but does some work just before its nth call, such as another client's change. The call itself
 * and all others run as usual.
 */
export function beforeCall(database: D1Database, call: number, work: () => Promise<unknown>) {
  let isReached = false
  const DB = aroundCalls(database, async (run, at) => {
    if (at === call) {
      isReached = true
      await work()
    }
    return run()
  })
  return { DB, isReached: () => isReached }
}

/**
 * Returns the real database for an invocation that is cut off at its nth call: this call and all later ones fail. With
 * `after` the nth call takes effect although it fails; with `before` it does not.
 */
export function cutAt(database: D1Database, call: number, side: 'before' | 'after') {
  let isReached = false
  const DB = aroundCalls(database, async (run, at) => {
    if (isReached) {
      throw new Error('D1_ERROR: Network connection lost.')
    }
    if (at !== call) {
      return run()
    }
    if (side === 'after') {
      await run()
    }
    isReached = true
    throw new Error('D1_ERROR: Network connection lost.')
  })
  return { DB, isReached: () => isReached }
}

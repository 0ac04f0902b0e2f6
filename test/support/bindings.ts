import { env } from 'cloudflare:workers'

type Members<T> = { [K in keyof T]?: (...args: never[]) => unknown }

/** Returns the real binding with some members replaced. */
export function override<T extends object>(real: T, members: Members<T>): T {
  return new Proxy(real, {
    get(target, name) {
      if (Object.hasOwn(members, name)) {
        return Reflect.get(members, name)
      }
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    }
  })
}

const fail = (message: string) => () => Promise.reject(new Error(message))

/** Returns a database whose sessions fail every query with `message`, an error text of D1. */
export function failingDatabase(message: string): D1Database {
  const session = env.DB.withSession()
  const queries = {
    all: fail(message),
    run: fail(message),
    first: fail(message),
    raw: fail(message)
  }
  const statement: D1PreparedStatement = override(session.prepare('select 1'), {
    ...queries,
    bind: () => statement
  })
  const failing = override(session, {
    prepare: () => statement,
    batch: fail(message),
    getBookmark: () => null
  })
  return override(env.DB, { withSession: () => failing })
}

/** Returns a capture queue to which sending fails, and whose metrics cannot be read. */
export const failingQueue = (message = 'Queue is overloaded. Please back off.'): Queue =>
  override<Queue>(env.CAPTURE_QUEUE, {
    send: fail(message),
    sendBatch: fail(message),
    metrics: fail(message)
  })

/** Returns the bucket, except that every put from the nth on fails. */
export function failingBucket(n = 1): R2Bucket {
  let puts = 0
  const put = (key: string, value: string) => {
    puts += 1
    return puts < n
      ? env.BUCKET.put(key, value)
      : Promise.reject(new Error('put: We encountered an internal error. (10001)'))
  }
  return override(env.BUCKET, { put })
}

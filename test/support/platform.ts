import type { Bound } from '../../src/db/client.ts'
import { byteLength } from '../../src/input/json.ts'
import { override } from './bindings.ts'
import { aroundCalls } from './faults.ts'
import { readTime, running, StillClock } from './still-clock.ts'

/*
 * Limits that Cloudflare puts on an invocation of the Worker, and that the local runtime does not enforce: an invocation is a
 * request, a batch of a queue or a run of a cron. Calls that a test itself makes to a binding are not limited.
 */

/** Limits of Workers Paid, D1 and R2. */
export const PLATFORM = {
  /** D1 queries of an invocation; each statement of a batch is counted, because it is not documented whether it is. */
  queries: 1_000,
  /** Calls to other services: each call to a binding, and each `fetch`. */
  subrequests: 10_000,
  /** Length of a statement, bytes. */
  statementBytes: 100_000,
  /** Bound values of a statement. */
  parameters: 100,
  /** A text or a blob, bound or returned, bytes. Local D1 takes a tenth more. */
  valueBytes: 2_000_000,
  /**
   * The results of one call to D1, bytes. D1 documents no limit: this one is that of a value in a call between Workers, a
   * quarter of an isolate's memory.
   */
  resultBytes: 32 * 1024 * 1024,
  /** Calls whose answer has not begun to arrive. Further calls wait. */
  connections: 6,
  /** Time between two writes of an object in R2, ms. */
  writeInterval: 1_000
}

/** Excesses that no test has taken yet. A test that leaves one fails, although the product may catch the error. */
const excesses: string[] = []

/** Returns the limits that invocations have exceeded since the last call. */
export const takeExcesses = (): string[] => excesses.splice(0)

/** Returns the error of a call that exceeds a limit, and notes it for `takeExcesses`. */
function exceed(message: string): Error {
  excesses.push(message)
  return new Error(message)
}

/** Runs a handler as one invocation, with bindings that keep to the limits. */
export function invoke<E extends object, T>(env: E, handle: (env: E) => T): T {
  const calls = new Calls()
  const entries = Object.entries(env).map(([name, binding]) => [name, limit(name, binding, calls)])
  const answer = running.run(calls, () => handle(Object.fromEntries(entries)))
  const end = () => calls.end()
  void Promise.resolve(answer).then(end, end)
  return answer
}

/** Number of invocations that have begun or ended. */
let turns = 0

/** The calls of one invocation to other services. */
class Calls {
  readonly #begun = ++turns
  #ended = Number.POSITIVE_INFINITY
  #subrequests = 0
  #queries = 0
  #open = 0
  /** Starts each call that waits for a connection. */
  readonly #waiting: (() => void)[] = []
  /** The objects that were got from the bucket. */
  readonly #objects: R2ObjectBody[] = []
  readonly clock = new StillClock()

  end(): void {
    turns += 1
    this.#ended = turns
    for (const object of this.#objects) {
      if (!object.bodyUsed && !object.body.locked) {
        exceed(`The body of ${object.key} is neither read nor cancelled.`)
      }
    }
  }

  /** Whether another invocation was still running when this one began. */
  overlaps(other: Calls): boolean {
    return other.#ended > this.#begun
  }

  async make<T>(run: () => Promise<T>): Promise<T> {
    this.#subrequests += 1
    if (this.#subrequests > PLATFORM.subrequests) {
      throw exceed(`Too many subrequests: more than ${PLATFORM.subrequests} in one invocation.`)
    }
    await this.#connect()
    try {
      return await run()
    } finally {
      this.clock.sync()
      this.#disconnect()
    }
  }

  async #connect(): Promise<void> {
    if (this.#open < PLATFORM.connections) {
      this.#open += 1
      return
    }
    // The call that starts this one leaves its connection open for it.
    await new Promise<void>((start) => this.#waiting.push(start))
  }

  #disconnect(): void {
    const start = this.#waiting.shift()
    if (start) {
      start()
    } else {
      this.#open -= 1
    }
  }

  /** Gets an object from the bucket. Its body has to be read. */
  async get(run: () => Promise<R2ObjectBody | null>): Promise<R2ObjectBody | null> {
    const object = await this.make(run)
    if (object) {
      this.#objects.push(object)
    }
    return object
  }

  /** Makes one call to D1. */
  async query<T>(run: () => Promise<T>, statements: Bound[]): Promise<T> {
    this.#queries += statements.length
    if (this.#queries > PLATFORM.queries) {
      throw exceed(
        `D1_ERROR: more than ${PLATFORM.queries} queries in one invocation; the last is ${statements.at(-1)?.sql}`
      )
    }
    for (const statement of statements) {
      checkStatement(statement)
    }
    const answer = await this.make(run)
    checkResults(answer, statements)
    return answer
  }
}

const send = fetch
globalThis.fetch = (...args) => {
  const calls = running.getStore()
  return calls instanceof Calls ? calls.make(() => send(...args)) : send(...args)
}

/** Returns a binding whose calls belong to an invocation. Bindings are told apart by their names in wrangler.toml. */
function limit(name: string, binding: unknown, calls: Calls): unknown {
  if (typeof binding !== 'object' || binding === null) {
    return binding
  }
  if (/^DB(_|$)/.test(name)) {
    return aroundCalls(binding as D1Database, (run, _, statements) => calls.query(run, statements))
  }
  if (name === 'BUCKET') {
    return limitBucket(binding as R2Bucket, calls)
  }
  const methods = METHODS.find(([pattern]) => pattern.test(name))?.[1]
  return methods ? limitMethods(binding, methods, calls) : binding
}

/** The methods that call another service, by the names of the bindings that have them. */
const METHODS: [RegExp, string[]][] = [
  [/_QUEUE$/, ['send', 'sendBatch', 'metrics']],
  [/_RATE$/, ['limit']],
  [/^EMAIL$/, ['send']],
  [/^AI$/, ['run']]
]

/** When an object was last written: by the clock, which tests may set, and by a timer, ms. */
type Write = { clock: number; timer: number; calls: Calls }
const writes = new Map<string, Write>()

/** Limits a bucket to one write per second of each object. */
function limitBucket(bucket: R2Bucket, calls: Calls): R2Bucket {
  const write = <T>(method: 'put' | 'delete', keys: string[], run: () => Promise<T>) =>
    calls.make(() => {
      const now = { clock: Date.now(), timer: readTime().elapsed, calls }
      if (keys.some((key) => isTooSoon(writes.get(key), now))) {
        throw new Error(
          `${method}: Reduce your concurrent request rate for the same object. (10058)`
        )
      }
      for (const key of keys) {
        writes.set(key, now)
      }
      return run()
    })
  const put = (key: string, value: string, options?: R2PutOptions) =>
    write('put', [key], () => bucket.put(key, value, options))
  return override(bucket, {
    head: (key: string) => calls.make(() => bucket.head(key)),
    get: (key: string) => calls.get(() => bucket.get(key)),
    list: (options?: R2ListOptions) => calls.make(() => bucket.list(options)),
    put,
    delete: (keys: string | string[]) => write('delete', [keys].flat(), () => bucket.delete(keys))
  })
}

/**
 * Whether less than a second has passed since an object was written by the same invocation, or by one at the same time. Other
 * invocations follow each other more quickly in tests than on the platform.
 */
function isTooSoon(last: Write | undefined, now: Write): boolean {
  return (
    last !== undefined &&
    now.calls.overlaps(last.calls) &&
    now.timer - last.timer < PLATFORM.writeInterval &&
    Math.abs(now.clock - last.clock) < PLATFORM.writeInterval
  )
}

function limitMethods(binding: object, names: string[], calls: Calls): object {
  const methods = names.flatMap((name) => {
    const method: unknown = Reflect.get(binding, name)
    return typeof method === 'function'
      ? [
          [
            name,
            (...args: unknown[]) => calls.make(async () => Reflect.apply(method, binding, args))
          ]
        ]
      : []
  })
  return override(binding, Object.fromEntries(methods))
}

/** What SQLite says about a text or a blob that is too long; the product may then read less at once. */
const TOO_BIG = 'D1_ERROR: string or blob too big: SQLITE_TOOBIG'

function checkStatement({ sql, params }: Bound): void {
  if (isLonger(sql, PLATFORM.statementBytes)) {
    throw exceed(
      `D1_ERROR: a statement is longer than ${PLATFORM.statementBytes} bytes: ${sql.slice(0, 1_000)}`
    )
  }
  if (params.length > PLATFORM.parameters) {
    throw exceed(`D1_ERROR: a statement binds ${params.length} values: ${sql}`)
  }
  if (params.some((value) => bytesOf(value) > PLATFORM.valueBytes)) {
    throw new Error(TOO_BIG)
  }
}

function checkResults(answer: unknown, statements: Bound[]): void {
  const results = (Array.isArray(answer) ? answer : [answer]) as D1Result<object>[]
  const lengths = results.flatMap(({ results: rows }) =>
    rows.flatMap((row) => Object.values(row).map(bytesOf))
  )
  if (lengths.some((length) => length > PLATFORM.valueBytes)) {
    throw new Error(TOO_BIG)
  }
  const bytes = lengths.reduce((sum, length) => sum + length, 0)
  if (bytes > PLATFORM.resultBytes) {
    throw exceed(
      `D1_ERROR: the results of a call have ${bytes} bytes: ${statements.map(({ sql }) => sql).join('; ')}`
    )
  }
}

/** Returns the bytes of a value in a statement or a row; 8 for a number or a null. Texts are measured only if they are long. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') {
    return value.length > PLATFORM.valueBytes / 3 ? byteLength(value) : value.length
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    return value.byteLength
  }
  return Array.isArray(value) ? value.length : 8
}

const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes / 3 && byteLength(text) > bytes

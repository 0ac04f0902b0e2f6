import type * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { type Db, openDb, type Usage } from '../db/client.ts'
import { forgetInDeadLetters } from '../dead-letters/forget.ts'
import { describeError, UnavailableError } from '../errors.ts'
import { log } from '../log.ts'
import { pause } from '../pause.ts'
import { findProjects, type ProjectRow } from '../projects/store.ts'
import { MAX_DELAY, retryDelay } from '../queues/attempt.ts'
import { findOldestWaiting, NOTHING_WAITS } from '../queues/waiting.ts'
import { purgeRecording } from '../recordings/purge.ts'
import { rebuildSessions } from '../sessions/upkeep/rebuild.ts'
import { ErasureMessage } from './message.ts'
import {
  complete,
  countEvents,
  countRemains,
  findUnpurgedOf,
  listKeys,
  markCleared,
  markFailed,
  noteFailure,
  noteFound,
  noteWaiting,
  type Piece,
  purgeEvents,
  purgeVersions
} from './purge.store.ts'
import { writeReceipt } from './receipt.ts'
import { type ErasureRow, findOpenErasures, finishRuns } from './store.ts'

/** D1 allows 1,000 queries an invocation. */
const MAX_QUERIES = 800

/**
 * A piece holds up all others: it is to take so long, with its commit, and is made smaller or larger accordingly. Then the
 * database is left to them for so many times as long.
 */
const PIECE_MS = 10
const REST = 3
const FIRST_PIECE = 100
const PIECES = { min: 10, max: 2_000 }

const COUNTED_AT_ONCE = 10_000
const KEYS_AT_ONCE = 100
const RECORDINGS_AT_ONCE = 20

/** A task that fails so often waits for the next run; what is no matter of a run, for the next sweep. */
const MAX_ATTEMPTS = 8

/**
 * An erasure looks so often whether what was accepted before it is processed, after 5, 10, 20… seconds, ten minutes in
 * all; then it waits for the next sweep.
 */
const MAX_WAITS = 7
const FIRST_WAIT = 5

export type ErasureBindings = {
  control: D1Database
  /** The database that a project's row names. */
  database: (name: string) => D1Database
  bucket: R2Bucket
  queue: { send(body: ErasureMessage, options?: { delaySeconds: number }): Promise<unknown> }
  clock: () => Date
}

/**
 * Goes on with erasures, each message as far as one invocation may: what is left goes into a new message. Messages may
 * come twice, at once and in any order, and the work may be cut anywhere.
 * @returns what became of them
 */
export async function consumeErasures(
  batch: MessageBatch<unknown>,
  bindings: ErasureBindings,
  usage: Usage
) {
  const summary = { messages: batch.messages.length, completed: 0, retried: 0 }
  for (const message of batch.messages) {
    try {
      const parsed = ErasureMessage.safeParse(message.body)
      if (parsed.success) {
        summary.completed += await continueErasures(parsed.data, bindings, usage)
      } else {
        log('error', 'not an erasure message', {
          id: message.id,
          issues: describeIssues(parsed.error)
        })
      }
      message.ack()
    } catch (error) {
      log('warn', 'erasure message retried', { id: message.id, error: describeError(error) })
      message.retry({ delaySeconds: retryDelay(message.attempts) })
      summary.retried += 1
    }
  }
  return summary
}

const describeIssues = (error: z.ZodError): string =>
  error.issues.map(({ path }) => path.join('.')).join()

/**
 * Goes on with the erasures of a message as far as one invocation may, and sends on what is left.
 * @returns how many it completed. @throws unavailable when the database cannot take the work now
 */
export async function continueErasures(
  message: ErasureMessage,
  bindings: ErasureBindings,
  usage: Usage
): Promise<number> {
  const { control, database, bucket, queue, clock } = bindings
  const [project] = await findProjects(openDb(control, usage).db, [message.project_id])
  if (!project) {
    throw new Error(`There is no project ${message.project_id}.`)
  }
  const { db } = openDb(database(project.database), usage)
  const eraser = new Eraser(db, bucket, project, usage, clock)
  const open = await findOpenErasures(db, project.id, message.erasures)

  // Looked at before the dead letters: a message that is parked after this look was found by it.
  const oldest = open.some(mayComplete)
    ? await findOldestWaiting(bucket, project.id)
    : Number.POSITIVE_INFINITY
  const isEarly = (erasure: ErasureRow) => mayComplete(erasure) && erasure.requestedAt >= oldest
  const early = open.filter(isEarly)
  const ready = open.filter((erasure) => !isEarly(erasure))
  if (early.length > 0) {
    await noteWaiting(db, early, describeWait(oldest), clock().getTime())
    await sendLater(queue, project.id, early, message.waited)
    await removeEarly(eraser, db, early, clock)
  }

  if (
    message.letter !== null &&
    ready.some(({ run, deleteRecordings }) => run !== null || deleteRecordings)
  ) {
    const letter = await forgetInDeadLetters(bindings, db, project, message.letter, usage)
    if (letter !== null) {
      await queue.send({ ...messageFor(project.id, ready), letter })
      return 0
    }
  }
  const failures: Failure[] = []
  let completed = 0
  for (const [i, erasure] of ready.entries()) {
    try {
      const state = await eraser.advance(erasure)
      if (state === 'cut') {
        await queue.send(messageFor(project.id, ready.slice(i)))
        break
      }
      if (state === 'completed') {
        completed += 1
      }
    } catch (error) {
      failures.push(await recordFailure(db, erasure, error, clock))
    }
  }
  const retried = failures.filter(({ tries }) => tries < MAX_ATTEMPTS).map(({ erasure }) => erasure)
  if (retried.length > 0) {
    const attempts = Math.max(...failures.map(({ tries }) => tries))
    await queue.send(messageFor(project.id, retried), {
      delaySeconds: Math.min(MAX_DELAY, 10 * 2 ** attempts)
    })
  }
  await finishRuns(db, clock().getTime())
  return completed
}

const messageFor = (projectId: number, rows: ErasureRow[]): ErasureMessage => ({
  project_id: projectId,
  erasures: rows.map(({ id }) => id),
  letter: null,
  waited: 0
})

/** Whether an erasure that gets a receipt may be completed now; one of events has to be in a run. */
const mayComplete = ({ run, deleteEvents, deleteRecordings }: ErasureRow): boolean =>
  deleteEvents ? run !== null : deleteRecordings

const describeWait = (oldest: number): string =>
  `Events or recordings accepted before the deletion, the oldest at ${toIso(oldest)}, are not processed yet; it is completed after them.`

/** Has erasures looked at again from the beginning; after the last time the sweep takes them up. */
async function sendLater(
  queue: ErasureBindings['queue'],
  projectId: number,
  rows: ErasureRow[],
  waited: number
): Promise<void> {
  if (waited < MAX_WAITS) {
    await queue.send(
      { ...messageFor(projectId, rows), letter: '', waited: waited + 1 },
      { delaySeconds: FIRST_WAIT * 2 ** waited }
    )
  }
}

/** Removes what is there of erasures that cannot be completed yet, as far as the invocation may. */
async function removeEarly(
  eraser: Eraser,
  db: Db,
  rows: ErasureRow[],
  clock: () => Date
): Promise<void> {
  for (const erasure of rows) {
    try {
      if ((await eraser.remove(erasure)) === 'cut') {
        return
      }
    } catch (error) {
      await recordFailure(db, erasure, error, clock)
    }
  }
}

/** An erasure that failed, and how often it has failed so far. */
type Failure = { erasure: ErasureRow; tries: number }

/**
 * Notes why an erasure failed; after the last attempt it waits for the next run.
 * @throws unavailable when the database cannot take the work now
 */
async function recordFailure(
  db: Db,
  erasure: ErasureRow,
  error: unknown,
  clock: () => Date
): Promise<Failure> {
  if (error instanceof UnavailableError) {
    throw error
  }
  const tries = await noteFailure(db, erasure, describeError(error), clock().getTime())
  log('error', 'erasure failed', {
    project: erasure.projectId,
    erasure: erasure.id,
    tries,
    error: describeError(error)
  })
  if (tries >= MAX_ATTEMPTS && erasure.run !== null) {
    await markFailed(db, erasure)
  }
  return { erasure, tries }
}

/** What an invocation got to: `waiting` for its Sunday, or `cut` because it may do no more. */
type State = 'waiting' | 'cut' | 'removed'

class Eraser {
  readonly #db: Db
  readonly #bucket: R2Bucket
  readonly #project: ProjectRow
  readonly #usage: Usage
  readonly #clock: () => Date
  #limit = FIRST_PIECE

  constructor(db: Db, bucket: R2Bucket, project: ProjectRow, usage: Usage, clock: () => Date) {
    this.#db = db
    this.#bucket = bucket
    this.#project = project
    this.#usage = usage
    this.#clock = clock
  }

  /** Removes what is there of an erasure, and completes it when a search of every store finds nothing. */
  async advance(erasure: ErasureRow): Promise<'waiting' | 'cut' | 'completed'> {
    const state = await this.remove(erasure)
    if (state !== 'removed') {
      return state
    }
    return (await this.#verify(erasure)) ? 'completed' : 'cut'
  }

  async remove(erasure: ErasureRow): Promise<State> {
    if (erasure.clearedAt === null) {
      const isDone = await this.#inPieces((limit) =>
        purgeVersions(this.#db, erasure, limit, this.#now())
      )
      if (!isDone) {
        return 'cut'
      }
      if (!(await this.#removeRecordings(erasure))) {
        return 'cut'
      }
      await markCleared(this.#db, erasure, this.#now())
    }
    if (erasure.deleteEvents) {
      if (erasure.run === null) {
        return 'waiting'
      }
      if (!(await this.#purgeEvents(erasure)) || !(await this.#rebuildSessions())) {
        return 'cut'
      }
    }
    return 'removed'
  }

  /** @returns whether none is left */
  async #removeRecordings(erasure: ErasureRow): Promise<boolean> {
    while (!this.#isSpent()) {
      const doomed = await findUnpurgedOf(this.#db, erasure, RECORDINGS_AT_ONCE)
      for (const recording of doomed) {
        await purgeRecording(this.#db, this.#bucket, recording, this.#now())
      }
      if (doomed.length < RECORDINGS_AT_ONCE) {
        return true
      }
    }
    return false
  }

  /** @returns whether none is left */
  async #purgeEvents(erasure: ErasureRow): Promise<boolean> {
    if (erasure.found === null) {
      let found = 0
      for await (const keys of this.#keysOf(erasure)) {
        found += await countEvents(this.#db, erasure, keys, COUNTED_AT_ONCE)
      }
      await noteFound(this.#db, erasure, found, this.#now())
    }
    for await (const keys of this.#keysOf(erasure)) {
      if (
        !(await this.#inPieces((limit) => purgeEvents(this.#db, erasure, keys, limit, this.#now())))
      ) {
        return false
      }
    }
    return true
  }

  /** @returns whether every session is again what its events say */
  async #rebuildSessions(): Promise<boolean> {
    while (await rebuildSessions(this.#db, this.#project.id)) {
      if (this.#isSpent()) {
        return false
      }
    }
    return true
  }

  async *#keysOf(erasure: ErasureRow): AsyncGenerator<number[]> {
    for (let after = 0; ; ) {
      const keys = await listKeys(this.#db, erasure, after, KEYS_AT_ONCE)
      if (keys.length === 0) {
        return
      }
      yield keys
      after = keys.at(-1) ?? after
    }
  }

  /** @returns whether nothing was left, before the invocation had to end */
  async #inPieces(remove: (limit: number) => Promise<Piece>): Promise<boolean> {
    while (!this.#isSpent()) {
      const limit = this.#limit
      const started = this.#now()
      const { removed, ms } = await remove(limit)
      if (removed < limit) {
        return true
      }
      const took = Math.max(ms, this.#now() - started, 0.1)
      const next = Math.round(limit * Math.min(2, PIECE_MS / took))
      this.#limit = Math.min(PIECES.max, Math.max(PIECES.min, next))
      await pause(REST * took)
    }
    return false
  }

  #isSpent(): boolean {
    return this.#usage.queries >= MAX_QUERIES
  }

  #now(): number {
    return this.#clock().getTime()
  }

  /** Looks through every store once more; only when all are empty is the erasure completed. */
  async #verify(erasure: ErasureRow): Promise<boolean> {
    const [current] = await findOpenErasures(this.#db, this.#project.id, [erasure.id])
    if (!current) {
      return true
    }
    // That nothing waits in the bucket was looked at when the invocation began.
    const remaining = {
      ...(mayComplete(current) && NOTHING_WAITS),
      ...(await countRemains(this.#db, current))
    }
    const left = Object.entries(remaining).filter(([, count]) => count > 0)
    const isOnGoing = left.every(([store]) => store === 'events' || store === 'sessions')
    if (left.length > 0 && isOnGoing) {
      return false
    }
    if (left.length > 0) {
      throw new Error(
        `Verification found: ${left.map(([store, count]) => `${count} ${store}`).join()}`
      )
    }
    const now = this.#now()
    const receipt = writeReceipt({
      id: current.id,
      project_id: current.projectId,
      person_uuid: current.personUuid,
      requestedAt: current.requestedAt,
      requested_by: current.requestedBy,
      delete_events: current.deleteEvents,
      run: current.run,
      verifiedAt: now,
      delete_recordings: current.deleteRecordings,
      removed: current.deleteEvents
        ? { dead_letters: 0, ...current.stores, events: current.removed }
        : current.stores,
      remaining,
      late_events_dropped: current.dropped
    })
    return complete(this.#db, current, receipt, now)
  }
}

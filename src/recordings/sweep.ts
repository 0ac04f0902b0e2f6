import * as z from 'zod'
import { deleteObjects, putObject } from '../bucket.ts'
import { DAY } from '../calendar/units.ts'
import type { Db } from '../db/client.ts'
import { readProgress } from '../queues/waiting-objects.ts'
import { prefixOf, RECORDINGS_PREFIX } from './part.ts'
import { listRecorded } from './purge.store.ts'
import type { DaysKept } from './retention.ts'

/**
 * Days after which no queue holds an object's message any more: Cloudflare Queues keeps a message
 * for at most 14 days.
 */
export const QUEUED_DAYS = 15

/**
 * Limits of one invocation. `pages` are pages of R2's list: each has at most 1,000 sessions and
 * takes one query. `orphans` are sessions without a row: each takes one or two requests to R2 for
 * every 1,000 objects.
 */
export const SWEEP_LIMITS = { pages: 50, orphans: 1_000 }

/** Where a sweep continues: the project, and the last session's path in R2, or `''`. */
const Position = z.object({ project: z.int(), after: z.string() })
type Position = z.infer<typeof Position>

type Sweep = {
  /** The database whose projects are swept. Each database has its own position. */
  database: string
  /** The database's projects, even without recordings: a restore may have removed them. */
  projects: readonly number[]
  daysKept: DaysKept
  /** Ms UTC. */
  now: number
  /** Whether to begin a sweep if none is in progress. */
  begins: boolean
}

/**
 * Deletes orphaned snapshots: objects of sessions without a row that are older than the project's
 * retention, and too old for a queued message to name them. A restore of the database leaves them
 * behind. The next invocation continues where the limits stop this one.
 * @returns the number of deleted objects, and whether the sweep is done; undefined if no sweep is
 * in progress
 */
export async function sweepOrphans(
  db: Db,
  bucket: R2Bucket,
  { database, projects, daysKept, now, begins }: Sweep,
  limits = SWEEP_LIMITS
): Promise<{ removed: number; isDone: boolean } | undefined> {
  const name = `sweeps/recordings/${database}.json`
  const from = await readPosition(bucket, name, begins)
  if (!from) {
    return undefined
  }
  const staleBefore = (projectId: number) => now - Math.max(QUEUED_DAYS, daysKept(projectId)) * DAY
  const invocation = { db, bucket, staleBefore, left: { ...limits } }
  const { removed, next } = await sweepFrom(invocation, projects, from)
  await (next ? putObject(bucket, name, JSON.stringify(next)) : deleteObjects(bucket, [name]))
  return { removed, isDone: !next }
}

/** Returns where a sweep continues; undefined if no sweep is in progress and none begins. */
async function readPosition(
  bucket: R2Bucket,
  name: string,
  begins: boolean
): Promise<Position | undefined> {
  const stored = await readProgress(bucket, name, Position)
  return stored ?? (begins ? { project: 0, after: '' } : undefined)
}

async function sweepFrom(
  invocation: Invocation,
  projects: readonly number[],
  from: Position
): Promise<{ removed: number; next?: Position }> {
  let removed = 0
  const left = projects.filter((project) => project >= from.project).toSorted((a, b) => a - b)
  for (const project of left) {
    const after = project === from.project ? from.after : ''
    const swept = await sweepProject(invocation, { project, after })
    removed += swept.removed
    if (!swept.isDone) {
      return { removed, next: { project, after: swept.after } }
    }
  }
  return { removed }
}

/** The context of one invocation; `left` counts down from the limits. */
type Invocation = {
  db: Db
  bucket: R2Bucket
  /**
   * Objects of the project that were stored before this time, ms UTC, are stale if their session
   * has no row.
   */
  staleBefore(projectId: number): number
  left: typeof SWEEP_LIMITS
}

/**
 * The number of removed objects, and the last path swept; `isDone` is false if a limit stopped the
 * sweep.
 */
type Swept = { removed: number; after: string; isDone: boolean }

async function sweepProject(invocation: Invocation, from: Position): Promise<Swept> {
  const { bucket, left } = invocation
  const prefix = `${RECORDINGS_PREFIX}${from.project}/`
  let { after } = from
  let removed = 0
  let start: R2ListOptions | undefined = after ? { startAfter: after } : {}
  while (start) {
    if (left.pages === 0) {
      return { removed, after, isDone: false }
    }
    left.pages -= 1
    const page: R2Objects = await bucket.list({ prefix, delimiter: '/', ...start })
    const sessions = page.delimitedPrefixes.map((path) => path.slice(prefix.length, -1))
    const swept = await sweepSessions(invocation, { ...from, after }, sessions)
    removed += swept.removed
    after = swept.after
    if (!swept.isDone) {
      return { removed, after, isDone: false }
    }
    start = page.truncated ? { cursor: page.cursor } : undefined
  }
  return { removed, after, isDone: true }
}

async function sweepSessions(
  { db, bucket, staleBefore, left }: Invocation,
  { project, after: start }: Position,
  sessions: string[]
): Promise<Swept> {
  const recorded = await listRecorded({ db, project: { id: project } }, sessions)
  let after = start
  let removed = 0
  for (const session of sessions) {
    const path = prefixOf(project, session)
    if (!recorded.has(session)) {
      if (left.orphans === 0) {
        return { removed, after, isDone: false }
      }
      left.orphans -= 1
      removed += await removeStale(bucket, path, staleBefore(project))
    }
    // The keys of the session's objects sort after `path`, so a sweep that continues there lists
    // the session once more, which is harmless.
    after = path
  }
  return { removed, after, isDone: true }
}

/**
 * Deletes the objects with a prefix that were stored before `before`, ms UTC.
 * @returns the number of deleted objects
 */
async function removeStale(bucket: R2Bucket, prefix: string, before: number): Promise<number> {
  let removed = 0
  let options: R2ListOptions | undefined = { prefix }
  while (options) {
    const page: R2Objects = await bucket.list(options)
    const stale = page.objects.filter(({ uploaded }) => uploaded.getTime() < before)
    if (stale.length > 0) {
      await deleteObjects(
        bucket,
        stale.map(({ key }) => key)
      )
    }
    removed += stale.length
    options = page.truncated ? { prefix, cursor: page.cursor } : undefined
  }
  return removed
}

import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { prefixOf } from './part.ts'
import { listNamed, listProjects } from './removal.store.ts'
import type { Retention } from './retention.ts'

const DAY = 86_400_000

/** Longer than a queue keeps a message. */
const QUEUED_DAYS = 15

/** Of one invocation: pages of at most 1,000 sessions, each a query, and sessions without a row, each a request or two. */
const LIMITS = { pages: 50, unnamed: 1_000 }

/** After which path of which project a sweep goes on. */
const Position = z.object({ project: z.int(), after: z.string() })
type Position = z.infer<typeof Position>

type Sweep = {
  /** Whose projects' snapshots are looked through; a sweep of each database goes on for itself. */
  database: string
  retentionOf: Retention
  /** Ms UTC. */
  now: number
  /** Whether to begin one where none is under way. */
  begins: boolean
}

/**
 * Removes the snapshots of sessions without a row, which no message names any more either, as versions without markers
 * left them when a request failed between bucket and queue. Where there is too much for one invocation, the next one goes on.
 * @returns how many objects, and whether it came to its end; undefined when none is under way
 */
export async function sweepUnnamed(
  db: Db,
  bucket: R2Bucket,
  { database, retentionOf, now, begins }: Sweep,
  limits = LIMITS
): Promise<{ removed: number; isDone: boolean } | undefined> {
  const name = `sweeps/recordings/${database}.json`
  const from = await readPosition(bucket, name, begins)
  if (!from) {
    return undefined
  }
  const staleBefore = (projectId: number) =>
    now - Math.max(QUEUED_DAYS, retentionOf(projectId)) * DAY
  const invocation = { db, bucket, staleBefore, left: { ...limits } }
  const { removed, next } = await sweepFrom(invocation, from)
  await (next ? bucket.put(name, JSON.stringify(next)) : bucket.delete(name))
  return { removed, isDone: !next }
}

/** Returns where a sweep goes on, undefined when none is under way and none begins. */
async function readPosition(
  bucket: R2Bucket,
  name: string,
  begins: boolean
): Promise<Position | undefined> {
  const stored = await bucket.get(name)
  if (stored) {
    return Position.parse(await stored.json())
  }
  return begins ? { project: 0, after: '' } : undefined
}

async function sweepFrom(
  invocation: Invocation,
  from: Position
): Promise<{ removed: number; next?: Position }> {
  let removed = 0
  const projects = (await listProjects(invocation.db))
    .filter((project) => project >= from.project)
    .sort((a, b) => a - b)
  for (const project of projects) {
    const after = project === from.project ? from.after : ''
    const swept = await sweepProject(invocation, { project, after })
    removed += swept.removed
    if (!swept.isDone) {
      return { removed, next: { project, after: swept.after } }
    }
  }
  return { removed }
}

/** What one invocation works with; `left` counts down from its limits. */
type Invocation = {
  db: Db
  bucket: R2Bucket
  /** The time before which an unnamed object of a project is stale, ms UTC. */
  staleBefore(projectId: number): number
  left: typeof LIMITS
}

/** Objects removed, and the last path looked through; `isDone` is false where a limit stopped the sweep. */
type Swept = { removed: number; after: string; isDone: boolean }

async function sweepProject(invocation: Invocation, from: Position): Promise<Swept> {
  const { bucket, left } = invocation
  const prefix = prefixOf(from.project, '').slice(0, -1)
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
  const named = await listNamed(db, project, sessions)
  let after = start
  let removed = 0
  for (const session of sessions) {
    const path = prefixOf(project, session)
    if (!named.has(session)) {
      if (left.unnamed === 0) {
        return { removed, after, isDone: false }
      }
      left.unnamed -= 1
      removed += await removeStale(bucket, path, staleBefore(project))
    }
    // What goes on after this meets its objects once more, which does no harm.
    after = path
  }
  return { removed, after, isDone: true }
}

/** Removes what was stored below a path before then, as far as one list shows it. @returns how many objects */
async function removeStale(bucket: R2Bucket, prefix: string, before: number): Promise<number> {
  const { objects } = await bucket.list({ prefix })
  const stale = objects.filter(({ uploaded }) => uploaded.getTime() < before).map(({ key }) => key)
  if (stale.length > 0) {
    await bucket.delete(stale)
  }
  return stale.length
}

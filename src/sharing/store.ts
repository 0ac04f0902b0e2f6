import { and, eq, sql } from 'drizzle-orm'
import type { Scope } from '../access/open.ts'
import { query, readBatch } from '../db/batch.ts'
import { ConflictError, type ProjectDb } from '../db/client.ts'
import { dashboards, insights, recordings, shares } from '../db/schema.ts'
import { isLive } from '../recordings/store.ts'

export type SharableBoard = { projectId: number; kind: 'insight' | 'dashboard'; objectId: number }

/** An object to share: a recording by its session's id, a board by its own. */
export type Sharable = { projectId: number; kind: 'recording'; objectId: string } | SharableBoard

/** `createdAt` is ms UTC; `sharedHash` the token's SHA-256 while it is shared, else null. */
export type Sharing = { createdAt: number; accessToken: string; sharedHash: string | null }

const ofRecording = {
  createdAt: recordings.createdAt,
  accessToken: recordings.accessToken,
  sharedHash: recordings.sharedHash
}

const ofBoard = {
  createdAt: shares.createdAt,
  accessToken: shares.accessToken,
  sharedHash: shares.sharedHash
}

const isOf = ({ projectId, kind, objectId }: SharableBoard) =>
  and(eq(shares.projectId, projectId), eq(shares.kind, kind), eq(shares.objectId, objectId))

/**
 * Finds the sharing of an object: null if it was never changed, so that there is no token yet.
 * Undefined if the object does not exist or is deleted. A recording has a token from the beginning.
 */
export async function findSharing(
  db: ProjectDb,
  object: Sharable
): Promise<Sharing | null | undefined> {
  if (object.kind === 'recording') {
    const ofObject = isLive(object.projectId, object.objectId)
    const [row] = await db.select(ofRecording).from(recordings).where(ofObject)
    return row
  }
  const board = object.kind === 'insight' ? insights : dashboards
  const [row] = await db
    .select({ sharing: ofBoard })
    .from(board)
    .leftJoin(shares, isOf(object))
    .where(
      and(
        eq(board.projectId, object.projectId),
        eq(board.id, object.objectId),
        eq(board.deleted, false)
      )
    )
  return row?.sharing
}

/** Replaces the sharing that was read as `was`. @throws ConflictError when it has changed since */
export async function writeSharing(
  db: ProjectDb,
  object: Sharable,
  { was, becomes }: { was: Sharing | null; becomes: Sharing }
): Promise<void> {
  const written = await write(db, object, was, becomes)
  if (written.length === 0) {
    throw new ConflictError('The sharing has changed since it was read.')
  }
}

function write(db: ProjectDb, object: Sharable, was: Sharing | null, becomes: Sharing) {
  const { accessToken, sharedHash } = becomes
  if (object.kind === 'recording') {
    return db
      .update(recordings)
      .set({ accessToken, sharedHash })
      .where(and(isLive(object.projectId, object.objectId), isUnchanged(recordings, was)))
      .returning({ accessToken: recordings.accessToken })
  }
  if (was) {
    return db
      .update(shares)
      .set({ accessToken, sharedHash })
      .where(and(isOf(object), isUnchanged(shares, was)))
      .returning({ accessToken: shares.accessToken })
  }
  return db
    .insert(shares)
    .values({ ...object, ...becomes })
    .onConflictDoNothing()
    .returning({ accessToken: shares.accessToken })
}

const isUnchanged = (table: typeof recordings | typeof shares, was: Sharing | null) =>
  sql`(${table.accessToken} = ${was?.accessToken} and ${table.sharedHash} is ${was?.sharedHash})`

/** Finds the object that is shared under a token with this hash. */
export async function findShared(
  { db, project }: Scope,
  hash: string
): Promise<Sharable | undefined> {
  const found = query<Pick<Sharable, 'kind' | 'objectId'>>(sql`
    select 'recording' as kind, ${recordings.sessionId} as "objectId" from ${recordings}
    where ${recordings.sharedHash} = ${hash} and ${recordings.projectId} = ${project.id}
      and not ${recordings.deleted}
    union all
    select ${shares.kind}, ${shares.objectId} from ${shares}
    where ${shares.sharedHash} = ${hash} and ${shares.projectId} = ${project.id}`)
  const [[row]] = await readBatch(db, found)
  // The cast is safe: the id of a session is a text, and the others are numbers.
  return row && ({ projectId: project.id, ...row } as Sharable)
}

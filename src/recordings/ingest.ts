import { newAccessToken } from '../access/share-token.ts'
import { readSuppressions } from '../barred/suppressions/read.ts'
import { countDrops, type Suppressions, suppressionAt } from '../barred/suppressions/suppression.ts'
import { readTombstones } from '../barred/tombstones/read.ts'
import { deleteObjects } from '../bucket.ts'
import type { Db } from '../db/client.ts'
import { retryConflicts } from '../db/retry.ts'
import { reserveNumbers } from '../db/sequences.ts'
import type { Json } from '../input/json.ts'
import { PoisonError } from '../queues/failure.ts'
import { objectOf, type RecordingPart, readLines } from './part.ts'
import { type IncomingPart, type KnownRecordings, nameOfPart, planParts } from './plan.ts'
import { keptSince } from './retention.ts'
import { isSnapshot, type Snapshot } from './snapshot.ts'
import { summarize } from './summary.ts'
import { readKnown, writeChanges } from './write.store.ts'

type Project = { id: number; erasureSalt: string }

export type LoadedPart = IncomingPart & { projectId: number }

/**
 * Reads a part's snapshots from R2 and summarizes them; undefined if the object is missing: the
 * recording was deleted, the part was refused, or its request failed.
 * @throws a permanent error (see `isPermanent`) if the object is not a part
 */
export async function loadPart(
  bucket: R2Bucket,
  part: RecordingPart
): Promise<LoadedPart | undefined> {
  const read = await readLines(bucket, objectOf(part.project_id, part.session_id, part.part_id))
  if (!read) {
    return undefined
  }
  const lines = (await new Response(read.lines).text()).trimEnd().split('\n')
  const snapshots = lines.map(readLine)
  return {
    projectId: part.project_id,
    sessionId: part.session_id,
    partId: part.part_id,
    distinctId: part.distinct_id,
    source: part.source,
    receivedAt: part.received_at,
    bytes: read.size,
    skew: part.skew,
    summary: summarize(snapshots)
  }
}

/** Reads a line, `[window id, snapshot]`. @throws SyntaxError, PoisonError for others */
function readLine(line: string): Snapshot {
  const json: Json = JSON.parse(line)
  const snapshot = Array.isArray(json) ? json[1] : undefined
  if (snapshot === undefined || !isSnapshot(snapshot)) {
    throw new PoisonError('A line of the part is not a snapshot.')
  }
  return snapshot
}

type Batch = {
  db: Db
  project: Project
  parts: IncomingPart[]
  retentionDays: number
  /** ms UTC. */
  now: number
}

/**
 * Stores parts, each exactly once however often it arrives, and deletes the objects of refused
 * parts. Starts over with a new read if another consumer changes the same recordings in the
 * meantime.
 * @returns the number of stored parts
 * @throws unavailable, also after too many conflicts
 */
export async function storeParts({
  bucket,
  ...batch
}: Batch & { bucket: R2Bucket }): Promise<number> {
  const { stored, refused } = await retryConflicts(() => tryToStore(batch))
  if (refused.length > 0) {
    await deleteObjects(
      bucket,
      refused.map(({ sessionId, partId }) => objectOf(batch.project.id, sessionId, partId))
    )
  }
  return stored
}

async function tryToStore({
  db,
  project,
  parts,
  retentionDays,
  now
}: Batch): Promise<{ stored: number; refused: IncomingPart[] }> {
  const { suppressionSerial: serial, ...read } = await readKnown(
    { db, project },
    parts.map(({ sessionId, partId, distinctId }) => ({ sessionId, partId, distinctId }))
  )
  // A part that is stored stays stored, also if its person has been suppressed since.
  const fresh = parts.filter((part) => !read.seen.has(nameOfPart(part)))
  const suppressions = await readSuppressions(db, project, serial, idsOf(fresh))
  const { kept, suppressed } = applySuppressions(fresh, suppressions)
  // Only parts accepted up to the last erasure can belong to an erased person.
  const late = kept.filter(({ receivedAt }) => receivedAt <= read.lastErasure)
  const tombstones = await readTombstones(db, project, idsOf(late))
  const known = { ...read, tombstones, keptSince: keptSince(retentionDays, now) }
  const changes = planParts(kept, known, await reserveKeys(db, kept, known))
  const stored = new Set(changes.parts.map(nameOfPart))
  // The batch may hold a part twice: accepted before and after the suppression, or twice after it.
  const lost = new Map(
    suppressed
      .map((one) => [nameOfPart(one.part), one] as const)
      .filter(([name]) => !stored.has(name))
  )
  const dropped = countDrops(
    [...lost.values()].map(({ part, suppression }) => ({ suppression, at: part.receivedAt }))
  )
  if (changes.parts.length + dropped.length > 0) {
    await writeChanges({ db, project }, changes, {
      now,
      newToken: () => newAccessToken(project.id),
      serial,
      dropped
    })
  }
  return {
    stored: changes.parts.length,
    refused: [...changes.refused, ...[...lost.values()].map(({ part }) => part)]
  }
}

const idsOf = (parts: IncomingPart[]): string[] => parts.map(({ distinctId }) => distinctId)

/** Separates the parts that suppressions drop, with the suppression's id, from the others. */
function applySuppressions(parts: IncomingPart[], suppressions: Suppressions) {
  const kept: IncomingPart[] = []
  const suppressed: { part: IncomingPart; suppression: string }[] = []
  for (const part of parts) {
    const found = suppressionAt(suppressions.get(part.distinctId) ?? [], part.receivedAt)
    if (found) {
      suppressed.push({ part, suppression: found.suppressionId })
    } else {
      kept.push(part)
    }
  }
  return { kept, suppressed }
}

/** Reserves enough identity keys, of which unused ones are lost. @returns the next key */
async function reserveKeys(
  db: Db,
  parts: IncomingPart[],
  { identities }: KnownRecordings
): Promise<() => number> {
  const fresh = new Set(idsOf(parts).filter((id) => !identities.has(id)))
  const next = fresh.size > 0 ? await reserveNumbers(db, { identity: fresh.size }) : { identity: 0 }
  return () => next.identity++
}

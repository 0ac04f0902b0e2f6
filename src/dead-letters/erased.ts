import { readTombstones } from '../barred/tombstones/read.ts'
import { noteRows } from '../barred/tombstones/store.ts'
import { type Tombstone, tombstoneFor } from '../barred/tombstones/tombstone.ts'
import { deleteObjects } from '../bucket.ts'
import type { CaptureMessage } from '../capture/message.ts'
import type { Db } from '../db/client.ts'
import { objectOf, type RecordingPart } from '../recordings/part.ts'
import { hasPart } from '../recordings/purge.store.ts'

export type SaltedProject = { id: number; erasureSalt: string }

/** A message that is kept in the bucket: as a dead letter, or until it is processed. */
export type KeptMessage = {
  /** The member of an erasure's `stores` that counts what is removed: see `memberOf`. */
  member: string
  /** Whether the data of the person with this tombstone is removed. */
  isMeant(tombstone: Tombstone): boolean
  /** Writes what is left of the message. */
  keep(rest: CaptureMessage): Promise<unknown>
  remove(): Promise<unknown>
}

type Stores = { db: Db; bucket: R2Bucket; project: SaltedProject }

/** Finds tombstones of erasures after data of `receivedAt`, ms UTC, was accepted. */
export async function tombstonesAt(
  db: Db,
  project: SaltedProject,
  distinctIds: Iterable<string>,
  receivedAt: number
): Promise<Map<string, Tombstone>> {
  const all = await readTombstones(db, project, distinctIds)
  return new Map(
    [...all].flatMap(([id, own]) => {
      const tombstone = tombstoneFor(own, receivedAt)
      return tombstone ? [[id, tombstone] as const] : []
    })
  )
}

/**
 * Removes the message about a part of a recording, and the part, if it is an erased person's and
 * meant. A part that is stored stays in its recording: the recording may be another person's, or is
 * purged as a whole.
 */
export async function removePart(
  { db, bucket, project }: Stores,
  part: RecordingPart,
  message: KeptMessage
): Promise<void> {
  const { distinct_id, received_at, session_id, part_id } = part
  const tombstones = await tombstonesAt(db, project, [distinct_id], received_at)
  const tombstone = tombstones.get(distinct_id)
  if (!tombstone || !message.isMeant(tombstone)) {
    return
  }
  await noteRows({ db, project }, message.member, new Map([[tombstone.erasureId, 1]]))
  if (!(await hasPart(db, part, part_id))) {
    await deleteObjects(bucket, [objectOf(project.id, session_id, part_id)])
  }
  await message.remove()
}

/** Removes the meant persons' events from a message, or the message if no event is left. */
export async function removeEvents(
  { db, project }: Pick<Stores, 'db' | 'project'>,
  { events, ...request }: CaptureMessage,
  message: KeptMessage
): Promise<void> {
  const ids = events.map(({ distinct_id }) => distinct_id)
  const tombstones = await tombstonesAt(db, project, ids, request.received_at)
  const removed = new Map<number, number>()
  const kept = []
  for (const event of events) {
    const tombstone = tombstones.get(event.distinct_id)
    if (tombstone && message.isMeant(tombstone)) {
      removed.set(tombstone.erasureId, (removed.get(tombstone.erasureId) ?? 0) + 1)
    } else {
      kept.push(event)
    }
  }
  if (removed.size === 0) {
    return
  }
  await noteRows({ db, project }, message.member, removed)
  await (kept.length > 0 ? message.keep({ ...request, events: kept }) : message.remove())
}

import { ingestEvents } from '../capture/ingest.ts'
import type { CaptureMessage } from '../capture/message.ts'
import { type Db, newUsage, openDb } from '../db/client.ts'
import { findProjects, type ProjectRow } from '../projects/store.ts'
import { loadPart, storeParts } from '../recordings/ingest.ts'
import type { RecordingPart } from '../recordings/part.ts'
import { readDeadLetter } from './letter.ts'
import { type DeadLetterRow, markRedriven } from './store.ts'

/**
 * Stores the events or the part of a recording of a parked message, as its consumer would have; what is there already
 * stays as it is. @returns how many were stored. @throws what still stands against it
 */
export async function redriveDeadLetter(
  control: D1Database,
  database: (name: string) => D1Database,
  bucket: R2Bucket,
  letter: DeadLetterRow,
  retentionDays: number,
  now: Date
): Promise<number> {
  const message = await readDeadLetter(bucket, letter.object)
  const controlDb = openDb(control, newUsage()).db
  const [project] = await findProjects(controlDb, [message.project_id])
  if (!project) {
    throw new Error(`There is no project ${message.project_id}.`)
  }
  const { db } = openDb(database(project.database), newUsage())
  const stored =
    'events' in message
      ? await storeEvents(db, project, message)
      : await storePart(db, bucket, project, message, retentionDays, now)
  await markRedriven(controlDb, letter.id, now)
  return stored
}

async function storeEvents(
  db: Db,
  project: ProjectRow,
  { events, received_at }: CaptureMessage
): Promise<number> {
  const incoming = events.map((event) => ({ ...event, received_at }))
  return (await ingestEvents(db, project, incoming)).stored
}

async function storePart(
  db: Db,
  bucket: R2Bucket,
  project: ProjectRow,
  message: RecordingPart,
  retentionDays: number,
  now: Date
): Promise<number> {
  const part = await loadPart(bucket, message)
  return part ? storeParts(db, bucket, project, [part], retentionDays, now.getTime()) : 0
}

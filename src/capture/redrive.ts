import { newUsage, openDb } from '../db/client.ts'
import { findProjects } from '../projects/store.ts'
import { readDeadLetter } from './dead.ts'
import { ingestEvents } from './ingest.ts'
import { type DeadLetterRow, markRedriven } from './store.ts'

/**
 * Stores the events of a parked message, as its consumer would have; events that are there already stay as they are.
 * @returns how many were stored. @throws what still stands against it
 */
export async function redriveDeadLetter(
  control: D1Database,
  database: (name: string) => D1Database,
  bucket: R2Bucket,
  letter: DeadLetterRow,
  now: Date
): Promise<number> {
  const { project_id, received_at, events } = await readDeadLetter(bucket, letter.object)
  const { db } = openDb(control, newUsage())
  const [project] = await findProjects(db, [project_id])
  if (!project) throw new Error(`There is no project ${project_id}.`)
  const incoming = events.map((event) => ({ ...event, received_at }))
  const { stored } = await ingestEvents(openDb(database(project.database), newUsage()).db, project, incoming)
  await markRedriven(db, letter.id, now)
  return stored
}

import * as z from 'zod'
import { putObject } from '../bucket.ts'
import type { Db } from '../db/client.ts'
import { Head } from './entry.ts'
import { readState } from './store.ts'

/**
 * The state of a database when it was last compared with the ledger. The mark is in the bucket, so
 * a restore of the database does not change the mark.
 */
const Mark = z.object({
  /** The time of the comparison, ms UTC. The database has the same time, or a later one. */
  beat: z.int(),
  /** The last entry that the database had applied. */
  head: Head,
  /** The highest id of an erasure in the database. */
  erasure: z.int(),
  /** The salts of the projects whose data is in the database, by the project's id. */
  salts: z.record(z.string(), z.string())
})
export type Mark = z.infer<typeof Mark>

const keyOf = (database: string): string => `marks/${database}.json`

/** Reads the mark of a database; undefined before the first. */
export async function readMark(bucket: R2Bucket, database: string): Promise<Mark | undefined> {
  const object = await bucket.get(keyOf(database))
  return object ? Mark.parse(await object.json()) : undefined
}

/** Writes the mark of a database, after the database has noted the same time. */
export const writeMark = (bucket: R2Bucket, database: string, mark: Mark) =>
  putObject(bucket, keyOf(database), JSON.stringify(mark))

/**
 * Compares a database with its mark: a restored database has an earlier time. The mark is read
 * first. A comparison notes its time in the database before it writes the mark, so reading them the
 * other way round could show the old time of the database beside the new time of the mark.
 */
export async function compareWithMark(bucket: R2Bucket, db: Db, database: string) {
  const mark = await readMark(bucket, database)
  const state = await readState(db)
  return { ...state, mark, isRestored: mark !== undefined && state.beat < mark.beat }
}

import type { Db } from '../db/client.ts'
import { ledgerHead } from '../db/schema.ts'
import { GENESIS, type Head } from './entry.ts'

/** Reads the last entry of the ledger that the database has applied. */
export async function readApplied(db: Db): Promise<Head> {
  const [row] = await db.select({ seq: ledgerHead.seq, hash: ledgerHead.hash }).from(ledgerHead)
  return row ?? GENESIS
}

/** Notes that the database has applied the ledger up to this entry. */
export const noteApplied = (db: Db, { seq, hash }: Head) =>
  db
    .insert(ledgerHead)
    .values({ id: 1, seq, hash })
    .onConflictDoUpdate({ target: ledgerHead.id, set: { seq, hash } })

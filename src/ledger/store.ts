import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { ledgerHead } from '../db/schema.ts'
import { GENESIS, type Head } from './entry.ts'

/** Reads the last entry of the ledger that the database has applied. */
export async function readApplied(db: Db): Promise<Head> {
  return (await readState(db)).head
}

/**
 * Reads the last applied entry, and `beat`: when the database was last compared with the ledger, ms
 * UTC; 0 if never.
 */
export async function readState(db: Db): Promise<{ head: Head; beat: number }> {
  const [row] = await db.select().from(ledgerHead)
  return row
    ? { head: { seq: row.seq, hash: row.hash }, beat: row.beat }
    : { head: GENESIS, beat: 0 }
}

/** Notes that the database has applied the ledger up to this entry. Never goes back. */
export const noteApplied = (db: Db, { seq, hash }: Head) =>
  db
    .insert(ledgerHead)
    .values({ id: 1, seq, hash })
    .onConflictDoUpdate({
      target: ledgerHead.id,
      set: { seq, hash },
      setWhere: sql`${ledgerHead.seq} < ${seq}`
    })

/** Notes that the database was compared with the ledger at `beat`, ms UTC. Never goes back. */
export const noteBeat = (db: Db, beat: number) =>
  db
    .insert(ledgerHead)
    .values({ id: 1, seq: GENESIS.seq, hash: GENESIS.hash, beat })
    .onConflictDoUpdate({
      target: ledgerHead.id,
      set: { beat },
      setWhere: sql`${ledgerHead.beat} < ${beat}`
    })

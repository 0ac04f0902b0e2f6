import { sql } from 'drizzle-orm'
import { type AnyDb, newUsage, openDb } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { ledgerHead } from '../db/schema.ts'
import { GENESIS, type Head } from './entry.ts'

/** Reads the last entry of the ledger that the database has applied. */
export async function readApplied(db: AnyDb): Promise<Head> {
  return (await readState(db)).head
}

/** Reads the last entry that each database has applied; one query per database. */
export const listApplied = (
  env: Pick<Env, 'DB'>,
  databases: readonly string[],
  usage = newUsage()
): Promise<Head[]> =>
  Promise.all(databases.map((name) => readApplied(openDb(databaseOf(env, name), usage).db)))

type State = {
  /** The last entry that the database has applied. */
  head: Head
  /** When the database was last compared with the ledger, ms UTC; 0 if never. */
  beat: number
  /** The copy of the fingerprint of the deployment's secret: see `settleFingerprint`. */
  secret: { fingerprint: string; since: number } | undefined
}

/** Reads what the database has noted about the ledger. */
export async function readState(db: AnyDb): Promise<State> {
  const [row] = await db.select().from(ledgerHead)
  if (!row) {
    return { head: GENESIS, beat: 0, secret: undefined }
  }
  const { seq, hash, beat, secret, secretSince } = row
  return {
    head: { seq, hash },
    beat,
    secret: secret === null ? undefined : { fingerprint: secret, since: secretSince }
  }
}

/** Notes that the database has applied the ledger up to this entry. Never goes back. */
export const noteApplied = (db: AnyDb, { seq, hash }: Head) =>
  db
    .insert(ledgerHead)
    .values({ id: 1, seq, hash })
    .onConflictDoUpdate({
      target: ledgerHead.id,
      set: { seq, hash },
      // At the same entry, the hash may change: an operator has given up the entry, which was
      // damaged when it was applied.
      setWhere: sql`${ledgerHead.seq} <= ${seq}`
    })

/** Notes that the database was compared with the ledger at `beat`, ms UTC. Never goes back. */
export const noteBeat = (db: AnyDb, beat: number) =>
  db
    .insert(ledgerHead)
    .values({ id: 1, seq: GENESIS.seq, hash: GENESIS.hash, beat })
    .onConflictDoUpdate({
      target: ledgerHead.id,
      set: { beat },
      setWhere: sql`${ledgerHead.beat} < ${beat}`
    })

/** Copies the fingerprint of the deployment's secret from the ledger. */
export const noteSecret = (db: AnyDb, { fingerprint, since }: NonNullable<State['secret']>) =>
  db
    .insert(ledgerHead)
    .values({
      id: 1,
      seq: GENESIS.seq,
      hash: GENESIS.hash,
      secret: fingerprint,
      secretSince: since
    })
    .onConflictDoUpdate({
      target: ledgerHead.id,
      set: { secret: fingerprint, secretSince: since }
    })

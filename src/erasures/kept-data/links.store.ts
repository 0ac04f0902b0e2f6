import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { query, readBatch, writeBatch } from '../../db/batch.ts'
import type { Db } from '../../db/client.ts'
import { eachChunk, expectRows, inJson } from '../../db/rows.ts'
import { erasedIdentities, erasures } from '../../db/schema.ts'
import { insertSelect, updateFrom } from '../../db/statements.ts'

const old = alias(erasedIdentities, 'old')

/** A completed erasure, and the keys of its tombstones, to which the kept data points. */
export type Linked = { id: number; keys: number[] }

/** Finds completed erasures whose kept data can no longer be deleted at `now`, ms UTC. */
export async function findLinked(db: Db, now: number, limit: number): Promise<Linked[]> {
  const due = sql`select ${erasures.id} from ${erasures}
    where ${erasures.linkedUntil} is not null and ${erasures.linkedUntil} <= ${now}
      and ${erasures.status} = 'completed' order by ${erasures.linkedUntil} limit ${limit}`
  const [found, identities] = await readBatch(
    db,
    query<{ id: number }>(due),
    query<{ key: number; erasure_id: number }>(sql`
      select ${erasedIdentities.key}, ${erasedIdentities.erasureId} from ${erasedIdentities}
      where ${erasedIdentities.erasureId} in (${due}) order by ${erasedIdentities.key}`)
  )
  const byErasure = Map.groupBy(identities, ({ erasure_id }) => erasure_id)
  return found.map(({ id }) => ({
    id,
    keys: (byErasure.get(id) ?? []).map(({ key }) => key)
  }))
}

/** The present key of an identity, its new anonymous person, and the new key of its tombstone. */
type Moved = { key: number; erasure: number; person: number; tombstone: number }

/**
 * Moves tombstones to new keys, and notes that the erasures have no link any more. Kept data still
 * points to the old keys, whose rows stay without hash and erasure, and get new anonymous persons.
 * @throws ConflictError when a tombstone has changed since it was read
 */
export const writeUnlinked = (db: Db, ids: number[], moved: Moved[]) =>
  writeBatch(db, [
    ...eachChunk(moved, (rows, count) => [
      expectRows(
        count,
        sql`json_each(${rows}) as one cross join ${erasedIdentities}
            on ${erasedIdentities.key} = one.value ->> 'key'
              and ${erasedIdentities.erasureId} = one.value ->> 'erasure'`
      ),
      insertSelect(
        erasedIdentities,
        {
          key: sql`one.value ->> 'tombstone'`,
          projectId: sql`${old.projectId}`,
          hash: sql`${old.hash}`,
          receiptHash: sql`${old.receiptHash}`,
          erasureId: sql`${old.erasureId}`,
          personId: sql`${old.personId}`,
          erasedAt: sql`${old.erasedAt}`
        },
        sql`json_each(${rows}) as one cross join ${erasedIdentities} ${old} on ${old.key} = one.value ->> 'key'`
      ),
      updateFrom(erasedIdentities, {
        set: {
          hash: '',
          receiptHash: null,
          erasureId: 0,
          personId: sql`one.value ->> 'person'`,
          erasedAt: 0
        },
        from: sql`json_each(${rows}) as one`,
        where: sql`${erasedIdentities.key} = one.value ->> 'key'`
      })
    ]),
    updateFrom(erasures, {
      set: { linkedUntil: null },
      where: sql`${erasures.id} in ${inJson(ids)}`
    })
  ])

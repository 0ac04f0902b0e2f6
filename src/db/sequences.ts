import { type SQL, sql } from 'drizzle-orm'
import type { AnyDb } from './client.ts'
import { inJson } from './rows.ts'
import { sequences } from './schema.ts'
import { assign, bare, excluded } from './statements.ts'

export type SequenceName = 'identity' | 'person' | 'event_name' | 'subscription'

/**
 * Reserves blocks of numbers, which are never given out again. Returns the first number of each
 * block.
 */
export async function reserveNumbers<Name extends SequenceName>(
  db: AnyDb,
  counts: Record<Name, number>
): Promise<Record<Name, number>> {
  const rows = await db.all<LastNumber<Name>>(
    advance(sql`select key, value from json_each(${JSON.stringify(counts)})`)
  )
  const first = rows.map(({ name, value }) => [name, value - counts[name] + 1])
  return Object.fromEntries(first) as Record<Name, number>
}

/** The last number that a sequence has given out. */
export type LastNumber<Name extends SequenceName> = { name: Name; value: number }

/** Selects the last numbers of sequences; none for a sequence that has not given out any. */
export const selectLast = (names: readonly SequenceName[]): SQL =>
  sql`select ${sequences.name}, ${sequences.value} from ${sequences} where ${sequences.name} in ${inJson([...names])}`

/**
 * Returns a statement that reserves a block of numbers of each sequence, and returns the last
 * number of each block. `counts` selects the names of the sequences and the sizes of the blocks.
 */
export const advance = (counts: SQL): SQL => sql`
  insert into ${sequences} (${bare(sequences.name)}, ${bare(sequences.value)})
  select * from (${counts}) where true
  on conflict (${bare(sequences.name)})
  do update set ${assign(sequences, { value: sql`${sequences.value} + ${excluded(sequences.value)}` })}
  returning ${sequences.name}, ${sequences.value}`

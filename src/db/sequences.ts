import { sql } from 'drizzle-orm'
import type { Db } from './client.ts'
import { sequences } from './schema.ts'
import { assign, bare, excluded } from './statements.ts'

export type SequenceName = 'identity' | 'person' | 'event_name' | 'subscription'

/**
 * Reserves blocks of numbers, which are never given out again. Returns the first number of each
 * block.
 */
export async function reserveNumbers<Name extends SequenceName>(
  db: Db,
  counts: Record<Name, number>
): Promise<Record<Name, number>> {
  const rows = await db.all<{ name: Name; value: number }>(sql`
    insert into ${sequences} (${bare(sequences.name)}, ${bare(sequences.value)})
    select key, value from json_each(${JSON.stringify(counts)}) where true
    on conflict (${bare(sequences.name)})
    do update set ${assign(sequences, { value: sql`${sequences.value} + ${excluded(sequences.value)}` })}
    returning ${sequences.name}, ${sequences.value}`)
  const first = rows.map(({ name, value }) => [name, value - counts[name] + 1])
  return Object.fromEntries(first) as Record<Name, number>
}

import { sql } from 'drizzle-orm'
import type { Db } from './client.ts'

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
    insert into sequences (name, value) select key, value from json_each(${JSON.stringify(counts)}) where true
    on conflict (name) do update set value = sequences.value + excluded.value
    returning name, value`)
  const first = rows.map(({ name, value }) => [name, value - counts[name] + 1])
  return Object.fromEntries(first) as Record<Name, number>
}

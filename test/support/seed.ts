import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { reserveNumbers } from '../../src/db/sequences.ts'
import { db } from './project.ts'

/** Rows inserted per statement. */
const STEP = 25_000

export type Seed = {
  count: number
  /** SQL for the e-mail of person `n`, from 1 to `count`. */
  email: string
  /** Id of the first person, from all projects' sequence. A person's identities have the keys 2 × id and 2 × id + 1. */
  firstId: number
}

/** Inserts persons straight into a project's tables, each with two distinct ids (`a-n`, `b-n`), created a second apart. */
export async function seedPersons(
  projectId: number,
  { count, email, firstId }: Seed
): Promise<void> {
  for (let from = 1; from <= count; from += STEP) {
    const numbers = `with recursive numbers(n) as (select ${from} union all select n + 1 from numbers where n < ${Math.min(from + STEP - 1, count)})`
    const id = `${firstId} + n - 1`
    await env.DB.batch([
      env.DB.prepare(`${numbers}
        insert into persons (id, project_id, uuid, created_at, is_identified, properties, writes, search, version, versions, copy_credit, revision)
        select ${id}, ${projectId}, printf('00000000-0000-7000-8000-%012x', ${id}), 1700000000000 + n * 1000, 1,
               json_object('email', ${email}), '{"stamps":[],"keys":{}}', ${email}, 0, 0, 65536, 0 from numbers`),
      env.DB.prepare(`${numbers}
        insert into distinct_ids (key, project_id, distinct_id, person_id)
        select 2 * (${id}), ${projectId}, 'a-' || n, ${id} from numbers
        union all select 2 * (${id}) + 1, ${projectId}, 'b-' || n, ${id} from numbers`)
    ])
  }
  await env.DB.prepare(`insert into counters (project_id, name, value) values (?, 'persons', ?)`)
    .bind(projectId, count)
    .run()
  const used = { person: firstId + count, identity: 2 * (firstId + count) + 1 }
  await env.DB.prepare(
    `insert into sequences (name, value) select key, value from json_each(?) where true
     on conflict (name) do update set value = max(value, excluded.value)`
  )
    .bind(JSON.stringify(used))
    .run()
}

/**
 * Inserts event names straight into a project's tables, `n0`, `n1` and so on, each with one event without properties, the uuid
 * of which ends with the same number. The events belong to the distinct id of the only event that the project has before.
 * @param at the time of the event of the name `n`, ms UTC
 */
export async function seedNames(projectId: number, count: number, at: SQL): Promise<void> {
  const { event_name: id } = await reserveNumbers(db, { event_name: count })
  const numbers = sql`
    with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
  await db.run(sql`${numbers}
    insert into event_names (id, project_id, name) select ${id} + n, ${projectId}, 'n' || n from numbers`)
  await db.run(sql`${numbers}
    insert into events (project_id, event_id, timestamp, uuid, identity, properties)
    select ${projectId}, ${id} + n, ${at}, unhex(printf('%032x', n)), e.identity, jsonb('{}')
    from numbers, (select identity from events where project_id = ${projectId}) e`)
}

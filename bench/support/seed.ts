import { Project } from '../../src/access/project.ts'
import { createKey, createProject, createUser } from '../../src/access/store.ts'
import { User } from '../../src/access/user.ts'
import { newUsage, openControl } from '../../src/db/client.ts'
import type { Runtime } from './runtime.ts'

/** Rows inserted per statement. */
const STEP = 20_000

export type Seeded = { projectId: number; token: string; key: string; persons: number }

/** Creates a project with an owner and a key, and persons with two distinct ids each. Each person is a second newer than the last. */
export async function seedProject(
  { db }: Runtime,
  persons: number,
  scopes = ['person:read']
): Promise<Seeded> {
  const control = openControl({ DB: db }, newUsage()).db
  const now = new Date()
  const owner = await createUser(
    control,
    User.parse({ first_name: 'Bench', email: 'bench@example.com' }),
    now
  )
  const input = Project.parse({ name: 'Bench', recording: true })
  const project = await createProject(control, input, owner.id, now)
  const scope = { label: 'bench', scopes, projectIds: [project.id], userId: owner.id }
  const { key } = await createKey(control, scope, now)

  await storePersons(db, project.id, persons)
  for (const [from, until] of steps(persons)) {
    await db
      .prepare(`${numbers(from, until)}
        insert into distinct_ids (key, project_id, distinct_id, person_id)
        select 2 * n - 1, ?1, 'user-' || n, n from numbers
        union all select 2 * n, ?1, printf('00000000-0000-7000-9000-%012x', n), n from numbers`)
      .bind(project.id)
      .run()
  }
  return { projectId: project.id, token: project.captureToken, key, persons }
}

const steps = (persons: number): [number, number][] =>
  Array.from({ length: Math.ceil(persons / STEP) }, (_, i) => [
    i * STEP + 1,
    Math.min((i + 1) * STEP, persons)
  ])

/** Returns SQL for a table of the numbers from `first` to `last`, both included. */
const numbers = (first: number, last: number) => `with recursive numbers(n) as (
  select ${first} union all select n + 1 from numbers where n < ${last})`

/** Inserts persons from id 1 into an empty database. Leaves out their distinct ids, but reserves the keys of two each. */
export async function storePersons(
  db: D1Database,
  projectId: number,
  persons: number
): Promise<void> {
  for (const [from, until] of steps(persons)) {
    await db
      .prepare(`${numbers(from, until)}
        insert into persons (id, project_id, uuid, created_at, is_identified, properties, writes, search, version, versions, copy_credit, revision)
        select n, ?, printf('00000000-0000-7000-8000-%012x', n), 1700000000000 + n * 1000, 1,
               json_object('email', ${email('n')}, 'name', 'Person ' || n, 'plan', iif(n % 3, 'free', 'pro'), 'seats', n % 50,
                           '$browser', 'Firefox', '$browser_version', 140 + n % 9, '$os', 'Mac OS X', '$device_type', 'Desktop',
                           '$initial_referring_domain', 'www.example.org', '$initial_utm_source', 'newsletter',
                           'company', 'Company ' || (n % 1000), 'last_seen_at', '2026-01-01T00:00:00.000Z'),
               '{"stamps":[],"keys":{}}', ${email('n')} || char(31) || 'person ' || n, 0, 0, 65536, 0 from numbers`)
      .bind(projectId)
      .run()
  }
  await db.batch([
    db
      .prepare(`insert into counters (project_id, name, value) values (?1, 'persons', ?2)
        on conflict (project_id, name) do update set value = excluded.value`)
      .bind(projectId, persons),
    db
      .prepare(`insert into sequences (name, value) values ('person', ?1), ('identity', 2 * ?1)
        on conflict (name) do update set value = excluded.value`)
      .bind(persons)
  ])
}

/** Returns SQL for eight hexadecimal digits; those of consecutive persons differ from the first digit on. */
const mixed = (n: string) => `printf('%08x', ((${n}) * 2654435761) & 0xffffffff)`

const email = (n: string) => `${mixed(n)} || '@example.com'`

/** Returns the e-mail address of person `n`. */
export const emailOf = (n: number): string => `${mixDigits(n)}@example.com`

const mixDigits = (n: number): string =>
  ((BigInt(n) * 2654435761n) & 0xffffffffn).toString(16).padStart(8, '0')

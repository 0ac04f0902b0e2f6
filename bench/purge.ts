import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { sendOk } from './support/client.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { drain, type Runtime, startWorkers, untilLogged } from './support/runtime.ts'
import { seedProject } from './support/seed.ts'
import { waitUntil } from './support/waiting.ts'

/** Target: time until all events of the person are removed. */
const MAX_MINUTES = 10
/** Time after which the measurement is given up. It is longer than the target, so that a missed target is still reported. */
const LIMIT_MINUTES = 30
/** Target: time of the longest statement, during which no other request gets the database. */
const MAX_STATEMENT_MS = 25
/** Target: p95 of other requests during the removal, as a multiple of that on an idle service. */
const MAX_SLOWDOWN = 3
/** Rows inserted per statement. */
const STEP = 10_000
/** Kinds of events; a person has about equally many of each. */
const KINDS = 20
/** Id of the erased person. */
const ERASED = 1
/** Pause between reads of other persons, ms. */
const PAUSE_MS = 20

const Tasks = z.object({
  results: z.array(
    z.object({
      status: z.string(),
      events: z.object({ found: z.int().nullable(), removed: z.int() })
    })
  )
})

/** Measures how long it takes to erase a person with half of all events, and how it affects other requests. */
export async function benchPurge(isSmoke: boolean): Promise<Outcome> {
  const size = isSmoke
    ? { persons: 500, events: 2_000, requests: 10 }
    : { persons: 100_000, events: 2_000_000, requests: 1_000 }
  const runtime = await startWorkers()
  try {
    const { projectId, key } = await seedProject(runtime, size.persons, ['*'])
    await seedEvents(runtime, projectId, size)
    const headers = { authorization: `Bearer ${key}` }
    const ask = (path: string, method = 'GET') =>
      sendOk(new URL(`/api/environments/${projectId}/${path}`, runtime.service), {
        method,
        headers
      })
    // Steps of a prime number spread the reads over all persons except the erased one.
    const retrieve = async (n: number) =>
      (await ask(`persons/${2 + ((n * 7_919) % (size.persons - 2))}`)).ms

    const idle = []
    for (let n = 0; n < size.requests; n += 1) {
      idle.push(await retrieve(n))
      await sleep(PAUSE_MS)
    }
    await ask(`persons/${ERASED}?delete_events=true`, 'DELETE')
    await untilLogged(runtime)
    runtime.lines.length = 0
    const started = performance.now()
    await runtime.fire('0 5 * * SUN')
    const during: number[] = []
    let removed = 0
    const isCompleted = async () => {
      during.push(await retrieve(during.length))
      // Asks for the status only at every 25th read, so that asking does not slow the reads.
      if (during.length % 25 !== 1) {
        return false
      }
      const { text } = await ask('persons/deletion_status')
      const [task] = Tasks.parse(JSON.parse(text)).results
      removed = task?.events.removed ?? 0
      return task?.status === 'completed'
    }
    await waitUntil('the deletion is completed', isCompleted, {
      everyMs: PAUSE_MS,
      limitMs: LIMIT_MINUTES * 60_000
    })
    const seconds = (performance.now() - started) / 1000
    if (removed !== size.events / 2) {
      throw new Error(`${removed} events were removed instead of ${size.events / 2}.`)
    }
    await drain(runtime)
    const longest = Math.max(...runtime.lines.map(({ longest_ms }) => longest_ms))
    return report({ seconds, longest, idle, during }, size)
  } finally {
    await runtime.end()
  }
}

type Measured = { seconds: number; longest: number; idle: number[]; during: number[] }

function report(
  { seconds, longest, idle, during }: Measured,
  size: { persons: number; events: number }
): Outcome {
  const [before, meanwhile] = [percentile(idle, 0.95), percentile(during, 0.95)]
  const slowdown = meanwhile / before
  return {
    table: [
      ['', 'measured', 'at most'],
      ['time to remove all events, seconds', rounded(seconds), rounded(MAX_MINUTES * 60)],
      ['longest statement, ms', rounded(longest), rounded(MAX_STATEMENT_MS)],
      ['retrieving another person, p95 on an idle service, ms', rounded(before), ''],
      [
        'retrieving another person, p95 during the removal, ms',
        rounded(meanwhile),
        rounded(before * MAX_SLOWDOWN)
      ]
    ],
    notes: [
      `One person with ${(size.events / 2).toLocaleString('en')} events of about 600 bytes, out of ${size.events.toLocaleString('en')} in the database, and`,
      `${size.persons.toLocaleString('en')} other persons. Other persons are retrieved one at a time, with pauses of ${PAUSE_MS} ms; p95 is ${rounded(slowdown)}× as long during the removal.`
    ],
    missed: [
      ...(seconds > MAX_MINUTES * 60 ? [`${rounded(seconds / 60)} minutes`] : []),
      ...(longest > MAX_STATEMENT_MS ? [`a statement of ${rounded(longest)} ms`] : []),
      ...(slowdown > MAX_SLOWDOWN ? [`${rounded(slowdown)}× p95`] : [])
    ]
  }
}

/**
 * Inserts events straight into the tables, in time order; two million of them span 90 days. Every second event belongs to the
 * erased person, the rest to all others.
 */
async function seedEvents(
  { db }: Runtime,
  projectId: number,
  size: { persons: number; events: number }
): Promise<void> {
  const names = Array.from({ length: KINDS }, (_, n) => ({ id: n + 1, name: `event ${n + 1}` }))
  await db
    .prepare(
      `insert into event_names (id, project_id, name) select value ->> 'id', ?, value ->> 'name' from json_each(?)`
    )
    .bind(projectId, JSON.stringify(names))
    .run()
  for (let from = 0; from < size.events; from += STEP) {
    await db
      .prepare(`
        with recursive numbers(n) as (
          select ${from} union all select n + 1 from numbers where n < ${Math.min(from + STEP, size.events) - 1})
        insert into events (project_id, event_id, timestamp, uuid, identity, session_id, properties)
        select ?1, 1 + (n / 2) % ${KINDS}, 1750000000000 + n * 3888, unhex(printf('%032x', n)),
               iif(n % 2, 1, 3 + n * 40503 % (2 * ?2 - 2)), printf('%08x', n / 20),
               jsonb_object('$browser', 'Firefox', '$os', 'Mac OS X', 'plan', iif(n % 3, 'free', 'pro'), 'n', n,
                            '$current_url', 'https://app.example.com/projects/' || n, 'filler', ?3)
        from numbers`)
      .bind(projectId, size.persons, 'x'.repeat(420))
      .run()
  }
  await db
    .prepare(`
      insert into event_counts (project_id, event_id, slot, count)
      select project_id, event_id, timestamp / 900000, count(*) from events group by 1, 2, 3`)
    .run()
}

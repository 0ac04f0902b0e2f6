import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { HEAVY, historyBatches } from './support/batches.ts'
import { expectEvents, sendAll, untilStored } from './support/bursts.ts'
import { sendOk } from './support/client.ts'
import { type Outcome, rounded } from './support/report.ts'
import { drain, inTemporaryAsync, type Runtime, startWorkers } from './support/runtime.ts'
import { seal } from './support/seal.ts'
import { seedProject } from './support/seed.ts'
import { waitUntil } from './support/waiting.ts'

/** Round trips to the database, ms. The first one is the local database as it is. */
const DISTANCES = [0, 30, 100]
/** Target: time of a job, as a multiple of its time without the distance. */
const MAX_SLOWDOWN = 3
/** Persons who are erased one by one, in addition to the heaviest. */
const ERASED = 40

/** Time after which a job is given up, ms. */
const LIMIT_MS = 1_800_000

type Size = { events: number; erased: number }

/** The jobs, in the order in which they run on the same database. */
const JOBS = ['backfill', 'sealing', 'deletion', 'replay'] as const
type Job = (typeof JOBS)[number]
type Times = Record<Job, { seconds: number; trips: number }>

/** Measures how long jobs take the farther the database is. */
export async function benchLatency(isSmoke: boolean): Promise<Outcome> {
  const size = isSmoke ? { events: 2_000, erased: 2 } : { events: 100_000, erased: ERASED }
  const measured: Times[] = []
  for (const distanceMs of DISTANCES) {
    measured.push(await inTemporaryAsync((folder) => measure(folder, distanceMs, size)))
  }
  return report(measured, size)
}

/** Runs the jobs one after the other, with restarts in between to copy the database and to put the copy back. */
async function measure(folder: string, distanceMs: number, size: Size): Promise<Times> {
  const [state, backup] = [join(folder, 'state'), join(folder, 'backup')]
  const using = async <T>(work: (runtime: Runtime) => Promise<T>): Promise<T> => {
    const runtime = await startWorkers({ folder: state, distanceMs })
    try {
      return await work(runtime)
    } finally {
      await runtime.end()
    }
  }
  const first = await using(async (runtime) => {
    const target = await seedProject(runtime, 0, ['*'])
    const backfill = await time(runtime, () => fill(runtime, target, size))
    await drain(runtime)
    const sealing = await time(runtime, () => seal(runtime))
    return { target, backfill, sealing }
  })
  cpSync(join(state, 'd1'), backup, { recursive: true })
  const deletion = await using((runtime) => deleteEvents(runtime, first.target, size))
  rmSync(join(state, 'd1'), { recursive: true })
  cpSync(backup, join(state, 'd1'), { recursive: true })
  const replay = await using((runtime) => replayLedger(runtime, size))
  return { backfill: first.backfill, sealing: first.sealing, deletion, replay }
}

const WEEKLY = '0 5 * * SUN'
const EVERY_MINUTE = '* * * * *'

/** Does the work. @returns its seconds, and its round trips to the database */
async function time(runtime: Runtime, work: () => Promise<unknown>) {
  const before = await runtime.countTrips()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1000
  return { seconds, trips: (await runtime.countTrips()) - before }
}

type Target = { projectId: number; token: string; key: string }

/** Captures a history, and waits until it is stored. */
async function fill(runtime: Runtime, { projectId, token }: Target, { events }: Size) {
  const batches = historyBatches(token, events)
  const logged = runtime.lines.length
  await sendAll(new URL('/batch/', runtime.service), batches)
  await untilStored(runtime, logged, batches)
  await expectEvents(runtime, projectId, 0, batches)
}

const Found = z.object({
  results: z.array(z.object({ id: z.int(), distinct_ids: z.array(z.string()) }))
})
const Tried = z.object({ token: z.string() })
/** Whether something is left to delete. */
const IS_LEFT = `select exists (select 1 from events) or exists (select 1 from sessions)
  or exists (select 1 from erasures where status <> 'completed')
  or exists (select 1 from event_removals where completed_at is null) as is_left`

/**
 * Requests the deletion of all events: those of the heaviest person with the person, those of the others by a filter. Some of the
 * others are erased, too. Times the weekly run until everything is deleted.
 */
async function deleteEvents(runtime: Runtime, { projectId, key }: Target, { erased }: Size) {
  const ask = async (method: string, path: string, body?: object) => {
    const { text } = await sendOk(
      new URL(`/api/environments/${projectId}/${path}`, runtime.service),
      { method, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
      body && Buffer.from(JSON.stringify(body))
    )
    return text === '' ? undefined : JSON.parse(text)
  }
  const [heavy] = Found.parse(await ask('GET', `persons?distinct_id=${HEAVY}`)).results
  await ask('DELETE', `persons/${heavy?.id}?delete_events=true`)
  const others = Found.parse(await ask('GET', `persons?limit=${erased}`)).results
  for (const { id } of others) {
    await ask('DELETE', `persons/${id}`)
  }
  const filters = {
    property_filters: [{ key: 'is_heavy', value: ['false'], operator: 'exact', type: 'event' }]
  }
  const { token } = Tried.parse(await ask('POST', 'events/delete', { ...filters, dry_run: true }))
  await ask('POST', 'events/delete', { ...filters, token })
  await drain(runtime)
  // Notes the time in the database and in the bucket. The copy of the database lacks it, and so counts as restored.
  await runtime.fire(EVERY_MINUTE)
  return time(runtime, async () => {
    await runtime.fire(WEEKLY)
    await untilDeleted(runtime)
  })
}

const untilDeleted = ({ db }: Runtime) =>
  waitUntil(
    'everything is deleted',
    async () => (await db.prepare(IS_LEFT).first<number>('is_left')) === 0,
    { everyMs: 100, limitMs: LIMIT_MS }
  )

/** Times the replay of the ledger in the restored database, until its project is no longer held back. */
async function replayLedger(runtime: Runtime, { erased }: Size) {
  const { db } = runtime
  const replay = await time(runtime, async () => {
    do {
      await runtime.fire(EVERY_MINUTE)
    } while ((await db.prepare('select held from projects').first('held')) !== null)
  })
  const again = await db.prepare('select count(*) as count from erasures').first<number>('count')
  if (again !== erased + 1) {
    throw new Error(`The replay has erased ${again} persons again instead of ${erased + 1}.`)
  }
  await drain(runtime)
  return replay
}

function report(measured: Times[], size: Size): Outcome {
  const [near] = measured
  if (!near) {
    throw new Error('Nothing was measured.')
  }
  const slowdownOf = (times: Times, job: Job) => times[job].seconds / near[job].seconds
  const far = measured.slice(1)
  return {
    table: [
      ['seconds (round trips)', ...DISTANCES.map((ms) => `${ms} ms`), 'at most'],
      ...JOBS.map((job) => [
        LABELS[job],
        ...measured.map(
          (times) =>
            `${rounded(times[job].seconds)} (${times[job].trips})${times === near ? '' : `, ${rounded(slowdownOf(times, job))}×`}`
        ),
        `${MAX_SLOWDOWN}×`
      ])
    ],
    notes: [
      `${size.events.toLocaleString('en')} events of about 600 bytes, four fifths of them of one person, and ${size.erased} persons erased besides. Each`,
      `statement or batch to the database takes ${DISTANCES.slice(1).join(' or ')} ms longer; in parentheses, how many there were.`
    ],
    missed: far.flatMap((times, i) =>
      JOBS.filter((job) => slowdownOf(times, job) > MAX_SLOWDOWN).map(
        (job) => `${job} at ${DISTANCES[i + 1]} ms: ${rounded(slowdownOf(times, job))}×`
      )
    )
  }
}

const LABELS: Record<Job, string> = {
  backfill: 'capturing a history, until it is stored',
  sealing: 'sealing',
  deletion: 'the weekly run, until all events are deleted',
  replay: 'replaying the ledger in a restored database'
}

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '../scripts/migrate.ts'
import { INSERT } from './bare/insert.ts'
import {
  BATCH_EVENTS,
  type Batch,
  busyBatch,
  firstBatches,
  NEW_PERSONS
} from './support/batches.ts'
import {
  BARE_PROJECT,
  countEvents,
  expectEvents,
  fillBare,
  SENDERS,
  sendAll,
  untilStored
} from './support/bursts.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { inTemporary, migrationsDir, type Runtime, startWorkers } from './support/runtime.ts'
import { seedProject } from './support/seed.ts'

/** Target: events per second, until they can be queried, as a share of the bare route's figure. */
const MIN_SHARE = 0.45
/** Target: events per second, until they can be queried. */
const MIN_PER_SECOND = 3_000

/** Measures events per second from HTTP to the database, until the last event of a burst is stored. */
export async function benchCapture(isSmoke: boolean): Promise<Outcome> {
  const size = isSmoke
    ? { persons: 200, known: 100, batches: 2, rounds: 1 }
    : { persons: 100_000, known: 5_000, batches: 300, rounds: 3 }
  const runtime = await startWorkers()
  try {
    const { projectId, token } = await seedProject(runtime, size.persons)
    const known = Array.from(
      { length: size.known },
      (_, i) => 1 + i * Math.floor(size.persons / size.known)
    )
    await fillService(runtime, projectId, firstBatches(token, known))

    const rounds = []
    for (let round = 0; round < size.rounds; round += 1) {
      const first = size.persons + 1 + round * size.batches * NEW_PERSONS
      const batches = Array.from({ length: size.batches }, (_, i) =>
        busyBatch(token, known, first + i * NEW_PERSONS)
      )
      const ofService = await fillService(runtime, projectId, batches)
      rounds.push({
        ...ofService,
        bare: await fillBare(runtime, batches),
        sqlite: fillSqlite(batches)
      })
    }
    return report(rounds, size)
  } finally {
    await runtime.end()
  }
}

type Seconds = { stored: number; accepted: number; bare: number; sqlite: number }

function report(rounds: Seconds[], size: { persons: number; batches: number }): Outcome {
  const perSecond = (of: keyof Seconds) =>
    rounds.map((seconds) => (size.batches * BATCH_EVENTS) / seconds[of])
  const median = (of: keyof Seconds) => percentile(perSecond(of), 0.5)
  const share = median('stored') / median('bare')
  const row = (name: string, of: keyof Seconds) => [
    name,
    rounded(median(of)),
    perSecond(of).map(rounded).join(' · ')
  ]
  return {
    table: [
      ['events per second', 'median', 'rounds'],
      row('service, from HTTP to queryable', 'stored'),
      row('service, from HTTP to accepted', 'accepted'),
      row('bare route, from HTTP to queryable', 'bare'),
      row("`node:sqlite`, the bare route's insert alone", 'sqlite')
    ],
    notes: [
      `${size.batches} requests of ${BATCH_EVENTS} events per round, from ${SENDERS} senders, with ${size.persons.toLocaleString('en')} persons in the database. The service reaches`,
      `${rounded(share)} of the bare route. Target: ${MIN_SHARE}, and ${MIN_PER_SECOND.toLocaleString('en')} per second.`
    ],
    missed: [
      ...(median('stored') < MIN_PER_SECOND ? [`${rounded(median('stored'))} per second`] : []),
      ...(share < MIN_SHARE ? [`${rounded(share)} of the bare route`] : [])
    ]
  }
}

/** Captures the batches. @returns seconds until the last batch was accepted, and until all events were stored */
async function fillService(runtime: Runtime, projectId: number, batches: Batch[]) {
  const before = await countEvents(runtime, projectId)
  const logged = runtime.lines.length
  const started = performance.now()
  await sendAll(new URL('/batch/', runtime.service), batches)
  const accepted = performance.now() - started
  await untilStored(runtime, logged, batches)
  const stored = performance.now() - started
  await expectEvents(runtime, projectId, before, batches)
  return { accepted: accepted / 1000, stored: stored / 1000 }
}

/** Measures the insert alone, in a separate database file like D1's. */
function fillSqlite(batches: Batch[]): number {
  return inTemporary((folder) => {
    const db = new DatabaseSync(join(folder, 'events.sqlite'))
    db.exec('pragma journal_mode = wal; pragma synchronous = normal')
    for (const { statements } of readMigrations(migrationsDir)) {
      for (const statement of statements) {
        db.exec(statement)
      }
    }
    const insert = db.prepare(INSERT)
    const started = performance.now()
    for (const { json } of batches) {
      insert.run(BARE_PROJECT, json)
    }
    const ms = performance.now() - started
    db.close()
    return ms / 1000
  })
}

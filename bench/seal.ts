import { cpSync } from 'node:fs'
import { join } from 'node:path'
import {
  BATCH_EVENTS,
  type Batch,
  busyBatch,
  firstBatches,
  NEW_PERSONS
} from './support/batches.ts'
import { fillBare, sendAll, untilStored } from './support/bursts.ts'
import { loadOthersFor, OTHERS, type OthersTimes, type Target } from './support/others.ts'
import { type Outcome, rounded } from './support/report.ts'
import {
  drain,
  inTemporaryAsync,
  measureStorage,
  type Runtime,
  startWorkers
} from './support/runtime.ts'
import { type Sealed, seal } from './support/seal.ts'
import { seedProject, storePersons } from './support/seed.ts'
import { storeEvents } from './support/storing.ts'

/** Target: seconds to seal all events, without other traffic. */
const MAX_SECONDS = 60
/** Target: share of the events that is sealed. The newest events of a name are not sealed while they are few. */
const MIN_SEALED = 0.95
/** Target: rows written per 1,000 events. */
const MAX_WRITTEN = 100
/** Target: storage that the columns add, as a share of the storage of the rows that they copy. */
const MAX_STORAGE = 0.15
/** Target: milliseconds by which sealing prolongs other requests, p95. */
const MAX_LONGER_MS = 25
/** Target: events captured per second during sealing, as a share of the bare route's figure on an idle service. */
const MIN_SHARE = 0.35

type Size = { events: number; persons: number; idleMs: number; known: number; batches: number }

type Measured = {
  alone: Sealed
  storage: { rows: number; columns: number }
  idle: OthersTimes
  meanwhile: OthersTimes
  /** Seconds of the bare route, and of the service. */
  burst: { bare: number; service: number }
}

/** Measures what sealing costs, alone, under steady traffic and under a burst of events. */
export async function benchSeal(isSmoke: boolean): Promise<Outcome> {
  const size: Size = isSmoke
    ? { events: 1_000, persons: 100, idleMs: 100, known: 50, batches: 2 }
    : { events: 1_000_000, persons: 50_000, idleMs: 20_000, known: 5_000, batches: 300 }
  return await inTemporaryAsync(async (folder) => {
    const alone = join(folder, 'alone')
    const [steady, burst] = [join(folder, 'steady'), join(folder, 'burst')]
    const target = await using(alone, (runtime) => seed(runtime, size))
    cpSync(alone, steady, { recursive: true })
    cpSync(alone, burst, { recursive: true })

    const before = measureStorage(alone)
    const sealed = await using(alone, seal)
    const after = measureStorage(alone)
    return report(
      {
        alone: sealed,
        storage: { rows: before.events, columns: after.all - before.all },
        ...(await using(steady, (runtime) => measureSteady(runtime, target, size, sealed.seconds))),
        burst: await using(burst, (runtime) => measureBurst(runtime, target, size))
      },
      size
    )
  })
}

async function using<T>(folder: string, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await startWorkers({ folder })
  try {
    return await work(runtime)
  } finally {
    await runtime.end()
  }
}

async function seed(runtime: Runtime, size: Size): Promise<Target> {
  const { projectId, key, token } = await seedProject(runtime, 0)
  await storePersons(runtime.db, projectId, size.persons)
  await storeEvents(runtime, projectId, size)
  return { projectId, key, token, persons: size.persons }
}

/**
 * Measures other requests before sealing, and then for as long as sealing took alone. Under traffic sealing takes longer,
 * so it is at work during the whole measurement.
 */
async function measureSteady(runtime: Runtime, target: Target, size: Size, aloneSeconds: number) {
  const idle = await loadOthersFor(size.idleMs, runtime, target)
  const [meanwhile] = await Promise.all([
    loadOthersFor(aloneSeconds * 1000, runtime, target),
    seal(runtime)
  ])
  return { idle, meanwhile }
}

/**
 * Captures the same number of events through the bare route, and through the service while it seals.
 * @returns seconds of both
 */
async function measureBurst(runtime: Runtime, { token, persons }: Target, size: Size) {
  const known = Array.from(
    { length: size.known },
    (_, i) => 1 + i * Math.floor(persons / size.known)
  )
  const batchesFrom = (first: number) =>
    Array.from({ length: size.batches }, (_, i) => busyBatch(token, known, first + i * NEW_PERSONS))
  await sendAll(new URL('/batch/', runtime.service), firstBatches(token, known))
  await drain(runtime)
  // The new persons of the bare route and of the service have different numbers, above all seeded ones.
  const bare = await fillBare(runtime, batchesFrom(2 * persons))
  const batches = batchesFrom(3 * persons)
  const [service] = await Promise.all([fillService(runtime, batches), seal(runtime)])
  return { bare, service }
}

/** Captures the batches through the service. @returns seconds until all events were stored */
async function fillService(runtime: Runtime, batches: Batch[]): Promise<number> {
  const logged = runtime.lines.length
  const started = performance.now()
  await sendAll(new URL('/batch/', runtime.service), batches)
  await untilStored(runtime, logged, batches)
  return (performance.now() - started) / 1000
}

type Row = { name: string; value: number; most?: number; least?: number }

const rowsOf = ({ alone, storage, idle, meanwhile, burst }: Measured, size: Size): Row[] => [
  { name: 'share of events sealed', value: alone.events / size.events, least: MIN_SEALED },
  { name: 'seconds', value: alone.seconds, most: MAX_SECONDS },
  { name: 'longest statement, ms', value: alone.longestMs },
  {
    name: 'rows written per 1,000 events',
    value: (1_000 * alone.rowsWritten) / size.events,
    most: MAX_WRITTEN
  },
  {
    name: 'storage of columns : rows',
    value: storage.columns / storage.rows,
    most: MAX_STORAGE
  },
  { name: 'retrieving a person on an idle service, p95, ms', value: idle.person },
  {
    name: 'retrieving a person during sealing, p95, ms',
    value: meanwhile.person,
    most: idle.person + MAX_LONGER_MS
  },
  { name: 'capturing 100 events on an idle service, p95, ms', value: idle.capture },
  {
    name: 'capturing 100 events during sealing, p95, ms',
    value: meanwhile.capture,
    most: idle.capture + MAX_LONGER_MS
  },
  {
    name: 'events captured per second during sealing : bare route on an idle service',
    value: burst.bare / burst.service,
    least: MIN_SHARE
  }
]

const isMissed = ({ value, most = Number.POSITIVE_INFINITY, least = 0 }: Row): boolean =>
  value > most || value < least

function limitOf({ most, least }: Row): string {
  if (most !== undefined) {
    return `at most ${rounded(most)}`
  }
  return least === undefined ? '' : `at least ${rounded(least)}`
}

function report(measured: Measured, size: Size): Outcome {
  const rows = rowsOf(measured, size)
  const { alone, storage, burst } = measured
  return {
    table: [
      ['', 'measured', 'target'],
      ...rows.map((row) => [row.name, rounded(row.value), limitOf(row)])
    ],
    notes: [
      `${size.events.toLocaleString('en')} events of about 600 bytes and ${size.persons.toLocaleString('en')} persons, sealed three times: alone; with ${OTHERS};`,
      `and during a burst of ${size.batches} requests of ${BATCH_EVENTS} events, which took ${rounded(burst.service)} seconds.`,
      ...(burst.service > alone.seconds ? ['Sealing may have ended before the burst.'] : []),
      `Rows take ${rounded(storage.rows / 1e6)} MB with their indexes, columns ${rounded(storage.columns / 1e6)} MB.`
    ],
    missed: rows.filter(isMissed).map((row) => `${row.name} ${rounded(row.value)}`)
  }
}

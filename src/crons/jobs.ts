import { DAY } from '../calendar/units.ts'
import { deleteOldSalts } from '../capture/cookieless/salts.ts'
import { startSealing } from '../columns/run.ts'
import { MANY_LATE } from '../columns/seal.ts'
import { countWrong, verifyColumns } from '../columns/verify.ts'
import { newUsage, openDb } from '../db/client.ts'
import { removeLinks } from '../erasures/completions/links.ts'
import { openSigningKey, publishKey } from '../erasures/receipts/keys.ts'
import { catchUp, MIN_AGE } from '../erasures/restore.ts'
import { startRun, sweepErasures } from '../erasures/run.ts'
import { Ledger } from '../ledger/ledger.ts'
import { readApplied } from '../ledger/store.ts'
import { log } from '../log.ts'
import { isDatabaseHeld } from '../projects/hold.store.ts'
import { isInMaintenance } from '../projects/hold.ts'
import { listProjects } from '../projects/store.ts'
import { readQueuesSince } from '../queues/due.ts'
import { isSpent } from '../queues/invocation.ts'
import { resendWaiting } from '../queues/sweep.ts'
import { sweepRecordings } from '../recordings/purge.ts'
import { type DaysKept, readDaysKept } from '../recordings/retention.ts'
import { sweepOrphans } from '../recordings/sweep.ts'
import { verifyCounts } from '../rollups/verify.ts'
import { closeSessions } from '../sessions/upkeep/close.ts'
import { verifySessions, type WrongSession } from '../sessions/upkeep/verify.ts'
import { DELIVERY_DAYS, purgeDeliveries } from '../subscriptions/deliveries/store.ts'
import { runDue } from '../subscriptions/due.ts'
import { inEachDatabase, type Job, once } from './run.ts'

/**
 * Limits of the nightly verification, divided equally among the databases: D1 allows 1,000 queries per run. `npm run verify`
 * verifies everything.
 */
const VERIFIED_PER_NIGHT = {
  /** Queries for event counts: 125 names, or 25 million events of one name. */
  countQueries: 250,
  /** Pages of sessions, a query each: 20,000 sessions. */
  sessionPages: 100,
  /** Segments, chunks of actors, and chunks of versions, this many of each; together they take 500 queries. */
  columns: 20
}

/**
 * Queries after which no further transaction closes sessions, divided equally among the databases. D1 allows 1,000 per run;
 * the rest is for the transaction in progress, which takes 10 queries, or 100 if its events are large, and for the trigger's
 * other jobs.
 */
const CLOSING_QUERIES = 600

/** Starts the weekly run of erasures. */
export const startErasureRun = inEachDatabase('weekly run', async ({ db, database }, run) => {
  const scheduled = { scheduledFor: run.scheduledTime, startedBy: 'cron' as const }
  const sent = await startRun(db, run.env.ERASURE_QUEUE, scheduled, run.now)
  log('info', 'weekly run', { database, sent })
})

/** Resends the messages of captured requests and recording parts that still wait in the R2 bucket. */
export const sweepQueues = once('sweep of queues', async ({ env, now }) => {
  const { sent, isDone } = await resendWaiting(env, now.getTime(), queuesSince(env))
  log('info', 'sweep of queues', { sent, done: isDone })
})

/** Deletes the daily salts that are no longer needed for hashing visitors without cookies. */
export const sweepSalts = once('sweep of salts', async ({ env, now }) => {
  const deleted = await deleteOldSalts(env.BUCKET, now.getTime())
  if (deleted > 0) {
    log('info', 'sweep of salts', { deleted })
  }
})

/**
 * Applies the ledger of erasures. A restored database is held back until the data that the restore
 * has brought back is erased again.
 */
export const applyErasureLedger = inEachDatabase(
  'replay of the ledger',
  async ({ db, database, usage }, { env, clock }) => {
    const { applied, erased, isRestored, isDone } = await catchUp({
      db,
      database,
      control: openDb(env.DB, usage).db,
      bucket: env.BUCKET,
      queue: env.ERASURE_QUEUE,
      secrets: env,
      setting: env,
      usage,
      clock,
      minAge: MIN_AGE
    })
    if (applied > 0 || isRestored) {
      log('info', 'ledger applied', { database, applied, erased, done: isDone })
    }
  }
)

/** Publishes the key that signs receipts, unless it is published already. */
export const publishSigningKey = once('publishing of the key', async ({ env, now }) => {
  const key = await openSigningKey(env)
  if (key) {
    const applied = await readApplied(openDb(env.DB, newUsage()).db)
    await publishKey(env.BUCKET, key, applied, now.getTime())
  }
})

/**
 * Takes up erasures that were missed or interrupted, or whose message was lost. Removes the links between erasures and the
 * data that they kept after `COMPLETION_DAYS`.
 */
export const sweepOpenErasures = inEachDatabase(
  'sweep of erasures',
  async ({ db, database }, { env, now }) => {
    const sent = await sweepErasures(db, env.ERASURE_QUEUE, now, queuesSince(env))
    const anonymised = await removeLinks(db, now)
    log('info', 'sweep of erasures', { database, sent, anonymised })
  }
)

/** Closes sessions that have ended, up to `CLOSING_QUERIES`. */
export const closeEndedSessions = inEachDatabase(
  'closing of sessions',
  async ({ db, database, usage, databases }, { now }) => {
    const maxQueries = Math.ceil(CLOSING_QUERIES / databases)
    const closed = await closeSessions(db, now, () => isSpent(usage, maxQueries))
    log('info', 'sessions closed', { database, closed, rows_written: usage.rowsWritten })
  }
)

/**
 * Deletes recordings that are older than their retention, and takes up purges whose message was
 * lost.
 */
export const expireRecordings = inEachDatabase(
  'sweep of recordings',
  async ({ db, database }, { env, now }) => {
    const daysKept = await findDaysKept(env)
    const limits = { daysKept, now: now.getTime(), queuesSince: queuesSince(env) }
    const ledger = new Ledger(env.BUCKET, await readApplied(db))
    const swept = await sweepRecordings(db, env.RECORDING_QUEUE, ledger, limits)
    log('info', 'sweep of recordings', { database, ...swept })
  }
)

/** Begins the weekly sweep of snapshots without a row, unless one is under way. */
export const beginSnapshotSweep = sweepSnapshots(true)
/** Continues the weekly sweep of snapshots until its end. */
export const continueSnapshotSweep = sweepSnapshots(false)

function sweepSnapshots(begins: boolean): Job {
  return inEachDatabase('sweep of snapshots', async ({ db, database }, { env, scheduledTime }) => {
    const all = await listProjects(openDb(env.DB, newUsage()).db)
    const projects = all.filter((one) => one.database === database).map(({ id }) => id)
    const daysKept = await findDaysKept(env)
    const limits = { database, projects, daysKept, now: scheduledTime, begins }
    const swept = await sweepOrphans(db, env.BUCKET, limits)
    if (swept) {
      log('info', 'weekly sweep of recordings', {
        database,
        removed: swept.removed,
        done: swept.isDone
      })
    }
  })
}

/** Queues the projects whose columns have to be built; up to 256 late events of a segment are no reason. */
export const sealColumns = seal({ minLate: MANY_LATE, isThorough: false })
/** Queues the projects whose columns have to be built; a single late event, or many new versions of persons, are reason enough. */
export const sealThoroughly = seal({ minLate: 1, isThorough: true })

function seal(how: { minLate: number; isThorough: boolean }): Job {
  return inEachDatabase('sealing', async ({ db, database, usage }, { env, now }) => {
    const sent = await startSealing(db, env.COLUMNS_QUEUE, { now, ...how })
    log('info', 'sealing', { database, sent, rows_read: usage.rowsRead })
  })
}

/** Verifies event counts, sessions and columns against the rows that they are computed from, up to `VERIFIED_PER_NIGHT`. */
export const verifyNightly = inEachDatabase(
  'nightly verification',
  async ({ db, database, databases }) => {
    const shareOf = (most: number) => Math.ceil(most / databases)
    const { first: wrongCounts, ...counts } = await verifyCounts(
      db,
      shareOf(VERIFIED_PER_NIGHT.countQueries)
    )
    log(counts.wrong > 0 ? 'error' : 'info', 'nightly verification', {
      database,
      ...counts,
      first: wrongCounts[0]
    })
    const {
      first: [wrongSession],
      ...sessions
    } = await verifySessions(db, shareOf(VERIFIED_PER_NIGHT.sessionPages))
    log(sessions.wrong > 0 ? 'error' : 'info', 'nightly verification of sessions', {
      database,
      ...sessions,
      first: wrongSession && withoutId(wrongSession)
    })
    const verified = await verifyColumns(db, shareOf(VERIFIED_PER_NIGHT.columns))
    const {
      first_segments: [segment],
      first_chunks: [chunk],
      first_version_chunks: [version_chunk],
      ...columns
    } = verified
    log(countWrong(verified) > 0 ? 'error' : 'info', 'nightly verification of columns', {
      database,
      ...columns,
      segment,
      chunk,
      version_chunk
    })
  }
)

/** Removes finished deliveries after `DELIVERY_DAYS`. */
export const sweepDeliveries = inEachDatabase(
  'sweep of deliveries',
  async ({ db, database }, run) => {
    const removed = await purgeDeliveries(db, run.now.getTime() - DELIVERY_DAYS * DAY)
    log('info', 'nightly sweep of deliveries', { database, removed })
  }
)

/** Queues the deliveries that are due; they wait while their database is held back or the service is in maintenance. */
export const deliverDue = inEachDatabase(
  'due subscriptions',
  async ({ db, database, usage }, { env, now }) => {
    if (isInMaintenance(env) || (await isDatabaseHeld(openDb(env.DB, newUsage()).db, database))) {
      return
    }
    const due = await runDue(db, env.DELIVERY_QUEUE, now, queuesSince(env))
    if (due.claimed + due.resent > 0) {
      log('info', 'due subscriptions', {
        database,
        ...due,
        rows_read: usage.rowsRead,
        rows_written: usage.rowsWritten
      })
    }
  }
)

/**
 * Reads each project's retention from the control database, for sweeps of the databases with the
 * projects' data.
 */
const findDaysKept = (env: Env): Promise<DaysKept> =>
  readDaysKept(openDb(env.DB, newUsage()).db, env)

const queuesSince = (env: Env): number => readQueuesSince(env.QUEUES_SINCE)

/**
 * Leaves out the session's id, which an SDK chose and which must not be logged; `npm run verify`
 * shows it.
 */
const withoutId = ({ session_id: _, ...session }: WrongSession): Omit<WrongSession, 'session_id'> =>
  session

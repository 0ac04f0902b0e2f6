import { isDatabaseHeld } from '../access/hold.store.ts'
import { isInMaintenance } from '../access/hold.ts'
import { listDatabases, listProjects } from '../access/store.ts'
import { keepAccessLog } from '../access-log/upkeep.ts'
import { DAY } from '../calendar/units.ts'
import { deleteOldSalts } from '../capture/cookieless/salts.ts'
import { countDamaged, forgetDamaged } from '../columns/damage.store.ts'
import { startSealing } from '../columns/run.ts'
import { verifyCounts } from '../columns/slots/verify.ts'
import { countWrong, verifyColumns } from '../columns/verify.ts'
import { startRun, sweepErasures } from '../erasures/engine/run.ts'
import { removeLinks } from '../erasures/kept-data/links.ts'
import { openSigningKey, publishKey } from '../erasures/receipts/keys.ts'
import { checkNamed } from '../erasures/replay/named.ts'
import { catchUp, MIN_AGE } from '../erasures/replay/restore.ts'
import { openLedger } from '../ledger/ledger.ts'
import { listApplied } from '../ledger/store.ts'
import { walkLedger } from '../ledger/walk.ts'
import { log } from '../log.ts'
import { removeOldRuns } from '../query/store.ts'
import { isSpent } from '../queues/invocation.ts'
import { resendWaiting } from '../queues/sweep.ts'
import { readQueuesSince } from '../queues/sweep-window.ts'
import { sweepRecordings } from '../recordings/purge.ts'
import { readDaysKept } from '../recordings/retention.ts'
import { SWEEP_LIMITS, sweepOrphans } from '../recordings/sweep.ts'
import { closeSessions } from '../sessions/upkeep/close.ts'
import { verifySessions, type WrongSession } from '../sessions/upkeep/verify.ts'
import { DELIVERY_DAYS, PURGE, purgeDeliveries } from '../subscriptions/deliveries/store.ts'
import { runDue } from '../subscriptions/due.ts'
import { type Cron, EVERY_15_MINUTES, EVERY_MINUTE, NIGHTLY, WEEKLY } from './cron.ts'
import { inEachDatabase, type Job, once } from './run.ts'

/* The queries of all jobs of a trigger together are at most `MAX_JOB_QUERIES`. */

/** Limits per night, divided among the databases. `npm run verify` verifies everything. */
const VERIFIED_PER_NIGHT = {
  /** Queries for event counts: 75 names, or 15 million events of one name. */
  countQueries: 150,
  /** Pages of sessions, a query each: 15,000 sessions. */
  sessionPages: 75,
  /** Segments, chunks of actors and of versions, this many of each: usually 400 queries. */
  columns: 16
}

/**
 * Requests to the bucket per night to walk through the ledger: 990 entries, or 19 lists of deleted
 * events. They take some ten seconds, because R2 answers six at a time, and are a tenth of those
 * that the platform allows.
 */
const WALKED_PER_NIGHT = 1_000

/**
 * Databases whose last applied entry the walk of a night knows, by a query each. More databases
 * take turns, night after night.
 */
const KNOWN_PER_NIGHT = 37

/** Projects per night whose access log is kept: a request to the bucket for each at least. */
const KEPT_PER_NIGHT = 500

const startErasureRun = inEachDatabase(
  { job: 'weekly run', queries: 500 },
  async ({ db, database }, run) => {
    const scheduled = { scheduledFor: run.scheduledTime, startedBy: 'cron' as const }
    const sent = await startRun(db, run.env.ERASURE_QUEUE, scheduled, run.now)
    log('info', 'weekly run', { database, sent })
  }
)

const sweepQueues = once({ job: 'sweep of queues', queries: 10 }, async ({ env, now }) => {
  const { sent, isDone } = await resendWaiting(env, now.getTime(), queuesSince(env))
  log('info', 'sweep of queues', { sent, done: isDone })
})

const sweepSalts = once({ job: 'sweep of salts', queries: 10 }, async ({ env, now }) => {
  const deleted = await deleteOldSalts(env.BUCKET, now.getTime())
  if (deleted > 0) {
    log('info', 'sweep of salts', { deleted })
  }
})

/**
 * Applies the ledger of erasures. A restored database is held back until the data that the restore
 * has brought back is erased again.
 */
const applyErasureLedger = inEachDatabase(
  { job: 'replay of the ledger', queries: 830 },
  async ({ db, database, usage, control }, { env, clock }) => {
    const { applied, erased, isRestored, isDone } = await catchUp({
      db,
      database,
      control,
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

/**
 * Checks the next part of the ledger, up to `WALKED_PER_NIGHT`. Fails if an entry, or an object
 * that it names, is damaged or missing. What databases have applied has to be there.
 */
const walkErasureLedger = once(
  { job: 'walk of the ledger', queries: 1 + KNOWN_PER_NIGHT },
  async ({ env, scheduledTime }, control, usage) => {
    const all = await listDatabases(control)
    const first = (Math.floor(scheduledTime / DAY) * KNOWN_PER_NIGHT) % all.length
    const known = [...all.slice(first), ...all.slice(0, first)].slice(0, KNOWN_PER_NIGHT)
    const applied = await listApplied(env, known, usage)
    const limits = { applied, most: WALKED_PER_NIGHT }
    const { fault, ...walked } = await walkLedger(env.BUCKET, { checkNamed, ...limits })
    log('info', 'walk of the ledger', walked)
    if (fault) {
      throw new Error(fault.text)
    }
  }
)

/**
 * Deletes old entries of the access log, and joins its small objects. More projects than a night
 * has time for take turns.
 */
const keepAccessLogs = once(
  { job: 'upkeep of the access log', queries: 2 },
  async ({ env, now, scheduledTime }, control) => {
    const all = await listProjects(control)
    const first = (Math.floor(scheduledTime / DAY) * KEPT_PER_NIGHT) % Math.max(1, all.length)
    const turn = [...all.slice(first), ...all.slice(0, first)].slice(0, KEPT_PER_NIGHT)
    const total = { deleted: 0, joined: 0 }
    for (const { id } of turn) {
      const { deleted, joined } = await keepAccessLog(env.BUCKET, id, now.getTime())
      total.deleted += deleted
      total.joined += joined
    }
    log('info', 'upkeep of the access log', { projects: turn.length, ...total })
  }
)

/** Publishes the key that signs receipts, unless it is published already. */
const publishSigningKey = once(
  { job: 'publishing of the key', queries: 10 },
  async ({ env, now }, control) => {
    const key = await openSigningKey(env)
    if (key) {
      await publishKey(env.BUCKET, key, await openLedger(env, control), now.getTime())
    }
  }
)

/**
 * Takes up erasures that were missed or interrupted, or whose message was lost. Removes the links
 * between erasures and the data that they kept after `COMPLETION_DAYS`.
 */
const sweepOpenErasures = inEachDatabase(
  { job: 'sweep of erasures', queries: 100 },
  async ({ db, database, usage }, { env, now }) => {
    const sent = await sweepErasures(db, env.ERASURE_QUEUE, now, queuesSince(env))
    const anonymised = await removeLinks(db, now, () => isSpent(usage))
    log('info', 'sweep of erasures', { database, sent, anonymised })
  }
)

/** A transaction takes 10 queries, or 100 if its events are large. */
const closeEndedSessions = inEachDatabase(
  { job: 'closing of sessions', queries: 400 },
  async ({ db, database, usage }, { now }) => {
    const closed = await closeSessions(db, now, () => isSpent(usage))
    log('info', 'sessions closed', { database, closed, rows_written: usage.rowsWritten })
  }
)

/**
 * Deletes recordings that are older than their retention, and takes up purges whose message was
 * lost.
 */
const expireRecordings = inEachDatabase(
  { job: 'sweep of recordings', queries: 200 },
  async ({ db, database, usage, control }, { env, now }) => {
    const daysKept = await readDaysKept(control, env)
    const limits = {
      daysKept,
      now: now.getTime(),
      queuesSince: queuesSince(env),
      isSpent: () => isSpent(usage)
    }
    const ledger = await openLedger(env, db)
    const swept = await sweepRecordings(db, env.RECORDING_QUEUE, ledger, limits)
    log('info', 'sweep of recordings', { database, ...swept })
  }
)

const sweepRuns = inEachDatabase(
  { job: 'sweep of queries', queries: 10 },
  async ({ db }, { now }) => {
    await removeOldRuns(db, now.getTime())
  }
)

const beginSnapshotSweep = sweepSnapshots(true)
const continueSnapshotSweep = sweepSnapshots(false)

function sweepSnapshots(begins: boolean): Job {
  return inEachDatabase(
    { job: 'sweep of snapshots', queries: 80 },
    async ({ db, database, control, databases }, { env, scheduledTime }) => {
      const all = await listProjects(control)
      const projects = all.filter((one) => one.database === database).map(({ id }) => id)
      const daysKept = await readDaysKept(control, env)
      const sweep = { database, projects, daysKept, now: scheduledTime, begins }
      const pages = Math.ceil(SWEEP_LIMITS.pages / databases)
      const swept = await sweepOrphans(db, env.BUCKET, sweep, { ...SWEEP_LIMITS, pages })
      if (swept) {
        log('info', 'weekly sweep of recordings', {
          database,
          removed: swept.removed,
          done: swept.isDone
        })
      }
    }
  )
}

/** Seals projects that have a segment with at least 257 late events. */
const sealColumns = seal(false)
/** Seals projects that have any late event, or many new versions of persons. */
const sealThoroughly = seal(true)

function seal(isThorough: boolean): Job {
  return inEachDatabase(
    { job: 'sealing', queries: 130 },
    async ({ db, database, usage }, { env, now }) => {
      const { sent, isDone } = await startSealing(db, env.COLUMNS_QUEUE, {
        now,
        isThorough,
        isSpent: () => isSpent(usage)
      })
      log('info', 'sealing', { database, sent, done: isDone, rows_read: usage.rowsRead })
    }
  )
}

/**
 * Verifies event counts, sessions and columns against the rows that they are computed from, up to
 * `VERIFIED_PER_NIGHT`. Fails if anything was wrong, also if a request has found it since the last
 * night, so that `/readyz` shows a warning.
 */
const verifyNightly = inEachDatabase(
  { job: 'nightly verification', queries: 640 },
  async ({ db, database, usage, databases }) => {
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
    const verified = await verifyColumns(db, shareOf(VERIFIED_PER_NIGHT.columns), () =>
      isSpent(usage)
    )
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
    const damaged = await countDamaged(db)
    await forgetDamaged(db, damaged)
    if (counts.wrong + sessions.wrong + damaged > 0) {
      throw new Error(
        `Wrong event counts: ${counts.wrong}; sessions: ${sessions.wrong}; segments and chunks since the last night: ${damaged}.`
      )
    }
  }
)

const sweepDeliveries = inEachDatabase(
  { job: 'sweep of deliveries', queries: 140 },
  async ({ db, database, databases }, run) => {
    const limits = { ...PURGE, statements: Math.ceil(PURGE.statements / databases) }
    const removed = await purgeDeliveries(db, run.now.getTime() - DELIVERY_DAYS * DAY, limits)
    log('info', 'nightly sweep of deliveries', { database, removed })
  }
)

/** Queues due deliveries, unless their database is held back or maintenance is on. */
export const deliverDue = inEachDatabase(
  { job: 'due subscriptions', queries: 100 },
  async ({ db, database, usage, control }, { env, now }) => {
    if (isInMaintenance(env) || (await isDatabaseHeld(control, database))) {
      return
    }
    // The rows of projects, which the check reads, are not a cost of deliveries.
    const checked = usage.rowsRead
    const due = await runDue(db, env.DELIVERY_QUEUE, now, {
      queuesSince: queuesSince(env),
      isSpent: () => isSpent(usage)
    })
    if (due.claimed + due.resent > 0) {
      log('info', 'due subscriptions', {
        database,
        ...due,
        rows_read: usage.rowsRead - checked,
        rows_written: usage.rowsWritten
      })
    }
  }
)

const queuesSince = (env: Env): number => readQueuesSince(env.QUEUES_SINCE)

/**
 * Leaves out the session's id, which an SDK chose and which must not be logged; `npm run verify`
 * shows it.
 */
const withoutId = ({ session_id: _, ...session }: WrongSession): Omit<WrongSession, 'session_id'> =>
  session

/** The jobs of each Cron Trigger in wrangler.toml, in the order in which they run. */
export const JOBS: Record<Cron, Job[]> = {
  [WEEKLY]: [startErasureRun, beginSnapshotSweep],
  [EVERY_15_MINUTES]: [
    sweepQueues,
    sweepSalts,
    sweepOpenErasures,
    sealColumns,
    expireRecordings,
    continueSnapshotSweep,
    closeEndedSessions,
    sweepRuns
  ],
  [NIGHTLY]: [sealThoroughly, sweepDeliveries, keepAccessLogs, walkErasureLedger, verifyNightly],
  [EVERY_MINUTE]: [applyErasureLedger, publishSigningKey, deliverDue]
}

import { deleteOldSalts } from '../capture/cookieless/salts.ts'
import { type Db, newUsage, openDb, type Usage } from '../db/client.ts'
import { databaseOf } from '../db/databases.ts'
import { startRun, sweepErasures } from '../erasures/run.ts'
import { isWeekly } from '../erasures/schedule.ts'
import { describeError } from '../errors.ts'
import { log } from '../log.ts'
import { listDatabases } from '../projects/store.ts'
import { readQueuesSince } from '../queues/due.ts'
import { resendWaiting } from '../queues/sweep.ts'
import { readRetention, sweepRecordings } from '../recordings/purge.ts'
import { sweepOrphans } from '../recordings/sweep.ts'
import { verifyCounts } from '../rollups/verify.ts'
import { closeSessions } from '../sessions/upkeep/close.ts'
import { verifySessions, type WrongSession } from '../sessions/upkeep/verify.ts'
import { runDue } from '../subscriptions/due.ts'
import { purgeDeliveries } from '../subscriptions/ledger/store.ts'
import { MINUTELY, NIGHTLY, QUARTER_HOURLY } from './cron.ts'

/** Of sessions that are verified each night: 20,000 of them. The command compares all. */
const NIGHTLY_PIECES = 100

const DAY = 86_400_000
/** How long subscriptions tell what was delivered. */
const LOG_DAYS = 90

/** Moments of a run: when it begins, and for when it was scheduled, ms UTC. */
type Times = { now: Date; scheduledTime: number }

/**
 * Does the jobs of a Cron Trigger, each whatever becomes of the others; what goes wrong is logged.
 * @returns how many failed
 */
export async function runJobs(cron: string, env: Env, times: Times): Promise<number> {
  const jobs = new Jobs(env, times)
  if (isWeekly(cron)) {
    await jobs.weekly()
  } else if (cron === QUARTER_HOURLY) {
    await jobs.quarterHourly()
  } else if (cron === NIGHTLY) {
    await jobs.nightly()
  } else if (cron === MINUTELY) {
    await jobs.minutely()
  } else {
    log('error', 'no job for this cron', { cron })
    return 1
  }
  return jobs.failed
}

class Jobs {
  readonly #env: Env
  readonly #now: Date
  readonly #scheduledTime: number
  failed = 0

  constructor(env: Env, { now, scheduledTime }: Times) {
    this.#env = env
    this.#now = now
    this.#scheduledTime = scheduledTime
  }

  async weekly(): Promise<void> {
    const run = { scheduledFor: this.#scheduledTime, startedBy: 'cron' as const }
    await this.#inDatabases(async (db, database) => {
      const sent = await startRun(db, this.#env.ERASURE_QUEUE, run, this.#now)
      log('info', 'weekly batch', { database, sent })
    })
    await this.#sweepSnapshots(true)
  }

  async quarterHourly(): Promise<void> {
    const { BUCKET: bucket, CAPTURE_QUEUE, RECORDING_QUEUE, ERASURE_QUEUE } = this.#env
    const now = this.#now.getTime()
    await this.#attempt({ job: 'sweep of queues' }, async () => {
      const queues = { bucket, captureQueue: CAPTURE_QUEUE, recordingQueue: RECORDING_QUEUE }
      const { sent, isDone } = await resendWaiting(queues, now, this.#queuesSince())
      log('info', 'sweep of queues', { sent, done: isDone })
    })
    await this.#attempt({ job: 'sweep of salts' }, async () => {
      const deleted = await deleteOldSalts(bucket, now)
      if (deleted > 0) {
        log('info', 'sweep of salts', { deleted })
      }
    })
    await this.#inDatabases(async (db, database) => {
      const sent = await sweepErasures(db, ERASURE_QUEUE, this.#now, this.#queuesSince())
      log('info', 'quarter-hourly sweep', { database, sent })
    })
    await this.#inDatabases(async (db, database, usage) => {
      const closed = await closeSessions(db, this.#now)
      log('info', 'sessions closed', { database, closed, rows_written: usage.rowsWritten })
    })
    await this.#inDatabases(async (db, database) => {
      const retentionDays = readRetention(this.#env.RECORDING_RETENTION_DAYS)
      const limits = { retentionDays, now, queuesSince: this.#queuesSince() }
      const swept = await sweepRecordings(db, RECORDING_QUEUE, limits)
      log('info', 'sweep of recordings', { database, ...swept })
    })
    await this.#sweepSnapshots(false)
  }

  async nightly(): Promise<void> {
    await this.#inDatabases(async (db, database) => {
      const { first, ...summary } = await verifyCounts(db)
      log(summary.wrong > 0 ? 'error' : 'info', 'nightly verification', {
        database,
        ...summary,
        first: first[0]
      })
      const { first: session, ...found } = await verifySessions(db, NIGHTLY_PIECES)
      log(found.wrong > 0 ? 'error' : 'info', 'nightly verification of sessions', {
        database,
        ...found,
        first: session[0] && withoutId(session[0])
      })
    })
    await this.#inDatabases(async (db, database) => {
      const removed = await purgeDeliveries(db, this.#now.getTime() - LOG_DAYS * DAY)
      log('info', 'nightly sweep of deliveries', { database, removed })
    })
  }

  async minutely(): Promise<void> {
    await this.#inDatabases(async (db, database, usage) => {
      const due = await runDue(db, this.#env.DELIVERY_QUEUE, this.#now, this.#queuesSince())
      const { rowsRead: rows_read, rowsWritten: rows_written } = usage
      if (due.claimed + due.resent > 0) {
        log('info', 'due subscriptions', { database, ...due, rows_read, rows_written })
      }
    })
  }

  #queuesSince(): number {
    return readQueuesSince(this.#env.QUEUES_SINCE)
  }

  /** The weekly cron begins a sweep, and the quarter-hourly one goes on with it until its end. */
  #sweepSnapshots(begins: boolean): Promise<void> {
    return this.#inDatabases(async (db, database) => {
      const retentionDays = readRetention(this.#env.RECORDING_RETENTION_DAYS)
      const limits = { database, retentionDays, now: this.#scheduledTime, begins }
      const swept = await sweepOrphans(db, this.#env.BUCKET, limits)
      if (swept) {
        const { removed, isDone: done } = swept
        log('info', 'weekly sweep of recordings', { database, removed, done })
      }
    })
  }

  /** Does a job in every database that holds projects' data. */
  async #inDatabases(
    job: (db: Db, database: string, usage: Usage) => Promise<void>
  ): Promise<void> {
    for (const database of await listDatabases(openDb(this.#env.DB, newUsage()).db)) {
      await this.#attempt({ database }, async () => {
        const usage = newUsage()
        await job(openDb(databaseOf(this.#env, database), usage).db, database, usage)
      })
    }
  }

  async #attempt(name: Record<string, string>, job: () => Promise<void>): Promise<void> {
    try {
      await job()
    } catch (error) {
      this.failed += 1
      log('error', 'scheduled job failed', { ...name, error: describeError(error) })
    }
  }
}

/** Without the id that an SDK has given the session: `npm run verify` shows it. */
const withoutId = ({ session_id: _, ...session }: WrongSession): Omit<WrongSession, 'session_id'> =>
  session

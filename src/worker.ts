import { createApp } from './app.ts'
import { consumeCapture } from './capture/consumer.ts'
import { deleteOldSalts } from './capture/cookieless/salts.ts'
import { parkDeadLetters } from './capture/dead.ts'
import { readSpill } from './capture/enqueue.ts'
import { type Db, newUsage, openDb, type Usage } from './db/client.ts'
import { databaseOf } from './db/databases.ts'
import { consumeErasures } from './erasures/consumer.ts'
import { startRun, sweepErasures } from './erasures/run.ts'
import { isWeekly } from './erasures/schedule.ts'
import { describeError } from './errors.ts'
import { log } from './log.ts'
import { listDatabases } from './projects/store.ts'
import { readQueuesSince } from './queues/due.ts'
import { resendWaiting } from './queues/sweep.ts'
import { consumeRecordings } from './recordings/consumer.ts'
import { readRetention, sweepRecordings } from './recordings/purge.ts'
import { sweepUnnamed } from './recordings/sweep.ts'
import { verifyCounts } from './rollups/verify.ts'
import { closeSessions } from './sessions/upkeep/close.ts'
import { verifySessions, type WrongSession } from './sessions/upkeep/verify.ts'
import { runDue } from './subscriptions/claim.ts'
import { consumeDeliveries, logDeadDeliveries } from './subscriptions/consumer.ts'
import { forgetDeliveries } from './subscriptions/ledger/store.ts'

const clock = () => new Date()

/** What this isolate has taken from the queues: batches in work, and messages given back to come again later. */
const work = { consuming: 0, retrying: 0 }

const app = createApp(clock, () => work)

/** The Cron Triggers of wrangler.toml beside the weekly one. */
const QUARTERLY = '*/15 * * * *'
const NIGHTLY = '30 3 * * *'
const MINUTELY = '* * * * *'

/** Of sessions: 20,000 of them. The command compares all. */
const NIGHTLY_PIECES = 100

const DAY = 86_400_000
/** How long subscriptions tell what was delivered. */
const LOG_DAYS = 90

export default {
  fetch: app.fetch,

  async queue(batch, env) {
    const started = clock()
    const usage = newUsage()
    const again = batch.messages.filter(({ attempts }) => attempts > 1).length
    work.retrying = Math.max(0, work.retrying - again)
    work.consuming += 1
    try {
      const summary = await consume(batch, env, usage)
      work.retrying += summary.retried
      const ms = clock().getTime() - started.getTime()
      const { rowsRead: rows_read, rowsWritten: rows_written, longestMs: longest_ms } = usage
      log('info', 'queue batch', {
        queue: batch.queue,
        ...summary,
        ms,
        longest_ms,
        rows_read,
        rows_written
      })
    } finally {
      work.consuming -= 1
    }
  },

  async scheduled({ cron, scheduledTime }, env) {
    const now = clock()
    const queuesSince = readQueuesSince(env.QUEUES_SINCE)
    if (isWeekly(cron)) {
      const run = { scheduledFor: scheduledTime, startedBy: 'cron' as const }
      await inDatabases(env, async (db, database) => {
        log('info', 'weekly batch', {
          database,
          sent: await startRun(db, env.ERASURE_QUEUE, run, now)
        })
      })
      await sweepSnapshots(env, scheduledTime, true)
    } else if (cron === QUARTERLY) {
      await sweepQueues(env, now, queuesSince)
      await sweepSalts(env, now)
      await inDatabases(env, async (db, database) => {
        log('info', 'quarter-hourly sweep', {
          database,
          sent: await sweepErasures(db, env.ERASURE_QUEUE, now, queuesSince)
        })
      })
      await inDatabases(env, async (db, database, usage) => {
        const closed = await closeSessions(db, now)
        log('info', 'sessions closed', { database, closed, rows_written: usage.rowsWritten })
      })
      await inDatabases(env, async (db, database) => {
        const retentionDays = readRetention(env.RECORDING_RETENTION_DAYS)
        const swept = await sweepRecordings(db, env.RECORDING_QUEUE, {
          retentionDays,
          now: now.getTime(),
          queuesSince
        })
        log('info', 'sweep of recordings', { database, ...swept })
      })
      await sweepSnapshots(env, scheduledTime, false)
    } else if (cron === NIGHTLY) {
      await inDatabases(env, async (db, database) => {
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
      await inDatabases(env, async (db, database) => {
        const removed = await forgetDeliveries(db, now.getTime() - LOG_DAYS * DAY)
        log('info', 'nightly sweep of deliveries', { database, removed })
      })
    } else if (cron === MINUTELY) {
      await inDatabases(env, async (db, database, usage) => {
        const { claimed, resent } = await runDue(db, env.DELIVERY_QUEUE, now, queuesSince)
        const { rowsRead: rows_read, rowsWritten: rows_written } = usage
        if (claimed + resent > 0) {
          log('info', 'due subscriptions', { database, claimed, resent, rows_read, rows_written })
        }
      })
    } else {
      log('error', 'no job for this cron', { cron })
    }
  }
} satisfies ExportedHandler<Env>

/** Sends messages again for what waits in the bucket; a failure does not stop the other jobs. */
async function sweepQueues(env: Env, now: Date, queuesSince: number): Promise<void> {
  const { BUCKET: bucket, CAPTURE_QUEUE: captureQueue, RECORDING_QUEUE: recordingQueue } = env
  try {
    const bindings = { bucket, captureQueue, recordingQueue }
    const { sent, isDone } = await resendWaiting(bindings, now.getTime(), queuesSince)
    log('info', 'sweep of queues', { sent, done: isDone })
  } catch (error) {
    log('error', 'scheduled job failed', { job: 'sweep of queues', error: describeError(error) })
  }
}

/** Deletes what visitors without cookies were told apart by; a failure does not stop the other jobs. */
async function sweepSalts(env: Env, now: Date): Promise<void> {
  try {
    const deleted = await deleteOldSalts(env.BUCKET, now.getTime())
    if (deleted > 0) {
      log('info', 'sweep of salts', { deleted })
    }
  } catch (error) {
    log('error', 'scheduled job failed', { job: 'sweep of salts', error: describeError(error) })
  }
}

/** Without the id that an SDK has given the session: `npm run verify` shows it. */
const withoutId = ({ session_id: _, ...session }: WrongSession): Omit<WrongSession, 'session_id'> =>
  session

/** The weekly cron begins a sweep, and the quarter-hourly one goes on with it until its end. */
const sweepSnapshots = (env: Env, now: number, begins: boolean): Promise<void> =>
  inDatabases(env, async (db, database) => {
    const retentionDays = readRetention(env.RECORDING_RETENTION_DAYS)
    const swept = await sweepUnnamed(db, env.BUCKET, { database, retentionDays, now, begins })
    if (swept) {
      log('info', 'weekly sweep of recordings', {
        database,
        removed: swept.removed,
        done: swept.isDone
      })
    }
  })

/** In every database that holds projects' data: what goes wrong in one keeps the job from no other. */
async function inDatabases(
  env: Env,
  job: (db: Db, database: string, usage: Usage) => Promise<void>
): Promise<void> {
  for (const database of await listDatabases(openDb(env.DB, newUsage()).db)) {
    try {
      const usage = newUsage()
      await job(openDb(databaseOf(env, database), usage).db, database, usage)
    } catch (error) {
      log('error', 'scheduled job failed', { database, error: describeError(error) })
    }
  }
}

async function consume(batch: MessageBatch<unknown>, env: Env, usage: ReturnType<typeof newUsage>) {
  switch (batch.queue) {
    case 'edge-analytics-capture': {
      const database = (name: string) => databaseOf(env, name)
      return consumeCapture(
        batch,
        {
          outlet: { queue: env.CAPTURE_QUEUE, bucket: env.BUCKET, spillsAll: readSpill(env.SPILL) },
          control: env.DB,
          database,
          bucket: env.BUCKET,
          deadQueue: env.DEAD_QUEUE
        },
        usage
      )
    }
    case 'edge-analytics-recordings': {
      const database = (name: string) => databaseOf(env, name)
      const retentionDays = readRetention(env.RECORDING_RETENTION_DAYS)
      const bindings = {
        control: env.DB,
        database,
        bucket: env.BUCKET,
        deadQueue: env.DEAD_QUEUE,
        retentionDays,
        clock
      }
      return consumeRecordings(batch, bindings, usage)
    }
    case 'edge-analytics-erasures': {
      const database = (name: string) => databaseOf(env, name)
      const bindings = {
        control: env.DB,
        database,
        bucket: env.BUCKET,
        queue: env.ERASURE_QUEUE,
        clock
      }
      return consumeErasures(batch, bindings, usage)
    }
    case 'edge-analytics-deliveries': {
      const {
        DB: control,
        DELIVERY_QUEUE: queue,
        EMAIL: email,
        EMAIL_FROM: emailFrom,
        OUTBOUND_ALLOW: outboundAllow
      } = env
      const database = (name: string) => databaseOf(env, name)
      return consumeDeliveries(
        batch,
        { control, database, queue, email, emailFrom, allow: outboundAllow, clock },
        usage
      )
    }
    case 'edge-analytics-deliveries-dead':
      return logDeadDeliveries(batch)
    case 'edge-analytics-capture-dead':
      return parkDeadLetters(batch, openDb(env.DB, usage).db, env.BUCKET, clock())
    default:
      throw new Error(`No consumer for the queue ${batch.queue}.`)
  }
}

import { createApp } from './app.ts'
import { consumeCapture } from './capture/consumer.ts'
import { readSpill } from './capture/enqueue.ts'
import { CRONS, WEEKLY } from './crons/cron.ts'
import { runJobs } from './crons/jobs.ts'
import { type CronRun, saveRun } from './crons/store.ts'
import { newUsage, openDb } from './db/client.ts'
import { databaseOf } from './db/databases.ts'
import { parkDeadLetters } from './dead-letters/letter.ts'
import { consumeErasures } from './erasures/consumer.ts'
import { isWeekly } from './erasures/schedule.ts'
import { describeError } from './errors.ts'
import { log } from './log.ts'
import { consumeRecordings } from './recordings/consumer.ts'
import { readRetention } from './recordings/purge.ts'
import { consumeDeliveries, logDeadDeliveries } from './subscriptions/consumer.ts'

const clock = () => new Date()

/** What this isolate has taken from the queues: batches in work, and messages given back to come again later. */
const work = { consuming: 0, retrying: 0 }

const app = createApp(clock, () => work)

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
    const started = clock()
    let failedJobs = 1
    try {
      failedJobs = await runJobs(cron, env, { now: started, scheduledTime })
    } finally {
      await noteRun(env, {
        cron: isWeekly(cron) ? WEEKLY : cron,
        startedAt: started.getTime(),
        finishedAt: clock().getTime(),
        failedJobs
      })
    }
  }
} satisfies ExportedHandler<Env>

/** Notes the run of a trigger of wrangler.toml for `/readyz`. */
async function noteRun(env: Env, run: CronRun): Promise<void> {
  if (!CRONS.some((cron) => cron === run.cron)) {
    return
  }
  try {
    await saveRun(openDb(env.DB, newUsage()).db, run)
  } catch (error) {
    log('error', 'cron run not noted', { cron: run.cron, error: describeError(error) })
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

import { createApp } from './app.ts'
import { consumeCapture } from './capture/consumer.ts'
import { parkDeadLetters } from './capture/dead.ts'
import { sweepSpilled } from './capture/sweep.ts'
import { newUsage, openDb } from './db/client.ts'
import { databaseOf } from './db/databases.ts'
import { log } from './log.ts'
import { listProjects } from './projects/store.ts'
import { verifyCounts } from './rollups/verify.ts'

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
      const { rowsRead: rows_read, rowsWritten: rows_written } = usage
      log('info', 'queue batch', { queue: batch.queue, ...summary, ms, rows_read, rows_written })
    } finally {
      work.consuming -= 1
    }
  },

  async scheduled(controller, env) {
    if (controller.cron === NIGHTLY) return verifyAll(env)
    const removed = await sweepSpilled(env.BUCKET, new Date(controller.scheduledTime))
    log('info', 'weekly sweep', { cron: controller.cron, removed })
  }
} satisfies ExportedHandler<Env>

/** Of every night in wrangler.toml. */
const NIGHTLY = '30 3 * * *'

async function verifyAll(env: Env): Promise<void> {
  const projects = await listProjects(openDb(env.DB, newUsage()).db)
  for (const name of new Set(projects.map(({ database }) => database))) {
    const { first, ...summary } = await verifyCounts(openDb(databaseOf(env, name), newUsage()).db)
    log(summary.wrong > 0 ? 'error' : 'info', 'nightly verification', { database: name, ...summary, first: first[0] })
  }
}

async function consume(batch: MessageBatch<unknown>, env: Env, usage: ReturnType<typeof newUsage>) {
  switch (batch.queue) {
    case 'edge-analytics-capture': {
      const database = (name: string) => databaseOf(env, name)
      return consumeCapture(batch, { control: env.DB, database, bucket: env.BUCKET, deadQueue: env.DEAD_QUEUE }, usage)
    }
    case 'edge-analytics-capture-dead':
      return parkDeadLetters(batch, openDb(env.DB, usage).db, env.BUCKET, clock())
    default:
      throw new Error(`No consumer for the queue ${batch.queue}.`)
  }
}

import { createApp } from './app.ts'
import { consumeCapture } from './capture/consumer.ts'
import { consumeColumns } from './columns/consumer.ts'
import { type Cron, EVERY_15_MINUTES, EVERY_MINUTE, NIGHTLY, WEEKLY } from './crons/cron.ts'
import {
  beginSnapshotSweep,
  closeEndedSessions,
  continueSnapshotSweep,
  deliverDue,
  expireRecordings,
  sealColumns,
  sealLateEvents,
  startErasureRun,
  sweepLedger,
  sweepOpenErasures,
  sweepQueues,
  sweepSalts,
  verifyNightly
} from './crons/jobs.ts'
import { type Job, runCron } from './crons/run.ts'
import { parkDeadLetters } from './dead-letters/park.ts'
import { consumeErasures } from './erasures/consumer.ts'
import type { ConsumerName } from './queues/names.ts'
import { type Consumer, runConsumer } from './queues/run.ts'
import { consumeRecordings } from './recordings/consumer.ts'
import { consumeDeliveries, logDeadDeliveries } from './subscriptions/consumer.ts'

/** Who consumes which queue; `QUEUE_NAMES` in wrangler.toml says what each queue is called. */
const CONSUMERS: Record<ConsumerName, Consumer> = {
  capture: consumeCapture,
  recordings: consumeRecordings,
  erasures: consumeErasures,
  deliveries: consumeDeliveries,
  columns: consumeColumns,
  capture_dead: parkDeadLetters,
  deliveries_dead: logDeadDeliveries
}

/** What each Cron Trigger of wrangler.toml does, in this order. */
const JOBS: Record<Cron, Job[]> = {
  [WEEKLY]: [startErasureRun, beginSnapshotSweep],
  [EVERY_15_MINUTES]: [
    sweepQueues,
    sweepSalts,
    sweepOpenErasures,
    closeEndedSessions,
    expireRecordings,
    continueSnapshotSweep,
    sealColumns
  ],
  [NIGHTLY]: [verifyNightly, sealLateEvents, sweepLedger],
  [EVERY_MINUTE]: [deliverDue]
}

const clock = () => new Date()

/** What this isolate has taken from the queues. */
const work = { consuming: 0, retrying: 0 }

export default {
  fetch: createApp(clock, () => work).fetch,
  queue: (batch, env) => runConsumer(CONSUMERS, batch, { env, clock }, work),
  scheduled: (controller, env) => runCron(JOBS, controller, { env, clock })
} satisfies ExportedHandler<Env>

import { consumeAccess } from './access-log/consumer.ts'
import { consumeCapture } from './capture/consumer.ts'
import { consumeColumns } from './columns/consumer.ts'
import { parkDeadLetters } from './dead-letters/park.ts'
import { consumeErasures } from './erasures/engine/consumer.ts'
import type { ConsumerName } from './queues/names.ts'
import type { Consumer } from './queues/run.ts'
import { consumeRecordings } from './recordings/consumer.ts'
import { consumeDeliveries, logDeadDeliveries } from './subscriptions/consumer.ts'

export { JOBS } from './jobs/jobs.ts'

/** The consumer of each queue. `QUEUE_NAMES` in wrangler.toml maps these names to queues. */
export const CONSUMERS: Record<ConsumerName, Consumer> = {
  capture: consumeCapture,
  recordings: consumeRecordings,
  erasures: consumeErasures,
  deliveries: consumeDeliveries,
  columns: consumeColumns,
  access: consumeAccess,
  capture_dead: parkDeadLetters,
  deliveries_dead: logDeadDeliveries
}

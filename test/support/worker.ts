import worker from '../../src/worker.ts'
import { file } from './file.ts'
import { invoke } from './platform.ts'

/**
 * Acknowledges the messages that an earlier test file has left in the real queues, such as those that are delivered again after
 * a delay: in the databases of this file, they would become dead letters, or change another project. @returns the other messages
 */
function withoutLeftovers(batch: MessageBatch): MessageBatch {
  const isLeft = ({ timestamp }: Message) => timestamp.getTime() < file.began
  for (const message of batch.messages.filter(isLeft)) {
    message.ack()
  }
  const { queue, metadata } = batch
  return {
    queue,
    metadata,
    messages: batch.messages.filter((message) => !isLeft(message)),
    ackAll: () => batch.ackAll(),
    retryAll: (options) => batch.retryAll(options)
  }
}

/** The Worker, with the limits of the platform. */
export default {
  fetch: (request: Parameters<typeof worker.fetch>[0], env: Env, ctx: ExecutionContext) =>
    invoke(env, (limited) => worker.fetch(request, limited, ctx)),
  queue: (batch: MessageBatch, env: Env) =>
    invoke(env, (limited) => worker.queue(withoutLeftovers(batch), limited)),
  scheduled: (controller: ScheduledController, env: Env) =>
    invoke(env, (limited) => worker.scheduled(controller, limited))
} satisfies ExportedHandler<Env>

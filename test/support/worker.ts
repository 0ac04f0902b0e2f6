import worker from '../../src/worker.ts'
import { invoke } from './platform.ts'

/** The Worker, with the limits of the platform. */
export default {
  fetch: (request: Parameters<typeof worker.fetch>[0], env: Env, ctx: ExecutionContext) =>
    invoke(env, (limited) => worker.fetch(request, limited, ctx)),
  queue: (batch: MessageBatch, env: Env) => invoke(env, (limited) => worker.queue(batch, limited)),
  scheduled: (controller: ScheduledController, env: Env) =>
    invoke(env, (limited) => worker.scheduled(controller, limited))
} satisfies ExportedHandler<Env>

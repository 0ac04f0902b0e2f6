import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy, newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { continueErasures, type ErasureQueue } from '../../src/erasures/consumer.ts'
import type { ErasureMessage } from '../../src/erasures/message.ts'
import { resumeErasures, startRun } from '../../src/erasures/run.ts'
import { findOpenErasures } from '../../src/erasures/store.ts'
import { UnavailableError } from '../../src/errors.ts'
import { retryWhileBusy, type Service } from '../local.ts'
import { command, Nothing } from './command.ts'

/** How long a step is repeated while the running service keeps the database busy, ms. */
const BUSY_MS = 30_000

/**
 * Pause before each further check, at most seven, of an erasure that waits for queued messages, ms.
 */
const WAIT_MS = 5_000

export const purge = {
  now: command({
    script: 'purge:now',
    isLong: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run(service, _, now) {
      const { env, databases } = service
      const runs = []
      for (const database of databases) {
        const messages: ErasureMessage[] = []
        const queue = {
          send: async (body: ErasureMessage) => messages.push(body),
          sendBatch: async (bodies: { body: ErasureMessage }[]) =>
            messages.push(...bodies.map(({ body }) => body))
        }
        const { db } = openDb(databaseOf(env, database), newUsage())
        const run = { scheduledFor: now.getTime(), startedBy: 'command' } as const
        // Counts the messages, not the results: a busy database may interrupt a call
        // that has already claimed erasures.
        await retryWhileBusy(() => startRun(db, queue, run, now))
        const tasks = countErasures(messages)
        await retryWhileBusy(() => resumeErasures(db, queue, now.getTime(), now))
        const resumed = countErasures(messages) - tasks
        const sent = [...messages]
        for (let message = messages.shift(); message; message = messages.shift()) {
          if (message.waited > 0) {
            await sleep(WAIT_MS)
          }
          await step(service, message, queue)
        }
        // The running service may have completed some of the erasures.
        let open = 0
        for (const { project_id, erasures } of sent) {
          const left = await retryWhileBusy(() => findOpenErasures(db, project_id, erasures))
          open += left.length
        }
        if (open > 0) {
          process.exitCode = 1
        }
        const completed = tasks + resumed - open
        runs.push({ database, tasks, resumed, completed })
      }
      service.overwriteErased?.()
      return { runs }
    }
  })
}

const countErasures = (messages: ErasureMessage[]): number =>
  messages.reduce((total, { erasures }) => total + erasures.length, 0)

/** Processes one message as an invocation of its own; repeats it while the database is busy. */
async function step(
  { env, bucket, secrets }: Service,
  message: ErasureMessage,
  queue: ErasureQueue
): Promise<void> {
  const bindings = { ...env, ...secrets, BUCKET: await bucket(), ERASURE_QUEUE: queue }
  const isTemporary = (error: unknown) => error instanceof UnavailableError || isBusy(error)
  const run = () =>
    continueErasures(message, { env: bindings, usage: newUsage(), clock: () => new Date() })
  await retryWhileBusy(run, { busyMs: BUSY_MS, isTemporary })
}

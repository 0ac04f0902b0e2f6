import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy, newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { continueErasures, type ErasureQueue } from '../../src/erasures/consumer.ts'
import type { ErasureMessage } from '../../src/erasures/message.ts'
import { resumeErasures, startRun } from '../../src/erasures/run.ts'
import { findOpenErasures } from '../../src/erasures/store.ts'
import { UnavailableError } from '../../src/errors.ts'
import { patiently, type Service } from '../local.ts'
import { command, Nothing } from './command.ts'

/** How long a step retries while the running service keeps the database busy, ms. */
const BUSY_MS = 30_000

/** Pause before each of at most seven further checks of an erasure that waits for queued messages, ms. */
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
        // A busy database may interrupt either call after it has claimed erasures, so the messages are counted.
        await patiently(() => startRun(db, queue, run, now))
        const tasks = countErasures(messages)
        await patiently(() => resumeErasures(db, queue, now.getTime(), now))
        const resumed = countErasures(messages) - tasks
        const asked = [...messages]
        for (let message = messages.shift(); message; message = messages.shift()) {
          if (message.waited > 0) {
            await sleep(WAIT_MS)
          }
          await step(service, message, queue)
        }
        // The running service may have completed some of the erasures.
        let open = 0
        for (const { project_id, erasures } of asked) {
          const left = await patiently(() => findOpenErasures(db, project_id, erasures))
          open += left.length
        }
        if (open > 0) {
          process.exitCode = 1
        }
        const completed = tasks + resumed - open
        runs.push({ database, tasks, resumed, completed })
      }
      return { runs }
    }
  })
}

const countErasures = (messages: ErasureMessage[]): number =>
  messages.reduce((total, { erasures }) => total + erasures.length, 0)

/** Runs one message as its own invocation, and again while the database is busy. */
async function step(
  { env, bucket }: Service,
  message: ErasureMessage,
  queue: ErasureQueue
): Promise<void> {
  const bindings = { ...env, BUCKET: await bucket(), ERASURE_QUEUE: queue }
  const isPassing = (error: unknown) => error instanceof UnavailableError || isBusy(error)
  const run = () =>
    continueErasures(message, { env: bindings, usage: newUsage(), clock: () => new Date() })
  await patiently(run, { busyMs: BUSY_MS, isPassing })
}

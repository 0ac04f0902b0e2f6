import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy, newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { continueMessage, type ErasureQueue } from '../../src/erasures/engine/consumer.ts'
import type { QueueMessage } from '../../src/erasures/engine/message.ts'
import { resumeErasures, startRun } from '../../src/erasures/engine/run.ts'
import { findOpenErasures } from '../../src/erasures/engine/store.ts'
import { findOpenRemovals } from '../../src/erasures/events/store.ts'
import { catching, UnavailableError } from '../../src/errors.ts'
import { expectOwnSecret, WrongSecretError } from '../../src/ledger/secret.ts'
import { retryWhileBusy } from '../busy.ts'
import { describeFault, isDisconnected } from '../faults.ts'
import type { Service } from '../local.ts'
import { command, Nothing } from './command.ts'

/** How long a step is repeated while the running service keeps the database busy, ms. */
const BUSY_MS = 30_000

/** Pause before a task that waits for queued messages is checked again, ms. It is checked again at most seven times. */
const WAIT_MS = 5_000

/** Whether a step may be repeated after an error. All steps are harmless to repeat. */
const isTemporary = (error: unknown): boolean =>
  (error instanceof UnavailableError && !(error instanceof WrongSecretError)) ||
  isBusy(error) ||
  isDisconnected(error)

export const purge = {
  now: command({
    script: 'purge:now',
    isLongRunning: true,
    usage: '',
    options: {},
    schema: Nothing,
    async run(service, _, now) {
      const { env, databases } = service
      const runs = []
      let wrongSecret: unknown
      for (const database of databases) {
        const messages: QueueMessage[] = []
        const queue = {
          send: async (body: QueueMessage) => messages.push(body),
          sendBatch: async (bodies: { body: QueueMessage }[]) =>
            messages.push(...bodies.map(({ body }) => body))
        }
        const { db } = openDb(databaseOf(env, database), newUsage())
        const run = { scheduledFor: now.getTime(), startedBy: 'command' } as const
        // Counts the messages, not the results: a busy database may interrupt a call
        // that has already claimed tasks.
        await retryWhileBusy(() => startRun(db, queue, run, now), { isTemporary })
        const tasks = countTasks(messages)
        await retryWhileBusy(() => resumeErasures(db, queue, now.getTime(), now), { isTemporary })
        const resumed = countTasks(messages) - tasks
        const sent = [...messages]
        if (sent.length > 0) {
          const secrets = { ...service.secrets, BUCKET: await service.bucket() }
          const checked = retryWhileBusy(() => expectOwnSecret(secrets, db), { isTemporary })
          wrongSecret ??= await catching(WrongSecretError, checked)
        }
        // With a wrong secret, this only notes why the tasks wait.
        for (let message = messages.shift(); message; message = messages.shift()) {
          if (message.waited > 0) {
            await sleep(WAIT_MS)
          }
          await stepOrReport(service, message, queue)
        }
        // The running service may have completed some of the tasks.
        let open = 0
        for (const message of sent) {
          const findLeft = (): Promise<unknown[]> =>
            'erasures' in message
              ? findOpenErasures(db, message.project_id, message.erasures)
              : findOpenRemovals(db, [message.removal])
          const left = await retryWhileBusy(findLeft, { isTemporary })
          open += left.length
        }
        if (open > 0) {
          process.exitCode = 1
        }
        const completed = tasks + resumed - open
        runs.push({ database, tasks, resumed, completed })
      }
      if (wrongSecret) {
        throw wrongSecret
      }
      service.overwriteErased?.()
      return { runs }
    }
  })
}

const countTasks = (messages: QueueMessage[]): number =>
  messages.reduce(
    (total, message) => total + ('erasures' in message ? message.erasures.length : 1),
    0
  )

/**
 * Like `step`, but prints a task's error instead of throwing it, so that the other tasks continue.
 * @throws if the database stays busy or unavailable
 */
async function stepOrReport(
  service: Service,
  message: QueueMessage,
  queue: ErasureQueue
): Promise<void> {
  try {
    await step(service, message, queue)
  } catch (error) {
    if (isTemporary(error)) {
      throw error
    }
    console.error(describeFault(error))
  }
}

/** Processes one message as an invocation of its own. Repeats it while the database or the bucket is busy or cannot be reached. */
async function step(
  { env, bucket, secrets }: Service,
  message: QueueMessage,
  queue: ErasureQueue
): Promise<void> {
  const bindings = { ...env, ...secrets, BUCKET: await bucket(), ERASURE_QUEUE: queue }
  const run = () =>
    continueMessage(message, { env: bindings, usage: newUsage(), clock: () => new Date() })
  await retryWhileBusy(run, { busyMs: BUSY_MS, isTemporary })
}

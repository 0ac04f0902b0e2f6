import { isBusy, newUsage, openDb } from '../../src/db/client.ts'
import { databaseOf } from '../../src/db/databases.ts'
import { continueErasures } from '../../src/erasures/consumer.ts'
import type { ErasureMessage } from '../../src/erasures/message.ts'
import { resumeErasures, startRun } from '../../src/erasures/run.ts'
import { UnavailableError } from '../../src/errors.ts'
import { patiently, type Service } from '../local.ts'
import { command, Nothing } from './command.ts'

/** How long the running service may keep the database busy before a step is given up. */
const BUSY_MS = 30_000

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
        const resumed = await resumeErasures(db, queue, now.getTime(), now)
        const tasks = await startRun(
          db,
          queue,
          { scheduledFor: now.getTime(), startedBy: 'command' },
          now
        )
        let completed = 0
        for (let message = messages.shift(); message; message = messages.shift()) {
          completed += await step(service, message, queue)
        }
        if (completed < tasks + resumed) {
          process.exitCode = 1
        }
        runs.push({ database, tasks, resumed, completed })
      }
      return { runs }
    }
  })
}

type Queue = Parameters<typeof continueErasures>[1]['queue']

/** Each step counts as an invocation of its own; one that found the database busy is done again. */
async function step(
  { env, bucket }: Service,
  message: ErasureMessage,
  queue: Queue
): Promise<number> {
  const database = (name: string) => databaseOf(env, name)
  const bindings = {
    control: env.DB,
    database,
    bucket: await bucket(),
    queue,
    clock: () => new Date()
  }
  const isPassing = (error: unknown) => error instanceof UnavailableError || isBusy(error)
  return patiently(() => continueErasures(message, bindings, newUsage()), {
    busyMs: BUSY_MS,
    isPassing
  })
}

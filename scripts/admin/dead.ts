import { z } from 'zod'
import { toIso } from '../../src/calendar/clock.ts'
import { isBusy, newUsage } from '../../src/db/client.ts'
import { redriveDeadLetter } from '../../src/dead-letters/redrive.ts'
import { listDeadLetters } from '../../src/dead-letters/store.ts'
import { BUSY, retryWhileBusy } from '../busy.ts'
import type { Service } from '../local.ts'
import { command, InputError, Nothing, text } from './command.ts'

export const dead = {
  list: command({
    usage: '',
    options: {},
    schema: Nothing,
    run: async ({ db }) => ({ dead_letters: (await listDeadLetters(db)).map(toJson) })
  }),

  redrive: command({
    isLongRunning: true,
    usage: '[--only <id>]',
    options: { only: text },
    schema: z.object({ only: z.string().optional() }),
    async run(service, { only }, now) {
      const letters = await listDeadLetters(service.db)
      const chosen = only === undefined ? letters : letters.filter(({ id }) => id === only)
      if (only !== undefined && chosen.length === 0) {
        throw new InputError(
          'only',
          `There is no dead letter ${only}, or it has been redriven already.`
        )
      }
      const results = []
      for (const letter of chosen) {
        results.push({ id: letter.id, ...(await redrive(service, letter, now)) })
      }
      return { results }
    }
  })
}

type Letter = Awaited<ReturnType<typeof listDeadLetters>>[number]

/** Redrives one dead letter, and retries while the database is busy. Reports a failure instead of throwing it, so that the other dead letters get their turn. */
async function redrive({ env, bucket }: Service, letter: Letter, now: Date) {
  try {
    const bindings = { ...env, BUCKET: await bucket() }
    const stored = await retryWhileBusy(() =>
      redriveDeadLetter(letter, { env: bindings, usage: newUsage(), clock: () => now })
    )
    return { stored, error: null }
  } catch (error) {
    process.exitCode = 1
    return { stored: 0, error: describeFailure(error) }
  }
}

function describeFailure(error: unknown): string {
  if (isBusy(error)) {
    return BUSY
  }
  return error instanceof z.ZodError
    ? 'The dead letter contains neither events nor a recording.'
    : String(error)
}

const toJson = ({ id, projectId, error, attempts, object, createdAt }: Letter) => ({
  id,
  project_id: projectId,
  error,
  attempts,
  object,
  created_at: toIso(createdAt)
})

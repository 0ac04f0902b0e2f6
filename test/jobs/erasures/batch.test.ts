import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { continueMessage } from '../../../src/erasures/engine/consumer.ts'
import type { ErasureMessage } from '../../../src/erasures/engine/message.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { MAX_QUERIES } from '../../../src/queues/invocation.ts'
import { CALL_STEP } from '../../support/depth.ts'
import { countRows } from '../../support/erasures.ts'
import { aroundCalls, cutAt } from '../../support/faults.ts'
import { invoke } from '../../support/platform.ts'
import { newTown, status, type Town } from '../../support/town.ts'

describe('the weekly run', () => {
  const eraseAda = async (town: Town) => {
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.drain()
  }
  const COMPLETED = {
    status: 'completed',
    events: { found: 22, removed: 22, remaining: 0, dropped: 0 }
  }

  it('is harmless if it is started several times, at once and a minute later', async () => {
    const town = await newTown()
    await eraseAda(town)
    const at = Date.now() + 1000
    await Promise.all([town.cron(WEEKLY, at), town.cron(WEEKLY, at)])
    await town.cron(WEEKLY, at + 60_000)
    expect(town.held.filter(({ project_id }) => project_id === town.project.id)).toHaveLength(1)
    await town.drain()

    expect((await status(town)).results[0]).toMatchObject(COMPLETED)
    expect(await countRows(town.project.id)).toMatchObject({ events: 10 })
  })

  it('survives messages that arrive twice, at once and in another order', async () => {
    const town = await newTown()
    await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
    await town.cron(WEEKLY, Date.now() + 1000)
    const messages = town.held.splice(0).toReversed()
    await Promise.all([...messages, ...messages].map((message) => town.deliver(message)))
    for (const message of messages) {
      await town.deliver(message)
    }
    await town.drain()

    expect((await status(town)).results[0]).toMatchObject(COMPLETED)
  })

  it('completes even if an invocation is cut off before or after any call to the database', async () => {
    for (let call = 1; ; call += CALL_STEP) {
      for (const side of ['before', 'after'] as const) {
        const town = await newTown()
        await town.call(town.project, 'DELETE', `persons/${town.ada.id}?delete_events=true`)
        await town.cron(WEEKLY, Date.now() + 1000)
        const [message] = town.held.splice(0)
        const { DB, isReached } = cutAt(env.DB, call, side)
        await town.deliver(message, { DB })
        if (!isReached()) {
          return expect(call).toBeGreaterThan(8)
        }
        await town.deliver(message)
        await town.drain()

        expect((await status(town)).results[0]).toMatchObject(COMPLETED)
      }
    }
  })

  it('continues in a new message when an invocation reaches its limits', async () => {
    const town = await newTown()
    await eraseAda(town)
    await town.cron(WEEKLY, Date.now() + 1000)
    const [message] = town.held.splice(0)
    const ERASURE_QUEUE = { send: async (body: ErasureMessage) => void town.held.push(body) }
    const usage = () => ({ ...newUsage(), queries: MAX_QUERIES - 6 })
    const completed = []
    for (let next = message; next; next = town.held.shift()) {
      const erasing = next
      completed.push(
        await invoke({ ...env, ERASURE_QUEUE }, (limited) =>
          continueMessage(erasing, { env: limited, usage: usage(), clock: () => new Date() })
        )
      )
    }

    expect(completed.length).toBeGreaterThan(1)
    expect(completed.at(-1)).toBe(1)
    expect((await status(town)).results[0]).toMatchObject(COMPLETED)
  })

  it('shows why a task fails, finally gives the task up, and tries it again the next Sunday', async () => {
    const town = await newTown()
    await eraseAda(town)
    await town.cron(WEEKLY, Date.now() + 1000)
    const failing = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements.length === 4) {
        throw new Error('D1_ERROR: too many cooks: SQLITE_ERROR')
      }
      return run()
    })
    await town.deliver(town.held.shift(), { DB: failing })
    expect((await status(town)).results[0]).toMatchObject({
      status: 'running',
      error: expect.stringContaining('too many cooks')
    })
    await town.drain({ DB: failing })
    expect((await status(town, '?status=failed')).results[0]).toMatchObject({ receipt: null })
    expect(await countRows(town.project.id)).toMatchObject({ events: 32 })

    await town.cron(WEEKLY, Date.now() + 2000)
    await town.drain()
    expect((await status(town)).results[0]).toMatchObject({ ...COMPLETED, error: null })
  })
})

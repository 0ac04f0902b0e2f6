import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { JsonObject } from '../../src/json.ts'
import type { DeliveryMessage } from '../../src/subscriptions/message.ts'
import worker from '../../src/worker.ts'
import { newProject } from './project.ts'

export const MINUTELY = '* * * * *'

export type Mail = { to: string; subject: string; text: string; html: string; headers: Record<string, string> }

/** What a test has the e-mail binding do instead of sending: throw, or anything before it. */
type Fault = (mail: Mail) => Promise<void> | void

export class EmailError extends Error {
  readonly code: string

  constructor(code: string) {
    super(`said ${code}`)
    this.code = code
  }
}

/** Sets the clock, which stands still from then on. */
export const setClock = (time: string | number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: typeof time === 'number' ? time : Date.parse(time) })

export const passSeconds = (seconds: number) => setClock(Date.now() + seconds * 1000)

const DAILY = {
  target_type: 'email',
  target_value: 'ada@example.com',
  frequency: 'daily',
  start_date: '2026-11-20T09:00:00Z'
}

export type Desk = Awaited<ReturnType<typeof newDesk>>

/**
 * A project with an insight, whose deliveries a test carries out itself: it has the messages of the queue, to deliver them
 * later, twice, or never, and all e-mails.
 */
export async function newDesk(name = crypto.randomUUID().slice(0, 8)) {
  const project = await newProject()
  const held: DeliveryMessage[] = []
  const mails: Mail[] = []
  const faults: { email: Fault } = { email: () => {} }
  const queue = {
    async sendBatch(messages: { body: DeliveryMessage }[]) {
      held.push(...messages.map(({ body }) => body).filter(({ project_id }) => project_id === project.id))
    }
  }
  const email = {
    async send(mail: Mail) {
      await faults.email(mail)
      mails.push(mail)
    }
  }
  const bindings = { DELIVERY_QUEUE: queue as unknown as Queue, EMAIL: email as unknown as SendEmail }

  /** Delivers one message. @returns after how many seconds it comes again, undefined when it was acknowledged */
  async function deliver(body: unknown, more: Partial<Env> = {}, attempts = 1): Promise<number | undefined> {
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts, body }
    const batch = createMessageBatch('edge-analytics-deliveries', [message])
    const retry = batch.messages[0] && vi.spyOn(batch.messages[0], 'retry')
    await worker.queue(batch, { ...env, ...bindings, ...more })
    const { explicitAcks } = await getQueueResult(batch, createExecutionContext())
    return explicitAcks.length === 1 ? undefined : (retry?.mock.calls[0]?.[0]?.delaySeconds ?? 0)
  }

  /** Fires the Cron Trigger at the time that the clock shows. */
  const cron = (more: Partial<Env> = {}) =>
    worker.scheduled(createScheduledController({ cron: MINUTELY, scheduledTime: new Date() }), {
      ...env,
      ...bindings,
      ...more
    })

  return {
    project,
    held,
    mails,
    faults,
    bindings,
    deliver,
    cron,
    send: (method: string, path: string, body?: JsonObject, more: Partial<Env> = {}) =>
      project.send(method, path, body, { ...bindings, ...more }),
    /** Delivers what is held, and what comes again when it does; the clock goes along. */
    async drain(more: Partial<Env> = {}) {
      const waiting = held.splice(0).map((body) => ({ body, at: Date.now(), attempts: 1 }))
      for (;;) {
        waiting.push(...held.splice(0).map((body) => ({ body, at: Date.now(), attempts: 1 })))
        waiting.sort((a, b) => a.at - b.at)
        const next = waiting.shift()
        if (!next) return
        if (next.at > Date.now()) setClock(next.at)
        const again = await deliver(next.body, more, next.attempts)
        if (again !== undefined) waiting.push({ ...next, at: Date.now() + again * 1000, attempts: next.attempts + 1 })
      }
    },
    /** A subscription to an insight of its own. @returns what is answered to its creation */
    async subscribe(fields: JsonObject = {}, more: Partial<Env> = {}) {
      const filters = { events: [{ id: 'signed up' }], date_from: '-6d' }
      const insight = (await project.send('POST', 'insights/', { name, filters })).body.id
      const { body } = await project.send('POST', 'subscriptions/', { ...DAILY, insight, ...fields }, more)
      return body
    },
    async deliveries(id: number) {
      return (await project.call('GET', `subscriptions/${id}/deliveries/`)).body.results
    },
    async find(id: number) {
      return (await project.call('GET', `subscriptions/${id}/`)).body
    }
  }
}

import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { JsonObject } from '../../src/input/json.ts'
import { type Cron, EVERY_15_MINUTES, EVERY_MINUTE, NIGHTLY, WEEKLY } from '../../src/jobs/cron.ts'
import { deliverDue } from '../../src/jobs/jobs.ts'
import { type Job, runCron } from '../../src/jobs/run.ts'
import type { DeliveryMessage } from '../../src/subscriptions/message.ts'
import { invoke } from './platform.ts'
import { deliverMessage, newProject } from './project.ts'
import { DAILY } from './subscriptions.ts'
import worker from './worker.ts'

/** The jobs of each cron, reduced to the minutely one that queues deliveries. */
const MINUTELY: Record<Cron, Job[]> = {
  [WEEKLY]: [],
  [EVERY_15_MINUTES]: [],
  [NIGHTLY]: [],
  [EVERY_MINUTE]: [deliverDue]
}

export type Mail = {
  to: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  attachments: EmailAttachment[]
}

/** Runs before an e-mail is sent. If it throws, the e-mail is not sent. */
type Fault = (mail: Mail) => Promise<void> | void

export class EmailError extends Error {
  readonly code: string

  constructor(code: string) {
    super(`said ${code}`)
    this.code = code
  }
}

/** Sets the clock and stops it. */
export const setClock = (time: string | number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: typeof time === 'number' ? time : Date.parse(time) })

export const passSeconds = (seconds: number) => setClock(Date.now() + seconds * 1000)

/** Fields of a recipient to whom one message was sent. */
export const SENT = { status: 'sent', repeated: false, error: null }

/** Entry of the default recipient. */
export const ADA = { target: 'ada@example.com', ...SENT }

export type Desk = Awaited<ReturnType<typeof newDesk>>

/**
 * Creates a project whose deliveries the test runs: it holds the queue's messages, to deliver them later, twice or never,
 * and all e-mails. Insights shown as a table need no picture, which takes longest to make.
 */
export async function newDesk(
  name = crypto.randomUUID().slice(0, 8),
  display: 'ActionsLineGraph' | 'ActionsTable' = 'ActionsLineGraph'
) {
  const project = await newProject()
  const held: DeliveryMessage[] = []
  /** Messages sent with a delay. */
  const later: { body: DeliveryMessage; seconds: number; at: number }[] = []
  const mails: Mail[] = []
  const faults: { email: Fault } = { email: () => {} }
  const queue = {
    async sendBatch(messages: { body: DeliveryMessage }[], { delaySeconds: seconds = 0 } = {}) {
      const own = messages
        .map(({ body }) => body)
        .filter(({ project_id }) => project_id === project.id)
      if (seconds === 0) {
        held.push(...own)
      } else {
        later.push(...own.map((body) => ({ body, seconds, at: Date.now() + seconds * 1000 })))
      }
    }
  }
  const email = {
    async send(mail: Mail) {
      await faults.email(mail)
      mails.push(mail)
    }
  }
  const bindings = {
    DELIVERY_QUEUE: queue as unknown as Queue,
    EMAIL: email as unknown as SendEmail
  }

  /** Delivers one message. @returns whether it was acknowledged */
  const deliver = (body: unknown, more: Partial<Env> = {}): Promise<boolean> =>
    deliverMessage('edge-analytics-deliveries', body, { ...bindings, ...more })

  /** Fires a Cron Trigger at the clock's time. The one of every minute only queues the deliveries that are due. */
  const cron = (more: Partial<Env> = {}, expression: Cron = EVERY_MINUTE) => {
    const controller = createScheduledController({ cron: expression, scheduledTime: new Date() })
    const bound = { ...env, ...bindings, ...more }
    return expression === EVERY_MINUTE
      ? invoke(bound, (limited) =>
          runCron(MINUTELY, controller, { env: limited, clock: () => new Date() })
        )
      : worker.scheduled(controller, bound)
  }

  return {
    project,
    held,
    later,
    mails,
    faults,
    bindings,
    deliver,
    cron,
    send: (method: string, path: string, body?: JsonObject, more: Partial<Env> = {}) =>
      project.send(method, path, body, { ...bindings, ...more }),
    /** Delivers the held messages, then the delayed ones, moving the clock. */
    async drain(more: Partial<Env> = {}) {
      for (;;) {
        const delayed = held.length > 0 ? undefined : later.sort((a, b) => a.at - b.at).shift()
        if (delayed && delayed.at > Date.now()) {
          setClock(delayed.at)
        }
        const body = delayed?.body ?? held.shift()
        if (!body) {
          return
        }
        await deliver(body, more)
      }
    },
    /** Creates a subscription to a new insight. @returns the answer */
    async subscribe(fields: JsonObject = {}, more: Partial<Env> = {}) {
      const filters = { events: [{ id: 'signed up' }], date_from: '-6d', display }
      const insight = (await project.send('POST', 'insights/', { name, filters })).body.id
      const subscription = { ...DAILY, insight, ...fields }
      const { status, body } = await project.send('POST', 'subscriptions/', subscription, more)
      if (status !== 201) {
        throw new Error(
          `Creating ${JSON.stringify(subscription)} got ${status}: ${JSON.stringify(body)}`
        )
      }
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

/** Captures events of the six days before the delivery, and of the six days before those. */
export async function captureSignups(desk: Desk) {
  const on = (day: number, n: number) =>
    Array.from({ length: n }, (_, i) => ({
      event: 'signed up',
      distinct_id: `p${i}`,
      timestamp: Date.UTC(2026, 10, day, 8, i)
    }))
  await desk.project.ingest([...on(13, 4), ...on(18, 2), ...on(20, 3)])
}

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ConflictError } from '../../../src/db/client.ts'
import { UnavailableError } from '../../../src/errors.ts'
import { consumeEach } from '../../../src/queues/consume.ts'
import {
  mayBeOneMessage,
  PoisonError,
  retryOrDeadLetter,
  retryOrDrop
} from '../../../src/queues/failure.ts'
import { readMessage } from '../../../src/queues/message.ts'
import { sendAll } from '../../../src/queues/send.ts'

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

/**
 * Returns a batch of messages with these bodies, and the list to which each message adds its
 * outcome. `attempts` counts the deliveries of each message so far, this one included.
 */
function newBatch(bodies: unknown[], attempts = 1) {
  const fates: string[] = []
  const messages = bodies.map((body, i) => ({
    id: String(i),
    timestamp: new Date(0),
    body,
    attempts,
    ack: () => void fates.push(`${body} acknowledged`),
    retry: ({ delaySeconds = 0 }: QueueRetryOptions = {}) =>
      void fates.push(`${body} again in ${delaySeconds} s`)
  }))
  const batch = { queue: 'orders', messages } as unknown as MessageBatch
  return { batch, fates }
}

/** Errors that each further delivery would end with. */
const PERMANENT: Record<string, () => unknown> = {
  'a value of the wrong type': () => Number(Object.create(null)),
  'a value nested too deeply': () => {
    throw new RangeError('Maximum call stack size exceeded')
  },
  'not JSON': () => JSON.parse('{'),
  'another form': () => z.string().parse(7),
  'a value that is too long': () => {
    throw new Error('failed', {
      cause: new Error('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
    })
  },
  'a value that the database refuses each time': () => {
    const refused = new ConflictError('D1_ERROR: NOT NULL constraint failed: recordings.start_time')
    throw new UnavailableError('The record kept changing.', refused)
  },
  'a value of a type that D1 does not bind': () => {
    throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'")
  }
}

/** Errors after which another delivery may succeed. */
const TRANSIENT: Record<string, () => unknown> = {
  'the database is down': () => {
    throw new UnavailableError('The database cannot take the request now.', new TypeError('x'))
  },
  'a lost race': () => {
    const lost = new ConflictError('D1_ERROR: UNIQUE constraint failed: persons.id')
    throw new UnavailableError('The record kept changing.', lost)
  },
  'a guard that refused each time': () => {
    throw new ConflictError('D1_ERROR: NOT NULL constraint failed: guard.ok: SQLITE_CONSTRAINT')
  },
  'the bucket is down': () => {
    throw new Error('get: We encountered an internal error. (10001)')
  }
}

/** Handles a message as its body says. */
async function handle({ body }: Message): Promise<void> {
  ;(PERMANENT[String(body)] ?? TRANSIENT[String(body)])?.()
  if (body === 'poison') {
    throw new PoisonError('poison')
  }
  if (body === 'unlucky') {
    throw new Error('down')
  }
}

describe('messages whose work is recorded in a row', () => {
  it('are acknowledged when done, delivered again when they fail, and dropped when they can never succeed', async () => {
    const { batch, fates } = newBatch(['fine', 'unlucky', 'poison'], 3)

    const outcome = await consumeEach(batch, handle, retryOrDrop('orders'))

    expect(fates).toEqual(['fine acknowledged', 'unlucky again in 8 s', 'poison acknowledged'])
    expect(outcome).toEqual({ messages: 3, retried: 1, dropped: 1, dead_lettered: 0 })
  })
})

describe('messages that contain accepted data', () => {
  const dead: unknown[] = []
  const deadQueue = { send: async (body: unknown) => void dead.push(body) } as unknown as Queue
  afterEach(() => {
    dead.length = 0
  })

  it('become dead letters when they can never succeed, and at the twelfth delivery', async () => {
    const { batch, fates } = newBatch(['unlucky', 'poison'], 12)

    const outcome = await consumeEach(batch, handle, retryOrDeadLetter('orders', deadQueue))

    expect(fates).toEqual(['unlucky acknowledged', 'poison acknowledged'])
    expect(dead).toEqual([
      { error: 'Error: down', attempts: 12, dead: 'unlucky' },
      { error: 'Error: poison', attempts: 12, dead: 'poison' }
    ])
    expect(outcome).toMatchObject({ retried: 0, dead_lettered: 2 })
  })

  it.each(Object.keys(PERMANENT))('become dead letters at once: %s', async (fault) => {
    const { batch, fates } = newBatch([fault])

    const outcome = await consumeEach(batch, handle, retryOrDeadLetter('orders', deadQueue))

    expect(fates).toEqual([`${fault} acknowledged`])
    expect(dead).toMatchObject([{ attempts: 1, dead: fault }])
    expect(outcome).toMatchObject({ retried: 0, dead_lettered: 1 })
  })

  it.each(Object.keys(TRANSIENT))('are delivered again: %s', async (fault) => {
    const { batch, fates } = newBatch([fault])

    await consumeEach(batch, handle, retryOrDeadLetter('orders', deadQueue))

    expect(fates).toEqual([`${fault} again in 2 s`])
    expect(dead).toEqual([])
  })

  it('are delivered again before the twelfth delivery', async () => {
    const { batch, fates } = newBatch(['unlucky'], 11)

    await consumeEach(batch, handle, retryOrDeadLetter('orders', deadQueue))

    expect(fates).toEqual(['unlucky again in 2048 s'])
    expect(dead).toEqual([])
  })

  it('are delivered again in an hour while the dead-letter queue accepts nothing', async () => {
    const { batch, fates } = newBatch(['poison'])
    const failing = { send: () => Promise.reject(new Error('down')) } as unknown as Queue

    await consumeEach(batch, handle, retryOrDeadLetter('orders', failing))

    expect(fates).toEqual(['poison again in 3600 s'])
  })
})

it('names the wrong fields of a message, and never their values', () => {
  const Order = z.object({ id: z.int(), to: z.array(z.object({ name: z.string() })) })
  const read = (body: unknown) => () => readMessage(Order, 'an order', body)

  expect(read({ id: 'ada@example.com', to: [{ name: 7 }] })).toThrow(
    new PoisonError('This is not an order; wrong fields: id, to[0].name.')
  )
  expect(read('ada@example.com')).toThrow(
    new PoisonError('This is not an order; wrong fields: the body.')
  )
})

it('sends a hundred messages per request, with the delay', async () => {
  const sent: unknown[] = []
  const queue = {
    sendBatch: async (messages: { body: number }[], options?: { delaySeconds: number }) =>
      void sent.push([messages.length, messages[0]?.body, options])
  }

  await sendAll(queue, [...Array(250).keys()], { delaySeconds: 7 })
  await sendAll(queue, [])

  expect(sent).toEqual([
    [100, 0, { delaySeconds: 7 }],
    [100, 100, { delaySeconds: 7 }],
    [50, 200, { delaySeconds: 7 }]
  ])
})

it('messages that fail together are tried alone, unless the project or the database is the reason', () => {
  const errorOf = (fault: () => unknown) => {
    try {
      return fault()
    } catch (error) {
      return error
    }
  }

  for (const fault of Object.values(PERMANENT)) {
    expect(mayBeOneMessage(errorOf(fault))).toBe(true)
  }
  expect(mayBeOneMessage(new Error('unknown'))).toBe(true)
  expect(mayBeOneMessage(new PoisonError('There is no project 7.'))).toBe(false)
  for (const reason of ['the database is down', 'a lost race', 'a guard that refused each time']) {
    expect(mayBeOneMessage(errorOf(TRANSIENT[reason] ?? (() => null)))).toBe(false)
  }
})

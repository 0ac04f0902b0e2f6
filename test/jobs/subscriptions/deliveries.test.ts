import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { NIGHTLY } from '../../../src/jobs/cron.ts'
import { purgeDeliveries } from '../../../src/subscriptions/deliveries/store.ts'
import { failingQueue } from '../../support/bindings.ts'
import { ADA, EmailError, newDesk, passSeconds, setClock } from '../../support/deliveries.ts'
import { CALL_STEP } from '../../support/depth.ts'
import { aroundCalls, cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { db } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

/** Inserts copies of a subscription, numbered by `n` from 1 on. @param due SQL: their `next_delivery_date` */
async function copySubscription(id: number, count: number, due: SQL): Promise<void> {
  const columns = await db.all<{ name: string }>(
    sql`select name from pragma_table_info('subscriptions')`
  )
  const names = sql.join(
    columns
      .filter(({ name }) => !['id', 'next_delivery_date'].includes(name))
      .map(({ name }) => sql.identifier(name)),
    sql`, `
  )
  await db.run(sql`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    insert into subscriptions (next_delivery_date, ${names})
    select ${due}, ${names} from numbers, subscriptions where id = ${id}`)
}

describe('an occurrence', () => {
  it('is stored when it is due, delivered, and not stored again', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T08:59:59Z')
    await desk.cron()
    expect(desk.held).toEqual([])
    setClock('2026-11-22T09:00:30Z')

    await desk.cron()
    expect(await desk.deliveries(id)).toMatchObject([
      { status: 'queued', kind: 'scheduled', attempts: 0, recipients: [] }
    ])
    await desk.drain()
    await desk.cron()
    await desk.drain()

    expect(desk.mails.map(({ to }) => to)).toEqual(['ada@example.com'])
    expect(await desk.deliveries(id)).toEqual([
      {
        id: expect.any(Number),
        kind: 'scheduled',
        occurrence: '2026-11-22T09:00:00Z',
        missed: 0,
        status: 'delivered',
        attempts: 1,
        next_attempt_at: null,
        recipients: [ADA],
        error: null,
        created_at: '2026-11-22T09:00:30Z',
        finished_at: '2026-11-22T09:00:30Z'
      }
    ])
    expect((await desk.find(id)).next_delivery_date).toBe('2026-11-23T09:00:00Z')
  })

  it('is entered once by crons that run twice and at the same time', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T09:00:00Z')

    await Promise.all([desk.cron(), desk.cron(), desk.cron()])
    await desk.cron()
    await desk.drain()

    expect([desk.mails.length, (await desk.deliveries(id)).length]).toEqual([1, 1])
  })

  it('is sent once by messages that arrive twice and at the same time', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    const [message] = desk.held.splice(0)

    await Promise.all([desk.deliver(message), desk.deliver(message), desk.deliver(message)])
    await desk.deliver(message)

    expect(desk.mails).toHaveLength(1)
    expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 1 }])
  })

  it.each(['is lost', 'was never sent'])('is delivered even if its message %s', async (fault) => {
    listenToLog()
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T09:00:00Z')
    await desk.cron(fault === 'is lost' ? {} : { DELIVERY_QUEUE: failingQueue() })
    desk.held.length = 0
    passSeconds(299)
    await desk.cron()
    expect(desk.held).toEqual([])
    passSeconds(2)

    await desk.cron()
    await desk.cron()
    expect(desk.held).toHaveLength(1)
    await desk.drain()

    expect(desk.mails).toHaveLength(1)
    expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered', missed: 0 }])
  })

  it('is delivered at once when a restart has lost its message', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    desk.held.length = 0
    passSeconds(10)
    const restarted = { QUEUES_SINCE: String(Date.now()) }
    passSeconds(1)

    await desk.cron(restarted)
    await desk.cron(restarted)
    expect(desk.held).toHaveLength(1)
    await desk.drain()

    expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered', missed: 0 }])
  })

  it('replaces all missed occurrences after days without a cron, and says so', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-25T15:00:00Z')

    await desk.cron()
    await desk.drain()

    expect(await desk.deliveries(id)).toMatchObject([
      { occurrence: '2026-11-25T09:00:00Z', missed: 3, status: 'delivered' }
    ])
    expect(desk.mails.map(({ text }) => text)).toEqual([
      expect.stringContaining('3 earlier deliveries were missed; this one replaces them.')
    ])
    expect((await desk.find(id)).next_delivery_date).toBe('2026-11-26T09:00:00Z')
  })

  it('is not lost when the schedule changes before it is entered', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T09:00:10Z')

    const { body } = await desk.send('PATCH', `subscriptions/${id}/`, { frequency: 'weekly' })
    await desk.drain()

    expect(body.next_delivery_date).toBe('2026-11-27T09:00:00Z')
    expect(await desk.deliveries(id)).toMatchObject([
      { occurrence: '2026-11-22T09:00:00Z', status: 'delivered' }
    ])
  })

  it.each([
    [{ deleted: true }, 'The subscription had been deleted.'],
    [{ enabled: false }, 'The subscription had been paused.']
  ])('is skipped after a change of the subscription: %j', async (change, error) => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    await desk.send('PATCH', `subscriptions/${id}/`, change)

    await desk.drain()

    expect(desk.mails).toEqual([])
    expect(await desk.deliveries(id)).toMatchObject([{ status: 'skipped', error }])
  })

  it.each([
    [{ insight: null }, 'The subscription has neither an insight nor a dashboard.'],
    [{ insight: null, dashboard: true }, 'The dashboard of the subscription has no insights.']
  ])('is skipped if there is nothing to deliver: %j', async (fields, error) => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const dashboard =
      'dashboard' in fields ? (await desk.send('POST', 'dashboards/', {})).body.id : null
    const { id } = await desk.subscribe({ ...fields, dashboard })
    setClock('2026-11-22T09:00:00Z')

    await desk.cron()
    await desk.drain()

    expect(desk.mails).toEqual([])
    expect(await desk.deliveries(id)).toMatchObject([{ status: 'skipped', error }])
  })

  it('is the last if the schedule ends with it', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe({ count: 3 })
    setClock('2026-11-22T09:00:00Z')

    await desk.cron()
    await desk.drain()

    expect((await desk.find(id)).next_delivery_date).toBeNull()
    expect(await desk.deliveries(id)).toHaveLength(1)
  })
})

/** Two recipients, who get separate e-mails. */
const TWO = 'ada@example.com, bob@example.com'

/** Whether a recipient got one message, or at most two if the recipient's entry says `repeated`. */
const isSentAsTold = (sent: number, isRepeated: boolean) => sent > 0 && sent <= (isRepeated ? 2 : 1)

it('a delivery continues wherever it is interrupted: each recipient gets one message, or two if the delivery’s record says so', async () => {
  listenToLog()
  let repeated = 0
  for (let call = 1; ; call += CALL_STEP) {
    for (const side of ['before', 'after'] as const) {
      setClock('2026-11-21T12:00:00Z')
      const desk = await newDesk('Signups', 'ActionsTable')
      const { id } = await desk.subscribe({ target_value: TWO })
      setClock('2026-11-22T09:00:00Z')
      const { DB, isReached } = cutAt(env.DB, call, side)
      await desk.cron()
      const [message] = desk.held
      await desk.deliver(message, { DB })
      if (!isReached()) {
        expect(call).toBeGreaterThan(9)
        return expect(repeated).toBeGreaterThan(0)
      }
      for (let minutes = 0; minutes < 20; minutes += 4) {
        passSeconds(240)
        await desk.cron()
        await desk.drain()
      }

      const [{ status, recipients }] = await desk.deliveries(id)
      expect([call, side, status]).toEqual([call, side, 'delivered'])
      for (const { target, repeated: isRepeated } of recipients) {
        const sent = desk.mails.filter(({ to }) => to === target).length
        const isRight = isSentAsTold(sent, isRepeated)
        expect([call, side, target, isRight]).toEqual([call, side, target, true])
        repeated += sent - 1
      }
    }
  }
})

it('a delivery is resumed six minutes after the last sign of its consumer, which then has no effect on it', async () => {
  listenToLog()
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const { id } = await desk.subscribe()
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  const lost = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  desk.faults.email = () => {
    begun.resolve()
    return lost.promise
  }
  const first = desk.deliver(desk.held.shift())
  await begun.promise
  desk.faults.email = () => {}
  passSeconds(359)
  await desk.cron()
  expect(desk.held).toEqual([])
  passSeconds(1)

  await desk.cron()
  await desk.cron()
  expect(desk.held).toHaveLength(1)
  await desk.drain()
  lost.reject(new EmailError('E_RECIPIENT_SUPPRESSED'))
  await first

  expect(desk.mails).toHaveLength(1)
  expect(await desk.deliveries(id)).toMatchObject([
    { status: 'delivered', attempts: 2, recipients: [{ ...ADA, repeated: true }] }
  ])
})

it('a delivery is removed after 90 days, except the last that arrived', async () => {
  const log = listenToLog()
  // Otherwise the crons of 2028 deliver the subscriptions of earlier tests, too.
  await db.run(sql`update subscriptions set next_delivery_date = null`)
  setClock('2026-01-01T12:00:00Z')
  const desk = await newDesk()
  const { id } = await desk.subscribe({
    frequency: 'monthly',
    start_date: '2026-01-31T09:00:00Z',
    invite_message: 'Hi'
  })
  const deliver = async (time: string) => {
    setClock(time)
    await desk.cron()
    await desk.send('POST', `subscriptions/${id}/test/`)
    await desk.drain()
  }
  const sweep = async (time: string) => {
    setClock(time)
    await desk.cron({}, NIGHTLY)
    return (await desk.deliveries(id)).map((row: Record<string, string>) => [
      row.occurrence?.slice(0, 10),
      row.kind
    ])
  }
  await deliver('2026-01-31T09:00:00Z')
  await deliver('2026-03-31T09:00:00Z')

  expect(await sweep('2026-05-01T08:59:59Z')).toHaveLength(4)
  expect(await sweep('2026-05-01T09:00:01Z')).toEqual([
    ['2026-03-31', 'test'],
    ['2026-03-31', 'scheduled']
  ])
  expect(await sweep('2028-01-01T09:00:00Z')).toEqual([['2026-03-31', 'scheduled']])
  await deliver('2028-01-31T09:00:00Z')

  expect(
    log.lines('nightly sweep of deliveries').map(({ removed }) => Number(removed) > 0)
  ).toContain(true)
  const scheduled = desk.mails.filter(({ subject }) => !subject.startsWith('Test'))
  expect(scheduled.filter(({ text }) => text.includes('Hi'))).toHaveLength(1)
})

it('a delivery is removed sooner or later, even behind more kept ones than a night examines', async () => {
  const before = Date.parse('2026-01-01')
  const numbers = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100)`
  const insert = sql`insert into subscription_deliveries
    (project_id, subscription_id, kind, occurrence, status, created_at)`
  await db.run(sql`delete from subscription_deliveries`)
  await db.run(
    sql`${numbers} ${insert} select 999999999, n, 'scheduled', 1, 'delivered', 1 from numbers`
  )
  await db.run(
    sql`${numbers} ${insert} select 999999999, n, 'test', 1, 'delivered', 1 from numbers`
  )
  const count = async (kind: string) =>
    (await db.all(sql`select 1 from subscription_deliveries where kind = ${kind}`)).length

  for (let night = 0; night < 1_000 && (await count('test')) > 0; night += 1) {
    await purgeDeliveries(db, before, { rows: 10, statements: 5 })
  }

  expect([await count('test'), await count('scheduled')]).toEqual([0, 100])
  await db.run(sql`delete from subscription_deliveries`)
})

describe('a cron that is interrupted', () => {
  it('at any call still enters each occurrence once', async () => {
    listenToLog()
    for (let call = 1; ; call += CALL_STEP) {
      for (const side of ['before', 'after'] as const) {
        setClock('2026-11-21T12:00:00Z')
        const desk = await newDesk('Signups', 'ActionsTable')
        const { id } = await desk.subscribe()
        setClock('2026-11-22T09:00:00Z')
        const { DB, isReached } = cutAt(env.DB, call, side)
        await desk.cron({ DB }).catch(() => {})
        if (!isReached()) {
          return expect(call).toBeGreaterThan(3)
        }
        for (let minutes = 0; minutes < 7; minutes += 1) {
          await desk.cron()
          await desk.drain()
          passSeconds(60)
        }

        expect([call, side, desk.mails.length]).toEqual([call, side, 1])
        expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered' }])
      }
    }
  })
})

describe('a test', () => {
  it('is delivered now, marked as a test, and leaves the schedule unchanged', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk('Signups')
    const { id, next_delivery_date } = await desk.subscribe({
      title: 'Numbers',
      invite_message: 'Welcome'
    })

    const { status, body } = await desk.send('POST', `subscriptions/${id}/test/`)
    await desk.drain()

    expect([status, body.kind, body.status]).toEqual([201, 'test', 'queued'])
    expect(desk.mails).toMatchObject([{ to: 'ada@example.com', subject: 'Test: Numbers' }])
    expect(desk.mails[0]?.text).toContain('This is a test')
    expect(desk.mails[0]?.text).toContain('Welcome')
    expect(await desk.deliveries(id)).toMatchObject([{ kind: 'test', status: 'delivered' }])
    expect((await desk.find(id)).next_delivery_date).toBe(next_delivery_date)
  })

  it('works while the subscription is paused', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    await desk.send('PATCH', `subscriptions/${id}/`, { enabled: false })

    await desk.send('POST', `subscriptions/${id}/test/`)
    await desk.drain()

    expect(desk.mails).toHaveLength(1)
  })
})

it('the invitation is in the first message of the schedule only', async () => {
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  await desk.subscribe({ invite_message: 'Welcome,\nAda & Bob' })
  for (const day of [22, 23]) {
    setClock(`2026-11-${day}T09:00:00Z`)
    await desk.cron()
    await desk.drain()
  }

  expect(desk.mails.map(({ text }) => text.includes('Welcome,\nAda & Bob'))).toEqual([true, false])
  expect(desk.mails[0]?.html).toContain(
    '<div dir="auto">Welcome,</div>\n<div dir="auto">Ada &amp; Bob</div>'
  )
})

it('a delivery is given up at the seventh attempt if the first six were interrupted', async () => {
  listenToLog()
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const { id } = await desk.subscribe()
  setClock('2026-11-22T09:00:00Z')
  for (let n = 0; n < 8; n += 1) {
    await desk.cron()
    let isTaken = false
    const DB = aroundCalls(env.DB, async (run, at) => {
      if (isTaken) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
      isTaken = at === 2
      return run()
    })
    const [message] = desk.held.splice(0)
    if (message) {
      await desk.deliver(message, n < 6 ? { DB } : {})
    }
    passSeconds(601)
  }

  expect(desk.mails).toEqual([])
  expect(await desk.deliveries(id)).toMatchObject([
    { status: 'failed', attempts: 7, error: 'Each attempt was cut off.' }
  ])
})

it('a delivery is sent even if its progress could not be stored at first', async () => {
  listenToLog()
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk('Signups', 'ActionsTable')
  const { id } = await desk.subscribe()
  let calls = 0
  let callsBeforeSending = 0
  const counted = () =>
    aroundCalls(env.DB, (run, at) => {
      calls = at
      return run()
    })
  desk.faults.email = () => {
    callsBeforeSending = calls
  }
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.deliver(desk.held.shift(), { DB: counted() })
  setClock('2026-11-23T09:00:00Z')
  await desk.cron()
  const [message] = desk.held.splice(0)
  for (let n = 0; n < 3; n += 1) {
    const DB = aroundCalls(env.DB, (run, at) => {
      if (at === callsBeforeSending) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
      return run()
    })
    expect(await desk.deliver(message, { DB })).toBe(true)
    passSeconds(700)
  }
  expect(desk.mails).toHaveLength(1)

  await desk.deliver(message)

  expect(desk.mails).toHaveLength(2)
  expect((await desk.deliveries(id))[0]).toMatchObject({
    status: 'delivered',
    attempts: 4,
    recipients: [ADA]
  })
})

it('a delivery that cannot be composed in any attempt keeps the reason', async () => {
  listenToLog()
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const { id } = await desk.subscribe()
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  const [message] = desk.held
  for (let n = 0; n < 7; n += 1) {
    // The fourth call reads the insight. The last attempt makes no such call.
    const DB = aroundCalls(env.DB, (run, at) => {
      if (at === 4 && n < 6) {
        throw new Error('D1_ERROR: Network connection lost.')
      }
      return run()
    })
    await desk.deliver(message, { DB })
    passSeconds(30_000)
  }

  expect(desk.mails).toEqual([])
  expect(await desk.deliveries(id)).toMatchObject([
    { status: 'failed', attempts: 7, error: 'A fault of this service stopped the attempt.' }
  ])
})

it('a schedule that cannot be computed does not stop the others', async () => {
  const log = listenToLog()
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const { id: faulty } = await desk.subscribe()
  const { id } = await desk.subscribe()
  await db.run(sql`update subscriptions set timezone = 'Mars/Olympus' where id = ${faulty}`)
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.drain()
  await db.run(sql`update subscriptions set next_delivery_date = null where id = ${faulty}`)

  expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered' }])
  expect(await desk.deliveries(faulty)).toEqual([])
  expect(log.lines('subscription schedule failed')).toMatchObject([
    { project: desk.project.id, subscription: faulty }
  ])
})

it('hundreds of schedules that cannot be computed do not stop the others', async () => {
  const log = listenToLog()
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const { id: faulty } = await desk.subscribe()
  const { id } = await desk.subscribe()
  await db.run(sql`update subscriptions set timezone = 'Mars/Olympus' where id = ${faulty}`)
  await copySubscription(faulty, 1_000, sql`next_delivery_date - n % 2`)
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.drain()
  // Also makes their ids free again.
  await db.run(sql`delete from subscriptions where timezone = 'Mars/Olympus'`)

  expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered' }])
  expect(log.lines('subscription schedule failed')).toHaveLength(1_001)
})

it('a delivery is tried again by the sweep when its next message cannot be sent', async () => {
  listenToLog()
  setClock('2026-11-21T12:00:00Z')
  const desk = await newDesk()
  const { id } = await desk.subscribe()
  desk.faults.email = () => {
    throw new EmailError('E_RATE_LIMIT_EXCEEDED')
  }
  setClock('2026-11-22T09:00:00Z')
  await desk.cron()
  await desk.deliver(desk.held.shift(), { DELIVERY_QUEUE: failingQueue() })
  desk.faults.email = () => {}
  passSeconds(331)
  await desk.cron()
  await desk.drain()

  expect(await desk.deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 2 }])
})

it('a message that names no delivery is dropped', async () => {
  const log = listenToLog()
  const desk = await newDesk()

  expect(await desk.deliver({ hello: 1 })).toBe(true)
  expect(await desk.deliver({ project_id: 999_999_999, id: 1 })).toBe(true)
  expect(await desk.deliver({ project_id: desk.project.id, id: 999_999_999 })).toBe(true)

  expect(log.lines('queue message dropped')).toMatchObject([
    { error: 'Error: This is not a delivery message; wrong fields: project_id, id.' },
    { error: 'Error: There is no project 999999999.' }
  ])
})

it('a message of another project delivers nothing', async () => {
  setClock('2026-11-21T12:00:00Z')
  const [desk, other] = [await newDesk(), await newDesk()]
  const { id } = await desk.subscribe()
  await desk.send('POST', `subscriptions/${id}/test/`)
  const [message] = desk.held

  await desk.deliver({ ...message, project_id: other.project.id })

  expect(desk.mails).toEqual([])
  expect(await desk.deliveries(id)).toMatchObject([{ status: 'queued', attempts: 0 }])
})

describe('the cost of a delivery', () => {
  /** The time at which the other subscriptions are due, ms UTC. */
  const FAR = Date.parse('2099-01-01')

  /** Inserts subscriptions that are far from due, each with a finished delivery. */
  const seedOthers = async (id: number, count: number) => {
    await copySubscription(id, count, sql`cast(${FAR} as integer) + n`)
    await db.run(sql`
      insert into subscription_deliveries (project_id, subscription_id, kind, occurrence, status, created_at, finished_at)
      select project_id, id, 'scheduled', 1, 'delivered', 1, 1 from subscriptions
      where next_delivery_date > ${FAR} on conflict do nothing`)
  }

  it.each([1, 1_000])(
    'is at most a few dozen rows, with %i other subscriptions',
    async (others) => {
      setClock('2026-11-21T12:00:00Z')
      const desk = await newDesk()
      const { id } = await desk.subscribe({ start_date: '2026-11-30T10:00:00Z' })
      await seedOthers(id, others)
      // Processes what other tests have left.
      setClock('2026-11-30T09:59:00Z')
      await desk.cron()
      desk.held.length = 0
      setClock('2026-11-30T10:00:00Z')
      const log = listenToLog()
      await desk.cron()
      await desk.drain()

      const [claimed] = log.lines('due subscriptions')
      const [delivered] = log.lines('queue batch')
      expect(claimed?.rows_read).toBeLessThanOrEqual(40)
      expect(claimed?.rows_written).toBeLessThanOrEqual(10)
      expect(delivered?.rows_read).toBeLessThanOrEqual(60)
      expect(delivered?.rows_written).toBeLessThanOrEqual(8)
    }
  )
})

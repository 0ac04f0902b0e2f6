import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { ADA, EmailError, newDesk, passSeconds, SENT, setClock } from '../../support/deliveries.ts'
import { untilQuiet } from '../../support/queue.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

describe('an e-mail that fails', () => {
  it('for a temporary reason is sent again after longer and longer delays, and then arrives', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    const tries: number[] = []
    desk.faults.email = () => {
      tries.push(Date.now())
      if (tries.length < 4) {
        throw new EmailError('E_RATE_LIMIT_EXCEEDED')
      }
    }
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    const [message] = desk.held

    expect(await desk.deliver(message)).toBe(true)
    expect(desk.later).toMatchObject([{ body: message, seconds: 31 }])
    expect(await desk.deliveries(id)).toMatchObject([
      {
        status: 'queued',
        attempts: 1,
        next_attempt_at: '2026-11-22T09:00:30Z',
        error: 'E_RATE_LIMIT_EXCEEDED: said E_RATE_LIMIT_EXCEEDED'
      }
    ])
    await desk.deliver(message)
    expect(tries).toHaveLength(1)
    await desk.drain()

    expect(desk.mails).toHaveLength(1)
    expect(tries).toHaveLength(4)
    expect(await desk.deliveries(id)).toMatchObject([
      { status: 'delivered', attempts: 4, error: null, recipients: [ADA] }
    ])
  })

  it('every time is given up after six attempts in eight hours', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    const tries: number[] = []
    desk.faults.email = () => {
      tries.push((Date.now() - Date.parse('2026-11-22T09:00:00Z')) / 1000)
      throw new EmailError('E_INTERNAL_SERVER_ERROR')
    }
    setClock('2026-11-22T09:00:00Z')

    await desk.cron()
    await desk.drain()

    expect(tries).toEqual([0, 31, 152, 753, 4_354, 28_355])
    expect(await desk.deliveries(id)).toMatchObject([
      {
        status: 'failed',
        attempts: 6,
        error: 'E_INTERNAL_SERVER_ERROR: said E_INTERNAL_SERVER_ERROR'
      }
    ])
  })

  it('permanently is not sent again, but other e-mails are', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe({
      target_value: 'ada@example.com, bob@example.com, cy@example.com'
    })
    let isBusy = true
    desk.faults.email = ({ to }) => {
      if (to.startsWith('bob')) {
        throw new EmailError('E_RECIPIENT_SUPPRESSED')
      }
      if (to.startsWith('cy') && isBusy) {
        isBusy = false
        throw new EmailError('E_DAILY_LIMIT_EXCEEDED')
      }
    }
    setClock('2026-11-22T09:00:00Z')

    await desk.cron()
    await desk.drain()

    expect(desk.mails.map(({ to }) => to)).toEqual(['ada@example.com', 'cy@example.com'])
    expect(await desk.deliveries(id)).toMatchObject([
      {
        status: 'failed',
        attempts: 2,
        error:
          'Failed or unconfirmed for 1 of 3 recipients; first error: E_RECIPIENT_SUPPRESSED: said E_RECIPIENT_SUPPRESSED',
        recipients: [
          ADA,
          { target: 'bob@example.com', status: 'failed' },
          { target: 'cy@example.com', ...SENT }
        ]
      }
    ])
  })

  it('without an answer may have arrived: it is sent once more, and the delivery’s record says so', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    desk.faults.email = () => {
      throw new Error('Network connection lost.')
    }
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()
    await desk.drain()

    expect(await desk.deliveries(id)).toMatchObject([
      {
        status: 'failed',
        attempts: 2,
        error: 'Network connection lost.',
        recipients: [{ target: 'ada@example.com', status: 'unknown', repeated: true }]
      }
    ])
  })

  it('because there is no binding says so', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    setClock('2026-11-22T09:00:00Z')
    await desk.cron()

    await desk.drain({ EMAIL: undefined as unknown as SendEmail })

    expect(await desk.deliveries(id)).toMatchObject([
      { status: 'failed', error: 'This deployment has no send_email binding.' }
    ])
  })
})

describe('a subscription that keeps failing', () => {
  async function failFor(days: number) {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe({ title: 'Numbers' })
    const owner = desk.project.user.email
    desk.faults.email = ({ to }) => {
      if (to !== owner) {
        throw new EmailError('E_RECIPIENT_SUPPRESSED')
      }
    }
    for (let day = 22; day < 22 + days; day += 1) {
      setClock(`2026-11-${day}T09:00:00Z`)
      await desk.cron()
      await desk.drain()
    }
    return { desk, id, owner }
  }

  it('is paused after five occurrences, and its owner is notified', async () => {
    const { desk, id, owner } = await failFor(8)

    const reason =
      'The last 5 deliveries failed: E_RECIPIENT_SUPPRESSED: said E_RECIPIENT_SUPPRESSED'
    expect(await desk.find(id)).toMatchObject({
      enabled: false,
      paused_reason: reason,
      next_delivery_date: null
    })
    expect(desk.mails.map(({ to, subject }) => [to, subject])).toEqual([[owner, 'Paused: Numbers']])
    expect(desk.mails[0]?.text).toContain(reason)
    expect(desk.mails[0]?.text).toContain(
      `PATCH https://analytics.test/api/environments/${desk.project.id}/subscriptions/${id}/ with`
    )
    const kinds = (await desk.deliveries(id)).map(
      ({ kind, status }: Record<string, string>) => `${kind} ${status}`
    )
    expect(kinds).toEqual(['notice delivered', ...Array(5).fill('scheduled failed')])
  })

  it('continues when it is resumed, and counts from zero', async () => {
    const { desk, id } = await failFor(5)

    const { body } = await desk.send('PATCH', `subscriptions/${id}/`, { enabled: true })

    expect(body).toMatchObject({
      enabled: true,
      paused_reason: null,
      next_delivery_date: '2026-11-27T09:00:00Z'
    })
    setClock('2026-11-27T09:00:00Z')
    await desk.cron()
    await desk.drain()
    expect((await desk.find(id)).enabled).toBe(true)
  })

  it('sends its owner no notice once it is resumed', async () => {
    const { desk, id, owner } = await failFor(4)
    setClock('2026-11-26T09:00:00Z')
    await desk.cron()
    await desk.deliver(desk.held.shift())
    expect((await desk.find(id)).enabled).toBe(false)

    await desk.send('PATCH', `subscriptions/${id}/`, { enabled: true })
    await desk.drain()

    expect(desk.mails.filter(({ to }) => to === owner)).toEqual([])
    expect((await desk.deliveries(id))[0]).toMatchObject({
      kind: 'notice',
      status: 'skipped',
      error: 'The subscription had been resumed.'
    })
  })

  it('sends its owner no notice if a user pauses it during the fifth failure', async () => {
    const { desk, id } = await failFor(4)
    const { email } = desk.faults
    desk.faults.email = async (mail) => {
      await desk.send('PATCH', `subscriptions/${id}/`, { enabled: false })
      return email(mail)
    }
    setClock('2026-11-26T09:00:00Z')
    await desk.cron()
    await desk.drain()

    expect(desk.mails).toEqual([])
    expect((await desk.find(id)).paused_reason).toBe('Paused by a user.')
    expect((await desk.deliveries(id))[0]).toMatchObject({ kind: 'scheduled', status: 'failed' })
  })

  it('is not paused if an occurrence in between arrives', async () => {
    const { desk, id } = await failFor(4)
    const { email } = desk.faults
    desk.faults.email = () => {}
    setClock('2026-11-26T09:00:00Z')
    await desk.cron()
    await desk.drain()
    desk.faults.email = email
    setClock('2026-11-27T09:00:00Z')
    await desk.cron()
    await desk.drain()

    expect(await desk.find(id)).toMatchObject({
      enabled: true,
      next_delivery_date: '2026-11-28T09:00:00Z'
    })
  })

  it('is not paused by tests', async () => {
    setClock('2026-11-21T12:00:00Z')
    const desk = await newDesk()
    const { id } = await desk.subscribe()
    desk.faults.email = () => {
      throw new EmailError('E_RECIPIENT_SUPPRESSED')
    }
    for (let n = 0; n < 6; n += 1) {
      passSeconds(1)
      await desk.send('POST', `subscriptions/${id}/test/`)
      await desk.drain()
    }

    expect((await desk.find(id)).enabled).toBe(true)
    expect(await desk.deliveries(id)).toHaveLength(6)
  })
})

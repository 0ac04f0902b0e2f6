import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, expect, inject, it, vi } from 'vitest'
import { updateProject } from '../../../src/access/store.ts'
import { toIso } from '../../../src/calendar/clock.ts'
import { DAY, HOUR, MINUTE } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import { failingQueue } from '../../support/bindings.ts'
import { type Desk, EmailError, newDesk, passSeconds, setClock } from '../../support/deliveries.ts'
import { CALL_STEP, seed, share, times } from '../../support/depth.ts'
import { cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { db, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import type { Received } from '../../support/receiver.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

const BERLIN = 'Europe/Berlin'
const parts = new Intl.DateTimeFormat('en-GB', {
  timeZone: BERLIN,
  weekday: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric'
})

/** Returns what a clock in Berlin shows. */
function clockOf(time: number) {
  const shown = Object.fromEntries(
    parts.formatToParts(time).map(({ type, value }) => [type, value])
  )
  return {
    weekday: shown.weekday ?? '',
    day: Number(shown.day),
    hour: Number(shown.hour),
    minute: Number(shown.minute)
  }
}

type Every = 'every_15_minutes' | 'hourly' | 'daily' | 'weekly' | 'monthly'
type Clock = ReturnType<typeof clockOf>

const IS_END: Record<Every, (clock: Clock) => boolean> = {
  every_15_minutes: ({ minute }) => minute % 15 === 0,
  hourly: ({ minute }) => minute === 0,
  daily: ({ hour, minute }) => hour === 0 && minute === 0,
  weekly: ({ weekday, hour, minute }) => weekday === 'Mon' && hour === 0 && minute === 0,
  monthly: ({ day, hour, minute }) => day === 1 && hour === 0 && minute === 0
}

type Plan = {
  name: string
  every: Every
  /** Whether the insight is by the hour or by the day. */
  by: 'hour' | 'day'
  skipsWeekends?: boolean
  /** Whether a number is beyond the bounds, by the number and the one before or a week before. */
  isBreach: (
    value: number,
    before: number | undefined,
    weekBefore: number | undefined
  ) => boolean | undefined
  body: object
}

const absolute = (bounds: JsonObject) => ({
  condition: { type: 'absolute_value' },
  threshold: { configuration: { type: 'absolute', bounds } }
})

const HOURS: Plan[] = [
  {
    name: 'few by the hour',
    every: 'hourly',
    by: 'hour',
    isBreach: (value) => value < 1,
    body: absolute({ lower: 1 })
  },
  {
    name: 'hours after weekends',
    every: 'hourly',
    by: 'hour',
    skipsWeekends: true,
    isBreach: (value) => value > 8,
    body: absolute({ upper: 8 })
  }
]

const DAYS: Plan[] = [
  {
    name: 'days',
    every: 'daily',
    by: 'day',
    skipsWeekends: true,
    isBreach: (value, before) => (before === undefined ? undefined : value - before > 10),
    body: {
      condition: { type: 'relative_increase' },
      threshold: { configuration: { type: 'absolute', bounds: { upper: 10 } } }
    }
  },
  {
    name: 'weekdays',
    every: 'daily',
    by: 'day',
    isBreach: (value, _, before) =>
      before === undefined ? undefined : (before - value) / before > 0.1,
    body: {
      condition: { type: 'relative_decrease', compare_to: 'same_weekday' },
      threshold: { configuration: { type: 'percentage', bounds: { upper: 0.1 } } }
    }
  },
  {
    name: 'hours of a week',
    every: 'weekly',
    by: 'hour',
    isBreach: (value) => value > 8,
    body: absolute({ upper: 8 })
  },
  {
    name: 'days of a month',
    every: 'monthly',
    by: 'day',
    isBreach: (value) => value < 100,
    body: absolute({ lower: 100 })
  }
]

const QUARTERS: Plan[] = [
  {
    name: 'hours on quarters',
    every: 'every_15_minutes',
    by: 'hour',
    isBreach: (value) => value < 4,
    body: absolute({ lower: 4 })
  }
]

const SETTLING = 2 * MINUTE

const QUARTER = 15 * MINUTE

/** Returns the moments at which a clock in Berlin shows the end of an interval. */
function endsOf(every: Every, from: number, until: number): number[] {
  const ends: number[] = []
  for (let time = Math.ceil(from / QUARTER) * QUARTER; time < until; time += QUARTER) {
    if (IS_END[every](clockOf(time))) {
      ends.push(time)
    }
  }
  return ends
}

/**
 * Says in plain code what each check finds, from `since` on: the moment it is due, and `firing` or
 * `over` if it has to be told.
 */
function expectedOf(
  { every, by, skipsWeekends = false, isBreach }: Plan,
  events: number[],
  since: number,
  until: number
): { due: number; event: string | null; intervals: number }[] {
  const ends = endsOf(by === 'hour' ? 'hourly' : 'daily', since - 40 * DAY, until)
  const counts = ends.map((end, i) => {
    const start = ends[i - 1] ?? end
    return events.filter((time) => time >= start && time < end).length
  })
  const isWeekend = (time: number) => ['Sat', 'Sun'].includes(clockOf(time).weekday)
  const dues = endsOf(every, since - SETTLING + MINUTE, until)
    .map((end) => end + SETTLING)
    .filter((due) => !skipsWeekends || !isWeekend(due))
  let next = ends.findLastIndex((end) => end <= since - SETTLING)
  let isFiring = false
  return [since, ...dues]
    .filter((due) => due <= until)
    .map((due) => {
      const was = isFiring
      let hasBroken = false
      let hasCrossed = false
      let intervals = 0
      for (; (ends[next] ?? Number.POSITIVE_INFINITY) <= due - SETTLING; next += 1) {
        intervals += 1
        const week = ends.findIndex((end) => clockIsWeekBefore(end, ends[next] ?? 0, by))
        const broken = isBreach(counts[next] ?? 0, counts[next - 1], counts[week])
        hasBroken ||= broken === true
        hasCrossed ||= broken === true && !isFiring
        isFiring = broken ?? isFiring
      }
      if (isFiring) {
        return { due, event: hasCrossed ? 'firing' : null, intervals }
      }
      return { due, event: was || hasBroken ? 'over' : null, intervals }
    })
}

/** Whether an interval ends a week before another one, on a clock in Berlin. */
function clockIsWeekBefore(end: number, later: number, by: 'hour' | 'day'): boolean {
  const isNear = Math.abs(later - end - 7 * DAY) <= HOUR
  return isNear && (by === 'day' || clockOf(end).hour === clockOf(later).hour)
}

/** Whether the queue accepts nothing, loses a message, or the e-mail service is busy, at the nth moment. */
const refuses = (n: number) => n % 17 === 0
const loses = (n: number) => n % 11 === 0
const isBusy = (n: number) => n % 13 === 0
/** A moment without any of these. */
const CALM = 1

async function tick(desk: Desk, n: number): Promise<void> {
  let isTried = !isBusy(n)
  desk.faults.email = () => {
    if (!isTried) {
      isTried = true
      throw new EmailError('E_RATE_LIMIT_EXCEEDED')
    }
  }
  if (refuses(n)) {
    await desk.cron({ DELIVERY_QUEUE: failingQueue() })
  } else if (n % 7 === 0) {
    await Promise.all([desk.cron(), desk.cron()])
  } else {
    await desk.cron()
  }
  if (loses(n)) {
    desk.held.splice(0, 1)
  }
  if (n % 5 === 0) {
    desk.held.push(...desk.held.toReversed())
  }
  await desk.drain()
}

/** Creates a project in Berlin with zero to nine random events in each hour, from eight days before. */
async function newShop(from: number, days: number) {
  setClock(from + days * DAY)
  const desk = await newDesk()
  await updateProject(db, desk.project.id, { timezone: BERLIN, week_start: 'monday' })
  const counts = fc.sample(fc.nat({ max: 9 }), { numRuns: (days + 8) * 24, seed })
  const events = counts.flatMap((count, hour) =>
    Array.from({ length: count }, (_, i) => from - 8 * DAY + hour * HOUR + i * MINUTE)
  )
  for (let i = 0; i < events.length; i += 500) {
    await desk.project.ingest(
      events
        .slice(i, i + 500)
        .map((timestamp) => ({ event: 'sold', distinct_id: 'ada', timestamp })),
      Date.now()
    )
  }
  setClock(from)
  return { desk, events }
}

/** Makes an alert of each plan, to an address of its own. @returns the plans and ids by address */
async function makeAlerts(desk: Desk, plans: Plan[]) {
  const own = new Map<string, { plan: Plan; id: string }>()
  for (const [n, plan] of plans.entries()) {
    const filters = { events: [{ id: 'sold' }], interval: plan.by, date_from: '-2d' }
    const insight = (await desk.send('POST', 'insights/', { filters })).body.id
    const target_value = `n${n}@example.com`
    const made = await desk.send('POST', 'alerts/', {
      name: plan.name,
      insight,
      target_value,
      calculation_interval: plan.every,
      skip_weekend: plan.skipsWeekends ?? false,
      ...plan.body
    })
    expect([plan.name, made.status, made.body.detail]).toEqual([plan.name, 201, undefined])
    own.set(target_value, { plan, id: made.body.id })
  }
  return own
}

type Told = { at: number; subject: string }

/**
 * Runs the cron at each of these moments, with faults in some of them, and after a fault six and
 * seven minutes later, without faults. @returns the e-mails by address, and the moments at which messages were lost
 */
async function pass(desk: Desk, dues: number[]) {
  const told = new Map<string, Told[]>()
  const lossy = new Set<number>()
  const isDue = new Set(dues)
  const moments = new Set(dues)
  for (let n = 1; moments.size > 0; n += 1) {
    const at = Math.min(...moments)
    moments.delete(at)
    setClock(at)
    const fault = isDue.has(at) ? n : CALM
    await tick(desk, fault)
    if (refuses(fault) || loses(fault)) {
      lossy.add(at)
      moments.add(at + 6 * MINUTE).add(at + 7 * MINUTE)
    }
    for (const { to, subject } of desk.mails.splice(0)) {
      told.set(to, [...(told.get(to) ?? []), { at: Date.now(), subject }])
    }
  }
  return { told, lossy }
}

/** A minute and a half per season on a slow machine. TIMES=2 with FULL_DEPTH asks it of spring too. */
const ALL = [...DAYS, ...HOURS]

it.each<[string, string, number, Plan[]]>([
  ['spring', '2026-03-02', 56, share === 1 && times > 1 ? ALL : DAYS],
  ['autumn', '2026-10-01', 56, share === 1 ? ALL : DAYS],
  ['spring', '2026-03-27', 4, HOURS],
  ['autumn', '2026-10-23', 4, HOURS],
  ['spring', '2026-03-29', 1, QUARTERS],
  ['autumn', '2026-10-25', 1, QUARTERS]
])(
  'around the clock change of %s, from %s for %i days, each crossing is told once and on time',
  async (_season, start, days, plans) => {
    listenToLog()
    const [from, until] = [Date.parse(start), Date.parse(start) + days * DAY]
    const { desk, events } = await newShop(from, days)
    const own = await makeAlerts(desk, plans)
    const expected = new Map(
      [...own].map(([to, { plan }]) => [to, expectedOf(plan, events, from, until)] as const)
    )

    const dues = [...expected.values()].flat().map(({ due }) => due)
    const { told, lossy } = await pass(desk, dues)

    let total = 0
    for (const [to, { plan, id }] of own) {
      const found = expected.get(to) ?? []
      const { checks, checks_total } = (
        await desk.project.call('GET', `alerts/${id}/?checks_limit=500`)
      ).body
      const shown = checks
        .toReversed()
        .map((one: { intervals: number; delivery: { occurrence: string; missed: number } }) => [
          one.delivery.occurrence,
          one.intervals,
          one.delivery.missed
        ])
      expect([plan.name, checks_total]).toEqual([plan.name, found.length])
      expect([plan.name, shown]).toEqual([
        plan.name,
        found.slice(-500).map(({ due, intervals }) => [toIso(due), intervals, 0])
      ])
      const crossings = found.filter(({ event }) => event !== null)
      const mails = told.get(to) ?? []
      expect([plan.name, mails.map(({ subject }) => subject)]).toEqual([
        plan.name,
        crossings.map(({ event }) => `${event === 'firing' ? 'Alert' : 'Over'}: ${plan.name}`)
      ])
      const late = crossings.map(({ due }, i) => ({ due, delay: (mails[i]?.at ?? 0) - due }))
      // A lost message is found missing after five minutes.
      const limit = (due: number) => (lossy.has(due) ? 7 * MINUTE : MINUTE)
      expect(late.filter(({ due, delay }) => !(delay >= 0 && delay <= limit(due)))).toEqual([])
      total += crossings.length
    }
    expect(total).toBeGreaterThan(plans.length)
    // Nobody would deliver what the crons of later tests find due in this project.
    for (const { id } of own.values()) {
      await desk.send('PATCH', `alerts/${id}/`, { enabled: false })
    }
  },
  600_000
)

it('an alert goes on wherever its check is interrupted: a crossing is told once, or repeated if the log says so', async () => {
  listenToLog()
  const [friday, saturday] = [
    Date.parse('2026-11-20T12:00:00Z'),
    Date.parse('2026-11-21T00:02:00Z')
  ]
  for (let call = 1; ; call += CALL_STEP) {
    for (const side of ['before', 'after'] as const) {
      setClock(friday)
      const desk = await newDesk()
      const filters = { events: [{ id: 'sold' }], display: 'ActionsLineGraph' }
      const insight = (await desk.send('POST', 'insights/', { filters })).body.id
      const body = { insight, target_value: 'ada@example.com', ...absolute({ upper: 0 }) }
      const { id } = (await desk.send('POST', 'alerts/', body)).body
      await desk.cron()
      await desk.drain()
      await desk.project.ingest([{ event: 'sold', distinct_id: 'ada', timestamp: friday }])
      setClock(saturday)
      const { DB, isReached } = cutAt(env.DB, call, side)
      await desk.cron()
      await desk.deliver(desk.held[0], { DB })
      if (!isReached()) {
        return expect(call).toBeGreaterThan(9)
      }
      for (let minutes = 0; minutes < 20; minutes += 4) {
        passSeconds(240)
        await desk.cron()
        await desk.drain()
      }

      const { checks, state } = (await desk.send('GET', `alerts/${id}/`)).body
      expect([call, side, state, checks[0].state, checks.length]).toEqual([
        call,
        side,
        'Firing',
        'Firing',
        2
      ])
      const [{ repeated }] = checks[0].delivery.recipients
      // An e-mail is repeated if the first may not have been sent.
      expect(repeated ? [1, 2] : [1]).toContain(desk.mails.length)
    }
  }
})

const { host, url } = inject('receiver')
const OPEN = { OUTBOUND_ALLOW: host }

/** Fires an alert without sales to a path of the receiver. @returns the alert and the request */
async function fireTo(target_type: 'slack' | 'webhook') {
  setClock('2026-11-23T12:00:00Z')
  const desk = await newDesk()
  const sold = (day: number, n: number) =>
    Array.from({ length: n }, (_, i) => ({
      event: 'sold',
      distinct_id: `p${i}`,
      timestamp: Date.UTC(2026, 10, day, 8)
    }))
  await desk.project.ingest([...sold(21, 20), ...sold(22, 8)])
  const filters = { events: [{ id: 'sold' }], date_from: '-2d' }
  const insight = (await desk.send('POST', 'insights/', { name: 'Sales', filters })).body.id
  const path = `/ok/${crypto.randomUUID()}`
  const { status, body } = await desk.send(
    'POST',
    'alerts/',
    {
      name: 'Sales fell',
      insight,
      target_type,
      target_value: `${url}${path}`,
      condition: { type: 'relative_decrease' },
      threshold: { configuration: { type: 'percentage', bounds: { upper: 0.5 } } }
    },
    OPEN
  )
  expect([status, body.detail]).toEqual([201, undefined])
  await desk.cron()
  await desk.drain(OPEN)
  const received: Received[] = await (
    await fetch(`${url}/received?at=${encodeURIComponent(path)}`)
  ).json()
  expect(received).toHaveLength(1)
  return { desk, alert: body, insight, received: received[0] }
}

it('an alert is sent to a webhook, signed, with the number and the address of the chart', async () => {
  const { desk, alert, insight, received } = await fireTo('webhook')

  const payload = new Webhook(alert.webhook_secret).verify(
    received?.body ?? '',
    received?.headers as Record<string, string>
  )
  expect(payload).toEqual({
    type: 'alert.firing',
    timestamp: '2026-11-23T12:00:00Z',
    data: {
      alert: {
        id: alert.id,
        state: 'Firing',
        calculated_value: 0.6,
        interval: { from: '2026-11-22T00:00:00Z', until: '2026-11-23T00:00:00Z' },
        description: 'sold: 8, 20 in the interval before; more than a decrease of 50%'
      },
      delivery: expect.any(Number),
      test: false,
      occurrence: '2026-11-23T12:00:00Z',
      missed: 0,
      title: 'Alert: Sales fell',
      project: 'Test',
      summary: 'checked every day',
      timezone: 'UTC',
      invite_message: null,
      insights: [
        expect.objectContaining({
          id: insight,
          chart_url: expect.stringMatching(/^https:\/\/analytics\.test\/charts\/.*\.png$/)
        })
      ]
    }
  })
  const { checks } = (await desk.send('GET', `alerts/${alert.id}/`)).body
  expect(checks).toMatchObject([{ state: 'Firing', targets_notified: true }])
})

it('an alert is sent to Slack, with the chart', async () => {
  const { received } = await fireTo('slack')

  const { text, blocks } = JSON.parse(received?.body ?? '')
  expect(text).toContain('Alert: Sales fell')
  expect(blocks[1].text.text).toBe(
    'sold: 8, 20 in the interval before; more than a decrease of 50% (22 Nov 2026).'
  )
  expect(blocks.filter(({ type }: { type: string }) => type === 'image')).toHaveLength(1)
})

it('an alert goes through the real e-mail binding and the real queue', async () => {
  const desk = await newDesk()
  const filters = { events: [{ id: 'sold' }] }
  const insight = (await desk.send('POST', 'insights/', { filters })).body.id
  const body = { insight, target_value: 'ada@example.com', condition: { type: 'no_data' } }
  const { id } = (await desk.send('POST', 'alerts/', body)).body
  await desk.cron({ DELIVERY_QUEUE: env.DELIVERY_QUEUE, EMAIL: env.EMAIL })
  await untilQuiet()

  const { checks } = (await desk.send('GET', `alerts/${id}/`)).body
  expect(checks).toMatchObject([
    {
      state: 'Firing',
      targets_notified: true,
      delivery: { status: 'delivered', recipients: [{ target: 'ada@example.com', status: 'sent' }] }
    }
  ])
})

it('the last recipient who unsubscribes stops an alert, until it has new ones', async () => {
  setClock('2026-11-23T12:00:00Z')
  const desk = await newDesk()
  const insight = (await desk.send('POST', 'insights/', { filters: { events: [{ id: 'sold' }] } }))
    .body.id
  const made = { insight, target_value: 'ada@example.com', condition: { type: 'no_data' } }
  const { id } = (await desk.send('POST', 'alerts/', made)).body
  await desk.cron()
  await desk.drain()
  const link = desk.mails[0]?.headers['List-Unsubscribe']?.replace(/[<>]/g, '') ?? ''

  const { status } = await request('POST', new URL(link).pathname)

  expect(status).toBe(200)
  expect((await desk.send('GET', `alerts/${id}/`)).body).toMatchObject({
    enabled: false,
    paused_reason: 'All recipients have unsubscribed.',
    target_value: '',
    next_check_at: null
  })
  const enabled = await desk.send('PATCH', `alerts/${id}/`, { enabled: true })
  expect([enabled.status, enabled.body.attr]).toEqual([400, 'subscribed_users'])
  const restored = await desk.send('PATCH', `alerts/${id}/`, {
    enabled: true,
    target_value: 'bob@example.com'
  })
  expect(restored.body).toMatchObject({ enabled: true, target_value: 'bob@example.com' })
  expect(restored.body.next_check_at).toBe('2026-11-23T12:00:00Z')
})

it('a check costs as much as if the project had no other alerts, and all are claimed at once', async () => {
  const alone = await checkAlerts(1)
  const { claimed, checked } = await checkAlerts(40)

  expect(claimed).toMatchObject({ claimed: 40, resent: 0 })
  expect(claimed?.rows_read).toBeLessThanOrEqual(40 * Number(alone.claimed?.rows_read))
  expect(checked).toHaveLength(40)
  for (const { rows_read, rows_written } of checked) {
    expect(rows_read).toBeLessThanOrEqual(Number(alone.checked[0]?.rows_read) + 2)
    expect(rows_written).toBeLessThanOrEqual(Number(alone.checked[0]?.rows_written))
  }
})

/** Checks so many alerts on an insight of a new project. @returns what the log says about it */
async function checkAlerts(count: number) {
  setClock('2026-11-22T12:00:00Z')
  const desk = await newDesk()
  const filters = { events: [{ id: 'sold' }], date_from: '-2d' }
  const insight = (await desk.send('POST', 'insights/', { filters })).body.id
  for (let made = 0; made < count; made += 1) {
    const { status } = await desk.send('POST', 'alerts/', {
      insight,
      target_value: 'ada@example.com',
      condition: { type: 'absolute_value' },
      threshold: { configuration: { type: 'absolute', bounds: { upper: 100 } } }
    })
    expect(status).toBe(201)
  }
  // The first checks of new alerts.
  await desk.cron()
  await desk.drain()
  setClock('2026-11-23T00:02:00Z')
  const log = listenToLog()
  await desk.cron()
  await desk.drain()
  const [claimed] = log.lines('due subscriptions')
  const checked = log.lines('queue batch')
  log.stop()
  return { claimed, checked }
}

import fc from 'fast-check'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { toIso } from '../../../src/calendar/clock.ts'
import { DAY } from '../../../src/calendar/units.ts'
import type { JsonObject } from '../../../src/input/json.ts'
import type { Schedule } from '../../../src/subscriptions/schedule.ts'
import { failingQueue } from '../../support/bindings.ts'
import { type Desk, newDesk, setClock } from '../../support/deliveries.ts'
import { deep, seed } from '../../support/depth.ts'
import { listenToLog } from '../../support/log.ts'
import { untilQuiet } from '../../support/queue.ts'
import { occurrencesUntil } from '../../support/recurrence.ts'
import { anySchedule } from '../../support/schedules.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(untilQuiet)

const QUARTER = 15 * 60_000
const WEEK = 7 * DAY
const SUBSCRIPTIONS = deep(50).numRuns

const toFields = (schedule: Schedule): JsonObject => ({
  frequency: schedule.frequency,
  interval: schedule.interval,
  byweekday: schedule.byweekday,
  bysetpos: schedule.bysetpos,
  count: schedule.count,
  start_date: toIso(schedule.startDate),
  until_date: schedule.untilDate === null ? null : toIso(schedule.untilDate),
  timezone: schedule.timezone
})

/** Whether the queue accepts nothing in the nth quarter of an hour. */
const refuses = (n: number) => n % 97 === 0
/** Whether the queue loses a message in the nth quarter of an hour. */
const loses = (n: number) => n % 11 === 0

/** Fires the cron once or twice. The queue may lose a message, or deliver all of them twice and in another order. */
async function tick(desk: Desk, n: number): Promise<void> {
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

/** Generates 1,000 random schedules, and returns the first `SUBSCRIPTIONS` with 1 to 29 occurrences in `(from, until]`. */
function pickSchedules(from: number, until: number) {
  const schedules: { schedule: Schedule; expected: number[] }[] = []
  for (const schedule of fc.sample(anySchedule, { numRuns: 1_000, seed })) {
    if (schedules.length === SUBSCRIPTIONS) {
      break
    }
    const expected = occurrencesUntil(schedule, until).filter((time) => time > from)
    if (expected.length > 0 && expected.length < 30) {
      schedules.push({ schedule, expected })
    }
  }
  return schedules
}

it.each([
  ['spring', '2026-03-01T00:00:00Z'],
  ['autumn', '2026-10-01T00:00:00Z']
])(
  'in eight weeks around the clock changes of %s, each subscription is delivered on time and once',
  async (_, start) => {
    listenToLog()
    const [from, until] = [Date.parse(start), Date.parse(start) + 8 * WEEK]
    const schedules = pickSchedules(from, until)
    setClock(from)
    const desk = await newDesk('Signups', 'ActionsTable')
    const own = new Map<string, { id: number; expected: number[] }>()
    for (const [n, { schedule, expected }] of schedules.entries()) {
      const target_value = `n${n}@example.com`
      const { id } = await desk.subscribe({ target_value, ...toFields(schedule) })
      own.set(target_value, { id, expected })
    }

    /** Quarters of an hour in which an occurrence is due. */
    const busy = new Set(
      schedules.flatMap(({ expected }) =>
        expected.map((time) => Math.ceil((time - from) / QUARTER))
      )
    )
    const sent = new Map<string, number[]>()
    /** Quarters of an hour after a fault, in which messages may be left over. */
    let unsettled = 0
    for (let n = 1; from + n * QUARTER <= until + QUARTER; n += 1) {
      // Of the quarters in which nothing is due or left over, every 64th is enough.
      if (!busy.has(n) && unsettled === 0 && n % 64 !== 0) {
        continue
      }
      setClock(from + n * QUARTER)
      await tick(desk, n)
      unsettled = refuses(n) || loses(n) ? 3 : Math.max(0, unsettled - 1)
      for (const { to } of desk.mails.splice(0)) {
        sent.set(to, [...(sent.get(to) ?? []), from + n * QUARTER])
      }
    }

    expect(own.size).toBe(SUBSCRIPTIONS)
    let total = 0
    for (const [to, { id, expected }] of own) {
      const { results } = (
        await desk.project.call('GET', `subscriptions/${id}/deliveries/?limit=1000`)
      ).body
      const entered = results
        .toReversed()
        .filter(({ occurrence }: { occurrence: string }) => Date.parse(occurrence) <= until)
      expect(
        entered.map(({ occurrence }: { occurrence: string }) => occurrence),
        `seed ${seed}, ${to}`
      ).toEqual(expected.map(toIso))
      for (const { status, missed } of entered) {
        expect([status, missed]).toEqual(['delivered', 0])
      }
      const moments = sent.get(to) ?? []
      expect(
        moments
          .slice(0, expected.length)
          .map((time, i) => time - (expected[i] ?? 0))
          .filter((delay) => !(delay >= 0 && delay <= 3 * QUARTER))
      ).toEqual([])
      expect(moments.length).toBe(results.length)
      total += expected.length
    }
    expect(total).toBeGreaterThan(3 * SUBSCRIPTIONS)
  },
  300_000
)

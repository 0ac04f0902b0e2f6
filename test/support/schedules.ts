import fc from 'fast-check'
import { fromClock } from '../../src/calendar/clock.ts'
import { DAY, HOUR } from '../../src/calendar/units.ts'
import { FREQUENCIES, WEEKDAYS, type Weekday } from '../../src/db/schema.ts'
import { daysInPeriod, type Schedule } from '../../src/subscriptions/schedule.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'America/Santiago',
  'Asia/Gaza',
  'Antarctica/Troll',
  'Pacific/Apia'
]

const rarely = (some: fc.Arbitrary<number>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: some })

/** Generates a schedule that starts from 2023 to 2026, half of them between 0:00 and 4:00 local time, when clocks change. */
export const anySchedule = fc
  .record({
    frequency: fc.constantFrom(...FREQUENCIES),
    interval: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 6 })),
    byweekday: fc.option(fc.uniqueArray(fc.constantFrom<Weekday[]>(...WEEKDAYS), { maxLength: 7 })),
    bysetpos: fc.option(fc.integer({ min: -5, max: 5 })),
    count: rarely(fc.integer({ min: 1, max: 600 })),
    startClock: fc.constant(null),
    startDate: fc
      .tuple(
        fc.integer({ min: Date.UTC(2023, 0) / DAY, max: Date.UTC(2026, 11) / DAY }),
        fc.integer({ min: 0, max: DAY / 1000 - 1 })
      )
      .map(([day, second]) => day * DAY + second * 1000),
    untilDate: rarely(fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) })),
    timezone: fc.constantFrom(...ZONES),
    nearChange: fc.boolean()
  })
  .map(({ nearChange, ...rule }): Schedule => {
    const startDate = nearChange
      ? fromClock(
          rule.startDate - (rule.startDate % DAY) + (rule.startDate % (4 * HOUR)),
          rule.timezone
        )
      : rule.startDate
    const byweekday = rule.byweekday ?? []
    const isPlaced =
      rule.bysetpos !== null &&
      rule.bysetpos !== 0 &&
      byweekday.length > 0 &&
      Math.abs(rule.bysetpos) <= daysInPeriod(rule.frequency, byweekday)
    return { ...rule, startDate, bysetpos: isPlaced ? rule.bysetpos : null }
  })

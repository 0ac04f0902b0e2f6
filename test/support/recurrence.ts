import { DAY, HOUR } from '../../src/calendar/units.ts'
import type { Schedule } from '../../src/subscriptions/schedule.ts'

/**
 * Computes a schedule's occurrences up to a time without the library that the service uses: tests every calendar day, and
 * converts local times through a list of the zone's offset changes.
 */
export function occurrencesUntil(schedule: Schedule, horizon: number): number[] {
  const { frequency, interval, bysetpos, count, untilDate, timezone } = schedule
  const start = schedule.startDate - (((schedule.startDate % 1000) + 1000) % 1000)
  const zone = zoneOf(timezone)
  const local = start + zone.offsetAt(start)
  const timeOfDay = ((local % DAY) + DAY) % DAY
  const firstDay = (local - timeOfDay) / DAY
  const lastDay = Math.ceil((horizon + DAY) / DAY) + 1

  /** The matching days of every `interval`th period, in days since 1970. The first period includes days before the start. */
  const periods = new Map<number, number[]>()
  for (let day = firstDay - 370; day <= lastDay + 370; day += 1) {
    const n = periodOf(day, frequency) - periodOf(firstDay, frequency)
    if (n < 0 || n % interval !== 0 || !isPicked(day, schedule, firstDay)) {
      continue
    }
    periods.set(n, [...(periods.get(n) ?? []), day])
  }
  const days = [...periods.values()].flatMap((picked) => {
    if (bysetpos === null || !schedule.byweekday || schedule.byweekday.length === 0) {
      return picked
    }
    const one = bysetpos > 0 ? picked[bysetpos - 1] : picked[picked.length + bysetpos]
    return one === undefined ? [] : [one]
  })
  return days
    .filter((day) => day >= firstDay)
    .sort((a, b) => a - b)
    .slice(0, count ?? undefined)
    .map((day) => Math.max(start, zone.firstShowing(day * DAY + timeOfDay)))
    .filter(
      (time, i, all) =>
        time !== all[i - 1] && (untilDate === null || time <= untilDate) && time <= horizon
    )
}

function periodOf(day: number, frequency: Schedule['frequency']): number {
  const date = new Date(day * DAY)
  if (frequency === 'daily') {
    return day
  }
  // 1970-01-05 was a Monday.
  if (frequency === 'weekly') {
    return Math.floor((day - 4) / 7)
  }
  if (frequency === 'monthly') {
    return date.getUTCFullYear() * 12 + date.getUTCMonth()
  }
  return date.getUTCFullYear()
}

function isPicked(day: number, { frequency, byweekday }: Schedule, firstDay: number): boolean {
  const [date, first] = [new Date(day * DAY), new Date(firstDay * DAY)]
  const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
  if (byweekday && byweekday.length > 0) {
    return byweekday.some((name) => name === names[date.getUTCDay()])
  }
  if (frequency === 'daily') {
    return true
  }
  if (frequency === 'weekly') {
    return date.getUTCDay() === first.getUTCDay()
  }
  const isSameDay = date.getUTCDate() === first.getUTCDate()
  return isSameDay && (frequency === 'monthly' || date.getUTCMonth() === first.getUTCMonth())
}

const zones = new Map<string, ReturnType<typeof readZone>>()

/** Returns a zone's offsets from 2010 to 2030. */
function zoneOf(timezone: string) {
  const zone = zones.get(timezone) ?? readZone(timezone, Date.UTC(2010, 0), Date.UTC(2030, 0))
  zones.set(timezone, zone)
  return zone
}

/** Search step, ms: no zone changes its offset twice within it. */
const STEP = 4 * DAY

/** Finds a zone's offset changes between two times: in steps first, then exactly. */
function readZone(timezone: string, from: number, until: number) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    timeZoneName: 'longOffset'
  })
  const read = (time: number): number => {
    const name = format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours, minutes, seconds] =
      /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name) ?? []
    const size =
      Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * 60_000 + Number(seconds ?? 0) * 1000
    return sign === '-' ? -size : size
  }
  const spans = [{ from, offset: read(from) }]
  for (let time = from; time < until; time += STEP) {
    const last = spans.at(-1)?.offset
    if (read(time + STEP) === last) {
      continue
    }
    let [before, after] = [time, time + STEP]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (read(middle) === last) {
        before = middle
      } else {
        after = middle
      }
    }
    spans.push({ from: after, offset: read(after) })
  }
  return {
    offsetAt: (time: number) => spans.findLast((span) => span.from <= time)?.offset ?? 0,
    /** Returns the first moment at which the clock shows this time or has passed it. */
    firstShowing(local: number): number {
      for (const [i, span] of spans.entries()) {
        const end = spans[i + 1]?.from ?? Number.POSITIVE_INFINITY
        const time = local - span.offset
        if (time < end) {
          return Math.max(time, i === 0 ? time : span.from)
        }
      }
      throw new Error('Unreachable: the last span never ends.')
    }
  }
}

/** The schedule of a subscription, in the fields of the API. */
export type ApiSchedule = {
  frequency: 'daily' | 'weekly' | 'monthly' | 'yearly'
  interval: number
  byweekday: string[] | null
  bysetpos: number | null
  count: number | null
  start_date: string
  until_date: string | null
}

/** What the form asks of a schedule. */
export type Rhythm = {
  frequency: 'daily' | 'weekly' | 'monthly'
  /** Days of a week, for a weekly schedule. */
  days: string[]
  /** The day of a month, for a monthly one: a key of `MONTH_DAYS`. */
  day: string
  /** `09:00`, on the project's clock. */
  time: string
}

export const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Days of a month, as the API says them. */
export const MONTH_DAYS: Record<string, { name: string; byweekday: string[]; bysetpos: number }> = {
  first: { name: 'First day', byweekday: WEEK, bysetpos: 1 },
  weekday: { name: 'First weekday', byweekday: WEEK.slice(0, 5), bysetpos: 1 },
  monday: { name: 'First Monday', byweekday: ['monday'], bysetpos: 1 },
  last: { name: 'Last day', byweekday: WEEK, bysetpos: -1 }
}

export const NEW_RHYTHM: Rhythm = {
  frequency: 'weekly',
  days: ['monday'],
  day: 'monday',
  time: '09:00'
}

/** Returns the fields of a schedule that begins on a day, `2026-11-27`, on the project's clock. */
export function toSchedule(
  { frequency, days, day, time }: Rhythm,
  today: string
): Partial<ApiSchedule> {
  const { byweekday, bysetpos } = MONTH_DAYS[day] ?? {}
  return {
    frequency,
    interval: 1,
    byweekday: null,
    bysetpos: null,
    start_date: `${today}T${time}`,
    ...(frequency === 'weekly' && { byweekday: WEEK.filter((one) => days.includes(one)) }),
    ...(frequency === 'monthly' && { byweekday: byweekday ?? null, bysetpos: bysetpos ?? null })
  }
}

const isSame = (a: string[], b: string[] | null): boolean =>
  a.length === b?.length && a.every((one) => b.includes(one))

/**
 * Reads a schedule of the API into the form; undefined for one that the form has no fields for.
 * @param time the time of day of its start on the project's clock
 */
export function fromSchedule(schedule: ApiSchedule, time: string): Rhythm | undefined {
  const { frequency, interval, byweekday, bysetpos, count, until_date } = schedule
  if (interval !== 1 || count !== null || until_date !== null) {
    return undefined
  }
  const rhythm = { ...NEW_RHYTHM, time }
  if (frequency === 'daily' && byweekday === null) {
    return { ...rhythm, frequency }
  }
  if (frequency === 'weekly' && byweekday !== null && byweekday.length > 0 && bysetpos === null) {
    return { ...rhythm, frequency, days: byweekday }
  }
  const day = Object.keys(MONTH_DAYS).find((key) => {
    const known = MONTH_DAYS[key]
    return known?.bysetpos === bysetpos && isSame(known.byweekday, byweekday)
  })
  return frequency === 'monthly' && day ? { ...rhythm, frequency, day } : undefined
}

import type { Interval } from '../../src/calendar/buckets.ts'
import type { Chart } from '../../src/charts/chart.ts'
import { formatDuration, formatShare, type Unit } from '../../src/charts/format.ts'

/** A number as the reader writes it: `1,234.5`, `38.2%`, `3m 42s`. */
export function numberIn(unit: Unit | undefined, value: number): string {
  switch (unit) {
    case 'percent':
      return formatShare(value / 100)
    case 'seconds':
      return formatDuration(value)
    case undefined:
      return new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
        .format(value)
        .replace(/^-/, '−')
  }
}

/** The start of a bucket in words: `Mon, 23 Nov 2026`, `23 Nov 2026, 14:00` or `November 2026`. */
export function bucketName(day: string, interval: Interval | undefined): string {
  const date = new Date(`${day.replace(' ', 'T')}${day.includes(' ') ? '' : 'T00:00:00'}Z`)
  if (Number.isNaN(date.getTime())) {
    return day
  }
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', ...options }).format(date)
  const whole = { day: 'numeric', month: 'short', year: 'numeric' } as const
  switch (interval) {
    case 'month':
      return format({ month: 'long', year: 'numeric' })
    case 'week':
      return `Week of ${format(whole)}`
    case 'hour':
    case 'minute':
      return format({ ...whole, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    default:
      return format({ weekday: 'short', ...whole })
  }
}

/** The short name of a day of the period before: `2 Nov`. */
export const shortBucket = (day: string): string => {
  const date = new Date(`${day.slice(0, 10)}T00:00:00Z`)
  const short = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return Number.isNaN(date.getTime())
    ? day
    : `${new Intl.DateTimeFormat(undefined, short).format(date)}${day.slice(10, 16)}`
}

/** The name of a bucket, a step or a column of a chart. */
export const nameOfBucket = (
  { days, buckets }: Chart,
  interval: Interval | undefined,
  bucket: number
): string => {
  const day = days[bucket]
  return day === undefined ? (buckets[bucket] ?? '') : bucketName(day, interval)
}

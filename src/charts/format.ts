/**
 * For marks of an axis: 1,250 → `1.25K`. Two decimals are enough, because marks have at most three
 * significant digits.
 */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const EXACT = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
/**
 * Values closer to 0 than this are shown with up to three significant digits; two decimals would
 * leave one digit or none.
 */
const TWO_DECIMALS = 0.1
/** Values closer to 0 than this are shown with an exponent: `1.5e-9`. */
const TINY = 1e-6
/** For shares and changes below 100 %, with one decimal, and for larger ones. */
const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1
})
const POINTS = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const WHOLE_PERCENT = new Intl.NumberFormat('en', { style: 'percent' })

/** The unit of a number that is no count: percent, from 0 to 100, or seconds. */
export const UNITS = ['percent', 'seconds'] as const
export type Unit = (typeof UNITS)[number]

/** Formats the mark of an axis: `1250000` → `1.25M`, `0.125` → `0.125`, 25 percent → `25%`. */
export function formatTick(value: number, unit?: Unit): string {
  const number = withMinus(Math.abs(value) < 1 ? formatSmall(value) : COMPACT.format(value))
  return unit === 'percent' ? `${number}%` : number
}

/** Formats a number in its unit: 38.2 percent → `38.2%`, 222 seconds → `3m 42s`. */
export function formatIn(unit: Unit | undefined, value: number): string {
  switch (unit) {
    case undefined:
      return formatValue(value)
    case 'percent':
      return formatShare(value / 100)
    case 'seconds':
      return formatDuration(value)
  }
}

/** Formats seconds in their two largest units: `42s`, `3m 42s`, `1h 08m`, `1d 3h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 1) {
    return `${formatValue(seconds)}s`
  }
  const whole = Math.round(seconds)
  const minutes = Math.floor(whole / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes === 0) {
    return `${whole}s`
  }
  if (hours === 0) {
    return `${minutes}m ${pad(whole % 60)}s`
  }
  return hours < 24
    ? `${hours}h ${pad(minutes % 60)}m`
    : `${formatValue(Math.floor(hours / 24))}d ${hours % 24}h`
}

const pad = (number: number): string => String(number).padStart(2, '0')

/**
 * Formats a value for a table, a text or a description: `1234567.891` → `1,234,567.89`, `-0.0042` →
 * `−0.0042`.
 */
export const formatValue = (value: number): string =>
  withMinus(Math.abs(value) < TWO_DECIMALS ? formatSmall(value) : EXACT.format(value))

const formatSmall = (value: number): string =>
  value !== 0 && Math.abs(value) < TINY ? String(Number(value.toPrecision(3))) : SMALL.format(value)

/** Writes a negative number with a minus, which is as wide as a plus, instead of a hyphen. */
const withMinus = (number: string): string => number.replace(/^-/, '−')

/**
 * Formats the change from the previous period: `+12.5%`, `+129%` or `no change`; `''` without a
 * previous value, or if that is 0: what is new has not changed. A change of percents is in points:
 * `+1.1 pt`.
 */
export function formatChange(
  value: number,
  previous: number | null | undefined,
  unit?: Unit
): string {
  if (previous === null || previous === undefined) {
    return ''
  }
  if (value === previous) {
    return 'no change'
  }
  if (unit === 'percent') {
    const points = POINTS.format(Math.abs(value - previous))
    return `${value > previous ? '+' : '−'}${points} pt`
  }
  const change = (value - previous) / Math.abs(previous)
  return previous === 0 ? '' : `${change > 0 ? '+' : '−'}${formatShare(Math.abs(change))}`
}

/** Formats a share: `0.382` → `38.2%`, `1` → `100%`. */
export const formatShare = (share: number): string =>
  (share < 0.9995 ? PERCENT : WHOLE_PERCENT).format(share)

/** Formats the change and the previous value: `+12.5% from 8`. */
export function describeChange(
  value: number,
  previous: number | null | undefined,
  unit?: Unit
): string {
  const change = formatChange(value, previous, unit)
  return previous && value !== previous ? `${change} from ${formatIn(unit, previous)}` : change
}

/**
 * Returns 1 for a value that went up, -1 for one that went down, and 0 without a change that is
 * shown.
 */
export function directionOf(value: number, previous: number | null | undefined): -1 | 0 | 1 {
  if (!previous || value === previous) {
    return 0
  }
  return value > previous ? 1 : -1
}

/** Judges a change: 1 is good, -1 is bad, 0 is a change that is not shown. */
export function judge(
  value: number,
  previous: number | null | undefined,
  isIncreaseBad = false
): -1 | 0 | 1 {
  const direction = directionOf(value, previous)
  if (direction === 0 || !isIncreaseBad) {
    return direction
  }
  return direction === 1 ? -1 : 1
}

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
const WHOLE_PERCENT = new Intl.NumberFormat('en', { style: 'percent' })

/** Formats the mark of an axis: `1250000` → `1.25M`, `0.125` → `0.125`. */
export const formatTick = (value: number): string =>
  withMinus(Math.abs(value) < 1 ? formatSmall(value) : COMPACT.format(value))

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
 * previous value, or if that is 0: what is new has not changed.
 */
export function formatChange(value: number, previous: number | null | undefined): string {
  if (previous === null || previous === undefined) {
    return ''
  }
  if (value === previous) {
    return 'no change'
  }
  const change = (value - previous) / Math.abs(previous)
  return previous === 0 ? '' : `${change > 0 ? '+' : '−'}${formatShare(Math.abs(change))}`
}

/** Formats a share: `0.382` → `38.2%`, `1` → `100%`. */
export const formatShare = (share: number): string =>
  (share < 0.9995 ? PERCENT : WHOLE_PERCENT).format(share)

/** Formats the change and the previous value: `+12.5% from 8`. */
export function describeChange(value: number, previous: number | null | undefined): string {
  const change = formatChange(value, previous)
  return previous && value !== previous ? `${change} from ${formatValue(previous)}` : change
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

/** For marks of an axis: 1,250 → `1.25K`. Two decimals are enough, because marks have at most three significant digits. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const EXACT = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
/** Values closer to 0 than this are shown with up to three significant digits; two decimals would leave one digit or none. */
const TWO_DECIMALS = 0.1
/** Values closer to 0 than this are shown with an exponent: `1.5e-9`. */
const TINY = 1e-6
const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero'
})

/** Formats the mark of an axis: `1250000` → `1.25M`, `0.125` → `0.125`. */
export const formatTick = (value: number): string =>
  Math.abs(value) < 1 ? formatSmall(value) : COMPACT.format(value)

/** Formats a value for a table, a text or a description: `1234567.891` → `1,234,567.89`, `0.0042` → `0.0042`. */
export const formatValue = (value: number): string =>
  Math.abs(value) < TWO_DECIMALS ? formatSmall(value) : EXACT.format(value)

const formatSmall = (value: number): string =>
  value !== 0 && Math.abs(value) < TINY ? String(Number(value.toPrecision(3))) : SMALL.format(value)

/**
 * Formats the change from the previous period: `+12.5%`, `new` or `no change`; `''` without a
 * previous value.
 */
export function formatChange(value: number, previous: number | null | undefined): string {
  if (previous === null || previous === undefined) {
    return ''
  }
  if (value === previous) {
    return 'no change'
  }
  return previous === 0
    ? 'new'
    : PERCENT.format((value - previous) / Math.abs(previous)).replace('-', '−')
}

/** Formats the change and the previous value: `+12.5% from 8`. */
export function describeChange(value: number, previous: number | null | undefined): string {
  const change = formatChange(value, previous)
  return previous && value !== previous ? `${change} from ${formatValue(previous)}` : change
}

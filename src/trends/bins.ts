/** Ranges of equal width that lie side by side, from the lowest to the highest of some numbers. */
export type Bins = { low: number; high: number; width: number; count: number }

/** Divides the range from `low` to `high` into bins; into one if both are the same number. */
export function binsOf(low: number, high: number, count: number): Bins {
  const width = (high - low) / count
  return width > 0 ? { low, high, width, count } : { low, high, width: 1, count: 1 }
}

/** The name of the first bin: with at most 1,000 bins, names sort in the order of bins. */
const FIRST_BIN = 1_000

/**
 * Returns the name of the bin whose range, by `rangeOf`, contains a number. Division alone may find
 * a neighbouring bin, because the quotient is rounded.
 */
export function binOf({ low, width, count }: Bins, number: number): string {
  const near = Math.trunc((number - low) / width)
  const isAbove = low + (near + 1) * width <= number
  const isBelow = low + near * width > number
  const bin = near + (isAbove ? 1 : 0) - (isBelow ? 1 : 0)
  return String(FIRST_BIN + Math.min(count - 1, bin))
}

/**
 * Returns the first number of a bin and the number before which the bin ends. The last bin contains
 * the highest number and is shown to end 0.01 after it, as in PostHog.
 */
export function rangeOf(
  { low, high, width, count }: Bins,
  bin: string
): [from: number, until: number] {
  const i = Number(bin) - FIRST_BIN
  return [low + i * width, i === count - 1 ? high + 0.01 : low + (i + 1) * width]
}

/** Returns the text that shows a bin in an answer, such as `[10,17.5]`. */
export const showBin = (bins: Bins, bin: string): string => JSON.stringify(rangeOf(bins, bin))

/** Returns the bin that an answer shows as this text. */
export const findBin = (bins: Bins, shown: string): string | undefined =>
  Array.from({ length: bins.count }, (_, i) => String(FIRST_BIN + i)).find(
    (bin) => showBin(bins, bin) === shown
  )

/** The range of an axis, and the values at its marks. */
export type Scale = {
  min: number
  max: number
  ticks: number[]
}

/** Distances between marks; each is multiplied by a power of ten, and rounded up if all values are whole. */
const STEPS = [1, 2, 2.5, 5, 10]

/** Narrowest range that is divided into steps: smaller steps come close to the smallest doubles. */
const TINY = 1e-300

/**
 * Returns an axis that contains zero and all values. It has marks at round numbers: five marks for
 * 0…37 are 0, 10, 20, 30, 40. If all values are whole numbers, so are the marks.
 * @param most the number of marks to aim for; there may be one or two more
 */
export function scaleOf(values: number[], most: number): Scale {
  // There may be more values than a function takes arguments.
  const low = values.reduce((least, value) => Math.min(least, value), 0)
  const high = values.reduce((greatest, value) => Math.max(greatest, value), 0)
  if (high - low < TINY) {
    return low < 0 ? { min: -1, max: 0, ticks: [-1, 0] } : { min: 0, max: 1, ticks: [0, 1] }
  }
  const isWhole = values.every(Number.isInteger)
  const rough = (high - low) / Math.max(1, most - 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const steps = STEPS.map((step) => step * power)
  // The factor makes up for rounding errors: a step that exactly fits must not be passed over.
  const round = steps.find((step) => step >= rough * 0.999) ?? 10 * power
  const step = isWhole ? Math.ceil(round) : round
  const first = Math.floor(low / step)
  const last = Math.ceil(high / step)
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step)
  return { min: first * step, max: last * step, ticks }
}

/** Returns the pixel of a value on an axis whose `min` is at pixel `from` and `max` at `until`. */
export const place = ({ min, max }: Scale, value: number, from: number, until: number): number =>
  from + ((value - min) / (max - min)) * (until - from)

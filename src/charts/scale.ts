/** The range of an axis, and the values of its marks. */
export type Scale = {
  min: number
  max: number
  ticks: number[]
}

/** Steps between marks, times a power of ten. */
const STEPS = [1, 2, 2.5, 5, 10]

/** Smaller differences cannot be divided into steps. */
const TINY = 1e-300

/**
 * Returns an axis that holds zero and all values, with at most `most` marks at round numbers: 0…37 with 5 marks is 0, 10, 20,
 * 30, 40. Whole numbers get whole marks.
 */
export function scaleOf(values: number[], most: number): Scale {
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  if (high - low < TINY) {
    return low < 0 ? { min: -1, max: 0, ticks: [-1, 0] } : { min: 0, max: 1, ticks: [0, 1] }
  }
  const isWhole = values.every(Number.isInteger)
  const rough = (high - low) / Math.max(1, most - 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const found = STEPS.map((step) => step * power).find((step) => step >= rough * 0.999)
  const step = Math.max(found ?? 10 * power, isWhole ? 1 : 0)
  const whole = isWhole && !Number.isInteger(step) ? Math.ceil(step) : step
  const first = Math.floor(low / whole)
  const last = Math.ceil(high / whole)
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * whole)
  return { min: first * whole, max: last * whole, ticks }
}

/** Returns where a value lies between two pixels. */
export const place = ({ min, max }: Scale, value: number, from: number, until: number): number =>
  from + ((value - min) / (max - min)) * (until - from)

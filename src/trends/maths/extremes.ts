import type { Rows, Sink } from './accumulator.ts'

/** The lowest and the highest number of all events that count; infinite if there are none. */
export class Extremes implements Sink {
  low = Number.POSITIVE_INFINITY
  high = Number.NEGATIVE_INFINITY

  add({ groups, numbers }: Rows, from: number, until: number): void {
    const { codes, values } = numbers
    for (let i = from; i < until; i += 1) {
      const number = values[codes[i] ?? 0] ?? Number.NaN
      if ((groups ? (groups[i] ?? -1) : 0) >= 0 && !Number.isNaN(number)) {
        this.low = Math.min(this.low, number)
        this.high = Math.max(this.high, number)
      }
    }
  }
}

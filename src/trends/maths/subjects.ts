import { type Accumulator, type Counted, NOTHING, type Rows } from './accumulator.ts'
import { PairSet } from './marks.ts'
import { Counter } from './numbers.ts'
import { Seen } from './seen.ts'
import { Tally } from './tally.ts'

/** Returns a result of numbers, of which there is at least one. */
type Summarize = (numbers: Iterable<number>) => number

/**
 * The number of different actors or sessions. Those of group 0, which is the only group of a trend
 * without a breakdown, are in a list, as in `PairMarks`: only the pairs of other groups are
 * limited.
 */
export class Distinct implements Accumulator {
  /** The subjects of group 0. */
  readonly #seen = new Seen()
  #pairs = new PairSet()
  readonly #counter = new Counter()

  add({ groups, subjects }: Rows, from: number, until: number): void {
    if (groups) {
      this.#addGrouped(groups, subjects, from, until)
      return
    }
    this.#counter.add(0, this.#seen.addEach(subjects, from, until))
  }

  #addGrouped(groups: Int32Array, subjects: Int32Array, from: number, until: number): void {
    for (let i = from; i < until; i += 1) {
      const group = groups[i] ?? -1
      if (group < 0) {
        continue
      }
      const subject = subjects[i] ?? -1
      const isNew = subject >= 0 && this.#isNew(group, subject)
      this.#counter.add(group, isNew ? 1 : 0)
    }
  }

  /** @throws query_too_large, attr `actors`, for too many pairs of other groups than 0 */
  #isNew(group: number, subject: number): boolean {
    return group === 0 ? this.#seen.add(subject) : this.#pairs.add(group, subject)
  }

  *finish(point: number): Generator<Counted> {
    yield* this.#counter.drain(point)
    this.#seen.clear()
    this.#pairs = new PairSet()
  }

  end = () => NOTHING
}

/** A math over the number of events of each actor, such as `avg_count_per_actor`. */
export class PerActor implements Accumulator {
  readonly #summarize: Summarize
  #tally = new Tally()

  constructor(summarize: Summarize) {
    this.#summarize = summarize
  }

  add({ groups, subjects }: Rows, from: number, until: number): void {
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0) {
        this.#tally.add(group, subjects[i] ?? -1)
      }
    }
  }

  *finish(point: number): Generator<Counted> {
    for (const [group, counts] of this.#tally.groups()) {
      yield { point, group, result: this.#summarize(counts.values()) }
    }
    this.#tally = new Tally()
  }

  end = () => NOTHING
}

/** A math over a session property, which counts once for each session. */
export class PerSession implements Accumulator {
  readonly #summarize: Summarize
  #tally = new Tally()

  constructor(summarize: Summarize) {
    this.#summarize = summarize
  }

  add({ groups, subjects, numbers }: Rows, from: number, until: number): void {
    const { codes, values } = numbers
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      const number = values[codes[i] ?? 0] ?? Number.NaN
      if (group >= 0 && !Number.isNaN(number)) {
        this.#tally.set(group, subjects[i] ?? -1, number)
      }
    }
  }

  *finish(point: number): Generator<Counted> {
    for (const [group, numbers] of this.#tally.groups()) {
      yield { point, group, result: this.#summarize(numbers.values()) }
    }
    this.#tally = new Tally()
  }

  end = () => NOTHING
}

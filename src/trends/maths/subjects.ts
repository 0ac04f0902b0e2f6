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

/** Notes event i, which belongs to a group, in the number of its subject. */
type Note = (tally: Tally, group: number, rows: Rows, i: number) => void

/** A math over one number for each actor or session. */
class PerSubject implements Accumulator {
  readonly #summarize: Summarize
  readonly #note: Note
  #tally = new Tally()

  constructor(summarize: Summarize, note: Note) {
    this.#summarize = summarize
    this.#note = note
  }

  add(rows: Rows, from: number, until: number): void {
    const { groups } = rows
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      if (group >= 0) {
        this.#note(this.#tally, group, rows, i)
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

/** Returns the accumulator of a math over the number of events of each actor. */
export const perActor = (summarize: Summarize): Accumulator =>
  new PerSubject(summarize, (tally, group, { subjects }, i) => tally.add(group, subjects[i] ?? -1))

/** Returns the accumulator of a math over a property of sessions, which counts once for each. */
export const perSession = (summarize: Summarize): Accumulator =>
  new PerSubject(summarize, (tally, group, { subjects, numbers: { codes, values } }, i) => {
    const number = values[codes[i] ?? 0] ?? Number.NaN
    if (!Number.isNaN(number)) {
      tally.set(group, subjects[i] ?? -1, number)
    }
  })

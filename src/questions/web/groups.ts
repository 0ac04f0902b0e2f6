import type { Range } from '../../calendar/buckets.ts'
import type { Batch } from '../../columns/batch.ts'
import { Grouping } from '../../columns/grouping.ts'
import { NumberMap } from '../../columns/number-map.ts'
import type { Dimension } from '../../columns/selection.ts'
import { AppError } from '../../errors.ts'
import type { Json } from '../../input/json.ts'
import { MAX_BREAKDOWN_VALUES } from '../../trends/maths/limits.ts'
import { PairAllowance } from '../../trends/maths/marks.ts'

/** Characters that all values of a breakdown may have together. */
const MAX_TEXT = 8_000_000

/** Pairs of a value and a visitor, or of a value and a session; two million take 32 MB. */
const MAX_PAIRS = 2_000_000

/** What all counts of a question may keep together. */
export class WebAllowance {
  /** Pairs of the period that is being counted. */
  pairs = new PairAllowance(MAX_PAIRS)
  #values = 0
  #characters = 0

  beginPeriod(): void {
    this.pairs = new PairAllowance(MAX_PAIRS)
  }

  /** @throws query_too_large, attr `breakdown_values` */
  takeValue(value: string | null): void {
    this.#values += 1
    this.#characters += value?.length ?? 0
    if (this.#values > MAX_BREAKDOWN_VALUES || this.#characters > MAX_TEXT) {
      throw new AppError(
        'query_too_large',
        `\`breakdownBy\` has more than ${MAX_BREAKDOWN_VALUES} values in this range, or values that are too long: choose a shorter range, another breakdown or fewer tables.`,
        'breakdown_values'
      )
    }
  }
}

/** Numbers the values of a breakdown, as many as fit into memory. */
export class WebGrouping extends Grouping {
  readonly #allowance: WebAllowance
  #size = 0

  constructor(allowance = new WebAllowance()) {
    super()
    this.#allowance = allowance
  }

  /** @throws query_too_large, attr `breakdown_values` */
  override groupOf(value: string | null): number {
    const group = super.groupOf(value)
    if (group === this.#size) {
      this.#size += 1
      this.#allowance.takeValue(value)
    }
    return group
  }
}

/** Groups views by the bucket of time in which they lie. */
export class BucketGroups {
  readonly buckets: readonly Range[]

  /** @param buckets in order */
  constructor(buckets: readonly Range[]) {
    this.buckets = buckets
  }

  /** Returns the index of each view's bucket; -1 for none. */
  of(batch: Batch): Int32Array {
    const groups = new Int32Array(batch.length).fill(-1)
    for (const [i, { from, until }] of this.buckets.entries()) {
      groups.fill(i, batch.place(from), batch.place(until))
    }
    return groups
  }
}

/** The group of each session by a property of it. */
export class SessionGroups {
  readonly key: string
  readonly grouping: Grouping
  readonly #textOf: Dimension['textOf']
  /** The group of each session, by its number. */
  readonly #groups = new NumberMap()

  constructor({ property, textOf }: Dimension, grouping: Grouping) {
    this.key = property.key
    this.grouping = grouping
    this.#textOf = textOf
  }

  note(session: number, value: Json): void {
    this.#groups.set(session, this.grouping.groupOf(this.#textOf(value)))
  }

  /** Returns the group of each session; -1 for those that are negative. */
  of(sessions: Int32Array): Int32Array {
    const groups = new Int32Array(sessions.length)
    for (let i = 0; i < groups.length; i += 1) {
      const session = sessions[i] ?? -1
      groups[i] = session >= 0 ? this.#groups.get(session) : -1
    }
    return groups
  }
}

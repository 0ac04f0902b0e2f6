import { Grouping } from '../../columns/grouping.ts'
import { NumberMap } from '../../columns/number-map.ts'
import type { Dimension } from '../../columns/selection.ts'
import { AppError } from '../../errors.ts'
import type { Json } from '../../input/json.ts'
import { MAX_BREAKDOWN_VALUES } from '../../trends/maths/limits.ts'

/** Characters that all values of a breakdown may have together. */
const MAX_TEXT = 8_000_000

/** Numbers the values of a breakdown, as many as fit into memory. */
export class WebGrouping extends Grouping {
  #size = 0
  #characters = 0

  /** @throws query_too_large, attr `breakdown_values` */
  override groupOf(value: string | null): number {
    const group = super.groupOf(value)
    if (group === this.#size) {
      this.#size += 1
      this.#characters += value?.length ?? 0
      if (this.#size > MAX_BREAKDOWN_VALUES || this.#characters > MAX_TEXT) {
        throw new AppError(
          'query_too_large',
          `\`breakdownBy\` has more than ${MAX_BREAKDOWN_VALUES} values in this range, or values that are too long: choose a shorter range or another breakdown.`,
          'breakdown_values'
        )
      }
    }
    return group
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

  /**
   * Returns the group of each session; -1 for those that are left out.
   * @param mask negative for each session to leave out; undefined for none
   */
  of(sessions: Int32Array, mask: Int32Array | undefined): Int32Array {
    const groups = new Int32Array(sessions.length)
    for (let i = 0; i < groups.length; i += 1) {
      const session = sessions[i] ?? -1
      const isKept = session >= 0 && (mask?.[i] ?? 0) >= 0
      groups[i] = isKept ? this.#groups.get(session) : -1
    }
    return groups
  }
}

import { type Grouping, OTHERS, type Value } from '../../columns/grouping.ts'
import { NumberMap } from '../../columns/number-map.ts'
import { parseJson } from '../../input/json.ts'
import { showBin } from '../../trends/bins.ts'
import { rank } from '../../trends/lines.ts'
import type { BinnedBreakdown, BinnedQuery } from '../../trends/query.ts'

/** Stands in an answer for all values of the breakdown beyond the limit. */
export const OTHER_VALUES = 'Other'

/** The values of a breakdown in an answer. */
export class ShownValues {
  /** In the order in which they are ranked: most actors first, then none, then all others. */
  readonly list: readonly Value[]
  readonly #grouping: Grouping
  readonly #places: ReadonlyMap<Value, number>
  readonly #breakdowns: readonly BinnedBreakdown[]
  /** The place of each group that was asked for, counted from 2; 1 for a group that is not shown. */
  readonly #known = new NumberMap()

  /**
   * @param actors the number of actors of each group
   */
  constructor(
    grouping: Grouping,
    {
      breakdowns,
      breakdownLimit: limit,
      hidesOther
    }: Pick<BinnedQuery, 'breakdowns' | 'breakdownLimit' | 'hidesOther'>,
    actors: ReadonlyMap<number, number>
  ) {
    this.#grouping = grouping
    this.#breakdowns = breakdowns
    const byValue = new Map([...actors].map(([group, count]) => [this.#ownOf(group), count]))
    const named = new Map(
      [...byValue].flatMap(([value, count]) =>
        typeof value === 'string' ? [[value, count] as const] : []
      )
    )
    const shown = rank([named]).slice(0, limit)
    const hasOther = byValue.has(OTHERS) || shown.length < named.size
    const list: Value[] = [
      ...shown,
      ...(byValue.has(null) || named.size === 0 ? [null] : []),
      ...(hasOther && !hidesOther ? [OTHERS as Value] : [])
    ]
    this.list = list
    this.#places = new Map(list.map((value, i) => [value, i]))
  }

  /** Returns the place of a group in `list`; -1 for a group that is not shown. */
  placeOf(group: number): number {
    if (this.#known.get(group) === 0) {
      const value = this.#ownOf(group)
      const place = this.#places.get(value) ?? this.#places.get(OTHERS) ?? -1
      this.#known.set(group, place + 2)
    }
    return this.#known.get(group) - 2
  }

  /** Returns the texts of a value, one for each breakdown; an empty text is no value. */
  textsOf(value: Value): string[] {
    if (value === OTHERS) {
      return this.#breakdowns.map(() => OTHER_VALUES)
    }
    return textsOf(value, this.#breakdowns)
  }

  /** Returns the value of a group. A value that would be shown as all others is among them. */
  #ownOf(group: number): Value {
    const value = this.#grouping.valueOf(group)
    const isOther =
      typeof value === 'string' &&
      textsOf(value, this.#breakdowns).every((text) => text === OTHER_VALUES)
    return isOther ? OTHERS : value
  }
}

function textsOf(value: Value, breakdowns: readonly BinnedBreakdown[]): string[] {
  if (typeof value !== 'string') {
    return breakdowns.map(() => '')
  }
  // The cast is safe: the values of several breakdowns are such lists.
  const texts = breakdowns.length > 1 ? (parseJson(value) as (string | null)[]) : [value]
  return texts.map((text, i) => {
    const bins = breakdowns[i]?.bins
    return bins && text !== null ? showBin(bins, text) : (text ?? '')
  })
}

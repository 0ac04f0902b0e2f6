import { type Decider, deciderOf } from '../properties/decide.ts'
import { type FilterGroup, isGroup, leavesOf, type PropertyFilter } from '../properties/filter.ts'
import type { Work } from '../properties/work.ts'
import type { EventColumns } from './batch.ts'
import type { Values } from './values.ts'

export type Deciders = ReadonlyMap<PropertyFilter, Decider>

/** Returns the decider of each filter in some groups. */
export const decidersOf = (groups: readonly FilterGroup[], timezone: string, now: Date): Deciders =>
  new Map(groups.flatMap(leavesOf).map((filter) => [filter, deciderOf(filter, timezone, now)]))

/** Decides which events match property filters. */
export class Filter {
  readonly #filters: FilterGroup
  readonly #deciders: Deciders
  readonly #work: Work

  /** @param deciders of all filters in the group, perhaps among others */
  constructor(filters: FilterGroup, deciders: Deciders, work: Work) {
    this.#filters = filters
    this.#deciders = deciders
    this.#work = work
  }

  /**
   * Returns 1 for each event that matches, and 0 for others; undefined if no filter could leave out
   * an event.
   * @throws query_too_large for filters that take too much work
   */
  maskOf(batch: EventColumns, values: Values): Promise<Uint8Array | undefined> {
    return this.#mask(batch, values, this.#filters)
  }

  async #mask(
    batch: EventColumns,
    values: Values,
    { type, values: nodes }: FilterGroup
  ): Promise<Uint8Array | undefined> {
    let mask: Uint8Array | undefined
    for (const node of nodes) {
      const own = isGroup(node)
        ? await this.#mask(batch, values, node)
        : await this.#decide(batch, values, node)
      const isAll = own === undefined
      if (isAll && type === 'OR') {
        return undefined
      }
      if (!isAll) {
        mask = mask ? join(mask, own, type) : own
      }
    }
    return mask
  }

  async #decide(batch: EventColumns, values: Values, filter: PropertyFilter): Promise<Uint8Array> {
    const column = await values.of(batch, filter)
    const decide = this.#deciders.get(filter)
    if (!decide) {
      throw new Error('A filter has no decider.')
    }
    const decided = await decide(column.values, this.#work)
    const mask = new Uint8Array(batch.length)
    for (let i = 0; i < mask.length; i += 1) {
      mask[i] = decided[column.codes[i] ?? 0] ?? 0
    }
    return mask
  }
}

/** Combines two masks. Overwrites the first with the result, and returns it. */
function join(a: Uint8Array, b: Uint8Array, type: 'AND' | 'OR'): Uint8Array {
  for (let i = 0; i < a.length; i += 1) {
    a[i] = type === 'AND' ? (a[i] ?? 0) & (b[i] ?? 0) : (a[i] ?? 0) | (b[i] ?? 0)
  }
  return a
}

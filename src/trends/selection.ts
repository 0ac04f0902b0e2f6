import type { Batch } from '../columns/batch.ts'
import type { Codes, Column } from '../columns/column.ts'
import type { Json } from '../input/json.ts'
import { type Decider, numberOfValue, textOfValue } from '../properties/decide.ts'
import { type FilterGroup, isGroup, type PropertyFilter } from '../properties/filter.ts'
import type { Work } from '../properties/work.ts'
import { binOf } from './bins.ts'
import type { Grouping } from './grouping.ts'
import type { Breakdown } from './query.ts'
import type { Values } from './values.ts'

/** Decides which events of a batch count, and for which value of the breakdown. */
export class Selection {
  readonly #filters: FilterGroup
  readonly #deciders: ReadonlyMap<PropertyFilter, Decider>
  readonly #breakdowns: readonly Breakdown[]
  readonly #work: Work

  constructor(
    filters: FilterGroup,
    deciders: ReadonlyMap<PropertyFilter, Decider>,
    breakdowns: readonly Breakdown[],
    work: Work
  ) {
    this.#filters = filters
    this.#deciders = deciders
    this.#breakdowns = breakdowns
    this.#work = work
  }

  /** Returns the group of each event, -1 for one that the filters leave out; undefined if all are in group 0. */
  async groupsOf(
    batch: Batch,
    values: Values,
    grouping: Grouping
  ): Promise<Int32Array | undefined> {
    const mask = await this.#mask(batch, values, this.#filters)
    const groups = await this.#groups(batch, values, grouping)
    if (!mask) {
      return groups
    }
    const kept = groups ?? new Int32Array(batch.length)
    for (let i = 0; i < kept.length; i += 1) {
      if (mask[i] === 0) {
        kept[i] = -1
      }
    }
    return kept
  }

  /** Returns 1 for each event that fulfils a group of filters, and 0 for others; undefined if all do. */
  async #mask(
    batch: Batch,
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

  async #decide(batch: Batch, values: Values, filter: PropertyFilter): Promise<Uint8Array> {
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

  async #groups(batch: Batch, values: Values, grouping: Grouping): Promise<Int32Array | undefined> {
    if (this.#breakdowns.length === 0) {
      return undefined
    }
    const columns: TextColumn[] = []
    for (const breakdown of this.#breakdowns) {
      columns.push(textsOf(await values.of(batch, breakdown), breakdown))
    }
    const { codes, texts } = combine(columns)
    const table = Int32Array.from(texts, (text) => grouping.groupOf(text))
    const groups = new Int32Array(batch.length)
    for (let i = 0; i < groups.length; i += 1) {
      groups[i] = table[codes[i] ?? 0] ?? 0
    }
    return groups
  }
}

/** Combines two masks in the first of them. */
function join(a: Uint8Array, b: Uint8Array, type: 'AND' | 'OR'): Uint8Array {
  for (let i = 0; i < a.length; i += 1) {
    a[i] = type === 'AND' ? (a[i] ?? 0) & (b[i] ?? 0) : (a[i] ?? 0) | (b[i] ?? 0)
  }
  return a
}

/** A text for each row: row i has `texts[codes[i]]`, which is null for none. */
type TextColumn = { codes: Codes; texts: (string | null)[] }

/** Returns the text of each value of a column, or its bin; null for none, and for an empty text. */
const textsOf = ({ codes, values }: Column, breakdown: Breakdown): TextColumn => ({
  codes,
  texts: values.map((value) => textOf(value, breakdown))
})

function textOf(value: Json, { binCount, bins }: Breakdown): string | null {
  if (binCount === undefined) {
    return textOfValue(value) || null
  }
  const number = numberOfValue(value)
  return bins && !Number.isNaN(number) ? binOf(bins, number) : null
}

/** Returns one column for several: its texts are JSON lists of theirs. A single column stays as it is. */
function combine([first, ...others]: readonly TextColumn[]): TextColumn {
  if (!first || others.length === 0) {
    return first ?? { codes: new Uint8Array(), texts: [] }
  }
  let codes = first.codes
  let lists = first.texts.map((text) => [text])
  for (const next of others) {
    const combined = pair(codes, next.codes)
    codes = combined.codes
    lists = combined.pairs.map(([a, b]) => [...(lists[a] ?? []), next.texts[b] ?? null])
  }
  return { codes, texts: lists.map((list) => JSON.stringify(list)) }
}

/** More than the codes of a batch; two codes fit exactly into one double. */
const CODES = 2 ** 26

/** Numbers the pairs of two lists of codes, row by row. */
function pair(a: Codes, b: Codes): { codes: Uint32Array; pairs: [number, number][] } {
  const places = new Map<number, number>()
  const pairs: [number, number][] = []
  const codes = new Uint32Array(a.length)
  for (let i = 0; i < a.length; i += 1) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    const key = x * CODES + y
    let place = places.get(key)
    if (place === undefined) {
      place = pairs.length
      places.set(key, place)
      pairs.push([x, y])
    }
    codes[i] = place
  }
  return { codes, pairs }
}

import type { Batch } from '../columns/batch.ts'
import type { Codes, Column } from '../columns/column.ts'
import type { Json } from '../input/json.ts'
import { type Decider, numberOfValue, textOfValue } from '../properties/decide.ts'
import { type FilterGroup, isGroup, type PropertyFilter } from '../properties/filter.ts'
import type { Work } from '../properties/work.ts'
import { NONE, OTHER } from './answer.ts'
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

  /**
   * Returns the group of each event, -1 for an event that the filters leave out; undefined without filters and breakdowns, as
   * all events are then in group 0.
   */
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

  /**
   * Returns 1 for each event that fulfils a group of filters, and 0 for others; undefined if the group has no filter that could
   * leave out an event.
   */
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
    const groupByCode = Int32Array.from(texts, (text) => grouping.groupOf(text))
    const groups = new Int32Array(batch.length)
    for (let i = 0; i < groups.length; i += 1) {
      groups[i] = groupByCode[codes[i] ?? 0] ?? 0
    }
    return groups
  }
}

/** Combines two masks. Overwrites the first with the result, and returns it. */
function join(a: Uint8Array, b: Uint8Array, type: 'AND' | 'OR'): Uint8Array {
  for (let i = 0; i < a.length; i += 1) {
    a[i] = type === 'AND' ? (a[i] ?? 0) & (b[i] ?? 0) : (a[i] ?? 0) | (b[i] ?? 0)
  }
  return a
}

/** A text for each row: row i has `texts[codes[i]]`, which is null for none. */
type TextColumn = { codes: Codes; texts: (string | null)[] }

/**
 * Returns the text of each value of a column, null for a missing value, an empty text, or a text that means "Other" or "None"
 * in an answer. For a breakdown with bins, returns the name of each number's bin, null for anything but a number.
 */
const textsOf = ({ codes, values }: Column, breakdown: Breakdown): TextColumn => ({
  codes,
  texts: values.map((value) => textOf(value, breakdown))
})

function textOf(value: Json, { binCount, bins }: Breakdown): string | null {
  if (binCount === undefined) {
    const text = textOfValue(value)
    return text === '' || text === NONE || text === OTHER ? null : text
  }
  const number = numberOfValue(value)
  return bins && !Number.isNaN(number) ? binOf(bins, number) : null
}

/**
 * Combines several columns into one, whose texts are JSON lists with a member for each column: `Safari` and null →
 * `["Safari",null]`. A single column stays as it is.
 */
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

/** All codes of a batch are below this limit. A pair of codes is then a number below 2 ** 52, which a double holds exactly. */
const CODE_LIMIT = 2 ** 26

/** Pairs the codes that each row has in two columns, and numbers the distinct pairs: row i has `pairs[codes[i]]`. */
function pair(a: Codes, b: Codes): { codes: Uint32Array; pairs: [number, number][] } {
  const places = new Map<number, number>()
  const pairs: [number, number][] = []
  const codes = new Uint32Array(a.length)
  for (let i = 0; i < a.length; i += 1) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0]
    const key = x * CODE_LIMIT + y
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

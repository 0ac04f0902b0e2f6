import type { Json } from '../input/json.ts'
import type { Property } from '../properties/filter.ts'
import type { EventColumns } from './batch.ts'
import type { Codes } from './column.ts'
import type { Filter } from './filter.ts'
import { type Grouping, joinTexts } from './grouping.ts'
import type { Values } from './values.ts'

/** A property by whose values events are grouped. */
export type Dimension = {
  property: Property
  /**
   * Returns the text that stands for a value, or null for an event that counts as without a value.
   */
  textOf: (value: Json) => string | null
}

/** Decides which events of a batch count, and for which value of the dimensions. */
export class EventSelection {
  readonly #filter: Filter
  readonly #dimensions: readonly Dimension[]

  constructor(filter: Filter, dimensions: readonly Dimension[]) {
    this.#filter = filter
    this.#dimensions = dimensions
  }

  /**
   * Returns the group of each event, -1 for an event that the filter leaves out; undefined without
   * filters and dimensions, as all events are then in group 0.
   */
  async groupsOf(
    batch: EventColumns,
    values: Values,
    grouping: Grouping
  ): Promise<Int32Array | undefined> {
    const mask = await this.#filter.maskOf(batch, values)
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

  async #groups(
    batch: EventColumns,
    values: Values,
    grouping: Grouping
  ): Promise<Int32Array | undefined> {
    if (this.#dimensions.length === 0) {
      return undefined
    }
    const columns: TextColumn[] = []
    for (const { property, textOf } of this.#dimensions) {
      const column = await values.of(batch, property)
      columns.push({ codes: column.codes, texts: column.values.map((value) => textOf(value)) })
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

/** A text for each row: row i has `texts[codes[i]]`, which is null for none. */
type TextColumn = { codes: Codes; texts: (string | null)[] }

/**
 * Combines several columns into one, whose texts are JSON lists with a member for each column:
 * `Safari` and null → `["Safari",null]`, null and null → null. A single column stays as it is.
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
  return { codes, texts: lists.map(joinTexts) }
}

/** All codes are below this limit, so a double holds the number of a pair exactly. */
const CODE_LIMIT = 2 ** 26

/** Numbers the pairs of codes that rows have in two columns: row i has `pairs[codes[i]]`. */
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

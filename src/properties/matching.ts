import { AppError } from '../errors.ts'
import { byteLength } from '../input/json.ts'
import type { PropertyFilter } from './filter.ts'
import { matcherOf } from './match.ts'
import { Work } from './work.ts'

/** The texts that fulfil a filter, for each filter with a matcher (see `matcherOf`). */
export type Matching = ReadonlyMap<PropertyFilter, string[]>

/**
 * Bytes that the distinct texts of all properties may have together, because all of them are in
 * memory at once. Each property gets an equal share.
 */
const MAX_BYTES = 8_000_000

type Source = {
  timezone: string
  now: Date
  /**
   * Reads the distinct texts of the property of each filter, in the order of `filters`. It may stop
   * reading a property at the first text beyond `limit` texts or `maxBytes` bytes of UTF-8.
   */
  readTexts: (filters: PropertyFilter[], maxBytes: number) => Promise<string[][]>
  /** Distinct texts that a property may have. */
  limit: number
  /** The error for a property with more than `limit` texts. */
  tooMany: (key: string) => AppError
}

/**
 * Tests each filter with a matcher (see `matcherOf`) on the distinct texts of its property. Reads
 * the texts of a property once.
 * @throws `tooMany`; query_too_large, attr `properties`, when the texts of a property exceed its
 * share of `MAX_BYTES` or the comparisons take too much work
 */
export async function matchTexts(
  filters: PropertyFilter[],
  { timezone, now, readTexts, limit, tooMany }: Source
): Promise<Matching> {
  const asked = filters.flatMap((filter) => {
    const match = matcherOf(filter, timezone, now)
    return match ? [{ filter, match }] : []
  })
  const properties = new Map(asked.map(({ filter }) => [nameOf(filter), filter]))
  const maxBytes = Math.floor(MAX_BYTES / Math.max(1, properties.size))
  const columns = properties.size > 0 ? await readTexts([...properties.values()], maxBytes) : []
  const texts = new Map([...properties.keys()].map((name, i) => [name, columns[i] ?? []]))
  for (const [name, filter] of properties) {
    const found = texts.get(name) ?? []
    if (found.length > limit) {
      throw tooMany(filter.key)
    }
    if (found.reduce((bytes, text) => bytes + byteLength(text), 0) > maxBytes) {
      throw tooLong(filter, maxBytes)
    }
  }
  const work = new Work()
  const matching = new Map<PropertyFilter, string[]>()
  for (const { filter, match } of asked) {
    matching.set(filter, await match(texts.get(nameOf(filter)) ?? [], work))
  }
  return matching
}

/** Filters of one name are about the same property. */
const nameOf = ({ type, key }: PropertyFilter): string => `${type}/${key}`

const tooLong = ({ key, operator }: PropertyFilter, maxBytes: number): AppError =>
  new AppError(
    'query_too_large',
    `The operator ${operator} compares the distinct values of ${JSON.stringify(key)}, which have more than ${maxBytes} bytes in all. Use an operator such as icontains or exact, or filter fewer properties with operators such as ${operator}.`,
    'properties'
  )

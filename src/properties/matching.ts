import type { AppError } from '../errors.ts'
import type { PropertyFilter } from './filter.ts'
import { matcherOf } from './match.ts'
import { Work } from './work.ts'

/** The texts that fulfil each filter whose operator SQL lacks. */
export type Matching = ReadonlyMap<PropertyFilter, string[]>

type Source = {
  timezone: string
  now: Date
  /** Reads the distinct texts of the property of each filter, in the order of `filters`. */
  readTexts: (filters: PropertyFilter[]) => Promise<string[][]>
  /** Distinct texts that a property may have. */
  limit: number
  /** The error for a property with more of them. */
  tooMany: (key: string) => AppError
}

/**
 * Tests each filter whose operator SQL lacks on the distinct texts of its property, which are read once per property.
 * @throws `tooMany`; query_too_large, attr `properties`, when the comparisons take too much work
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
  const columns = properties.size > 0 ? await readTexts([...properties.values()]) : []
  const texts = new Map([...properties.keys()].map((name, i) => [name, columns[i] ?? []]))
  for (const [name, { key }] of properties) {
    if ((texts.get(name) ?? []).length > limit) {
      throw tooMany(key)
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

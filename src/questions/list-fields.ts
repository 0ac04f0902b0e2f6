import * as z from 'zod'
import { naming } from '../errors.ts'
import type { Json } from '../input/json.ts'
import type { FilterGroup } from '../properties/filter.ts'
import { Patterns } from '../properties/pattern.ts'
import { type Reading, readFilters } from '../properties/read-filters.ts'
import { Unsupported } from '../trends/shared-fields.ts'

/** Rows of an answer with actors: persons are read 1,000 at a time. */
export const MAX_ACTORS = 1_000

/** Columns of an answer. */
export const MAX_COLUMNS = 100

/** Longest column, condition or name in a node, characters. */
const MAX_TEXT = 1_000

export const Name = z
  .string()
  .max(MAX_TEXT)
  .refine((text) => !text.includes('\0'), 'Null characters are not allowed.')

/** A list that may be missing. */
export const listOf = <S extends z.ZodType>(item: S, most: number) =>
  z.array(item).max(most, `At most ${most} are allowed.`).nullish()

const ignored = z.unknown().optional()

/** The fields that nodes with rows share. */
export const LISTED = {
  kind: z.string(),
  offset: z.int().min(0).nullish(),
  modifiers: Unsupported,
  response: ignored,
  tags: ignored,
  version: ignored
}

/**
 * Reads the property filters of several fields, all of which must match.
 * @throws invalid_input, attr the name of the field
 */
export function readFields(fields: Record<string, unknown>, reading: Reading): FilterGroup {
  const shared = { ...reading, patterns: new Patterns() }
  return {
    type: 'AND',
    // The cast is safe: the filters were parsed from JSON.
    values: Object.entries(fields).map(([name, filters]) =>
      naming(name, () => readFilters((filters ?? []) as Json, shared))
    )
  }
}

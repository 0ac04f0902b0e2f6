import type { JsonObject } from '../input/json.ts'
import type { InsightInput } from './schemas.ts'

type Named = { name: string | null; derivedName: string | null }

/** Returns the name of an insight, null if it has none. */
export const titleOf = ({ name, derivedName }: Named): string | null => name || derivedName || null

/** Returns the name of an insight: `Sign-ups`, or `Insight 44` if it has none. */
export const nameOf = (insight: Named & { id: number }): string =>
  titleOf(insight) ?? `Insight ${insight.id}`

/** Returns the fields that define a trend. The cast is safe: they were parsed from JSON. */
export const fieldsOf = ({ filters, query }: Pick<InsightInput, 'filters' | 'query'>): JsonObject =>
  ({ filters, query }) as JsonObject

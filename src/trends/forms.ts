import type * as z from 'zod'
import type { Interval } from '../calendar/buckets.ts'
import { AppError } from '../errors.ts'
import { showName } from '../input/closest.ts'
import { saysSomething } from '../input/fields.ts'
import { isSame, type Json, type JsonObject, parseJson } from '../input/json.ts'
import { type LegacyFilter, UrlFields } from './fields.ts'
import type { BreakdownFilter } from './shared-fields.ts'

/**
 * A trend as a request describes it, read from a `TrendsQuery` node or a filter object (the legacy form). `pathOf` turns a
 * legacy name into the field's path in the request: `date_from` into `query__dateRange__date_from`.
 */
export type Draft = {
  pathOf: (name: string) => string
  series: Entity[]
  dateFrom: string
  dateTo: string | undefined
  interval: Interval
  properties: unknown
  filtersTestAccounts: boolean
  display: string
  breakdown: BreakdownFilter
  compare: boolean
  compareTo: string | undefined
  formulas: { at: string; text: string; name: string | undefined }[]
  smoothing: number
  /** Values of fields that PostHog supports and this service does not, by legacy name. A value that would change the trend is refused. */
  unsupported: Record<string, unknown>
}

export type Entity = { at: string; event: string | null; order: number; filters: unknown[] } & Pick<
  NonNullable<z.infer<typeof LegacyFilter>['events']>[number],
  'name' | 'custom_name' | 'math' | 'math_property' | 'math_property_type' | 'properties'
>

/**
 * Returns the fields of a trend from a URL and a body.
 * @throws invalid_input, attr the field, for different values in the URL and the body, or for a second form
 */
export function readFields(url: string, body: JsonObject = {}): JsonObject {
  const given = [...new URL(url).searchParams].filter(([name]) => isField(name))
  for (const [name, text] of given) {
    const value = body[name]
    if (saysSomething(value) && value !== undefined && !isText(text, value)) {
      throw new AppError(
        'invalid_input',
        `${showName(name)} has one value in the URL and another in the body.`,
        name
      )
    }
  }
  const fields = { ...Object.fromEntries(given), ...body }
  expectOneForm(fields)
  return fields
}

const isField = (name: string): boolean => Object.hasOwn(UrlFields.shape, name)

/** Whether a text in a URL says the same as a value in JSON. */
function isText(text: string, value: Json): boolean {
  try {
    return text === value || isSame(parseJson(text), value)
  } catch {
    return false
  }
}

/**
 * Checks that fields have at most one form of a trend: `query`, `filters`, or the fields beside them.
 * @throws invalid_input, attr a field of the second form, if two have a value
 */
export function expectOneForm(fields: JsonObject): void {
  const said = Object.keys(fields).filter((name) => isField(name) && saysSomething(fields[name]))
  const forms = ['query', 'filters'].filter((name) => said.includes(name))
  const beside = said.find((name) => !isWhole(name))
  const [first, second] = beside === undefined ? forms : [...forms, beside]
  if (second !== undefined) {
    throw new AppError(
      'invalid_input',
      `A request describes a trend by \`query\`, by \`filters\`, or by the fields beside them. Leave out "${first}" or "${second}".`,
      second
    )
  }
}

/** Whether a field is a form by itself. */
const isWhole = (name: string): boolean => name === 'query' || name === 'filters'

import type * as z from 'zod'
import type { Interval } from '../calendar/buckets.ts'
import { AppError } from '../errors.ts'
import { showName } from '../input/closest.ts'
import { saysSomething } from '../input/fields.ts'
import { isSame, type Json, type JsonObject, parseJson } from '../input/json.ts'
import { type BreakdownFilter, type LegacyFilter, UrlFields } from './fields.ts'

/** A query of either form under the names of the legacy one; `at` tells where the request has a field. */
export type Draft = {
  at: (name: string) => string
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
  unsupported: Record<string, unknown>
}

export type Entity = { at: string; event: string | null; order: number; filters: unknown[] } & Pick<
  NonNullable<z.infer<typeof LegacyFilter>['events']>[number],
  'name' | 'custom_name' | 'math' | 'math_property' | 'math_property_type' | 'properties'
>

/**
 * Returns the fields of a trend that a URL and a body have: those of one form, each with one value.
 * @throws invalid_input, attr the field, for one that the URL and the body have with different values, or of a second form
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
 * A trend is asked for in one form: `query`, `filters`, or the fields beside them.
 * @throws invalid_input, attr a field of the second form that says something
 */
export function expectOneForm(fields: JsonObject): void {
  const said = Object.keys(fields).filter((name) => isField(name) && saysSomething(fields[name]))
  const [first, second] = ['query', 'filters', said.find((name) => !isWhole(name))].filter(
    (name) => name !== undefined && said.includes(name)
  )
  if (second !== undefined) {
    throw new AppError(
      'invalid_input',
      `A trend is asked for by \`query\`, by \`filters\`, or by the fields beside them: "${first}" leaves nothing for "${second}" to say.`,
      second
    )
  }
}

/** Whether a field is a form by itself. */
const isWhole = (name: string): boolean => name === 'query' || name === 'filters'

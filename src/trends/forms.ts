import { canonical } from '../encoding.ts'
import { AppError } from '../errors.ts'
import { saysSomething } from '../input/fields.ts'
import { type Json, type JsonObject, parseJson } from '../input/json.ts'
import { showName } from '../input/show.ts'
import { parametersOf } from '../input/url.ts'
import { UrlFields } from './fields.ts'

/**
 * Returns the fields of a trend from a URL and a body.
 * @throws invalid_input with the field as attr, if the URL and the body give it different values,
 * or if the request uses two of the three forms (see `expectOneForm`)
 */
export function readFields(url: string, body: JsonObject = {}): JsonObject {
  const inUrl = parametersOf(url).filter(([name]) => isField(name))
  for (const [name, text] of inUrl) {
    const value = body[name]
    if (isGiven(name, value) && !isSameValue(text, value)) {
      throw new AppError(
        'invalid_input',
        `${showName(name)} has one value in the URL and another in the body: send only one of them.`,
        name
      )
    }
  }
  const fields = { ...body, ...Object.fromEntries(inUrl) }
  expectOneForm(fields)
  return fields
}

/**
 * Whether a body gives a field a value. Clients that send whole objects back also send fields that
 * are not set: as null, and an insight's `filters` as `{}` if it has a `query`. But `false` and
 * `[]` are values: `compare: false` contradicts `?compare=true`.
 */
function isGiven(name: string, value: Json | undefined): value is Json {
  return isFormItself(name) ? saysSomething(value) : value !== undefined && value !== null
}

const isField = (name: string): boolean => Object.hasOwn(UrlFields.shape, name)

/** Whether a text in a URL says the same as a value in JSON, whatever the order of its keys. */
function isSameValue(text: string, value: Json): boolean {
  try {
    return text === value || canonical(parseJson(text)) === canonical(value)
  } catch {
    return false
  }
}

/**
 * Checks that a request describes its trend in at most one form: `query`, `filters`, or the flat
 * fields such as `events`.
 * @throws invalid_input, attr a field of the second form, if two have a value
 */
export function expectOneForm(fields: JsonObject): void {
  const said = Object.keys(fields).filter((name) => isField(name) && saysSomething(fields[name]))
  const forms = ['query', 'filters'].filter((name) => said.includes(name))
  const flat = said.find((name) => !isFormItself(name))
  const [first, second] = flat === undefined ? forms : [...forms, flat]
  if (second !== undefined) {
    throw new AppError(
      'invalid_input',
      `A request describes a trend by \`query\`, by \`filters\`, or by fields such as \`events\`. Leave out "${first}" or "${second}".`,
      second
    )
  }
}

const isFormItself = (name: string): boolean => name === 'query' || name === 'filters'

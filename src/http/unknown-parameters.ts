import { AppError, type ErrorCode } from '../errors.ts'
import { findSimilarName } from '../input/closest.ts'
import { isHarmless } from '../input/harmless.ts'
import { showName } from '../input/show.ts'
import { parametersOf } from '../input/url.ts'

/** The query parameters of an operation. Parameters in `lists` may be repeated. */
export type KnownParameters = { names: string[]; lists: string[] }

/** An example of a refusal, for the API reference. */
export const UNKNOWN_PARAMETER: [code: ErrorCode, detail: string, attr: string] = [
  'invalid_input',
  '"formt" is not a parameter of this operation: did you mean "format"?',
  'formt'
]

/**
 * Checks that the operation knows every query parameter of a URL.
 * @throws invalid_input, attr the parameter, if it is unknown, or if it has several values and is
 * not a list
 */
export function checkParameters(url: string, parameters: KnownParameters): void {
  const given = Map.groupBy(parametersOf(url), ([name]) => name)
  for (const [name, pairs] of given) {
    const values = new Set(pairs.map(([, value]) => value))
    // A harmless parameter has no effect, unless this operation is one that reads it.
    if (isHarmless(name) && !parameters.names.includes(name)) {
      continue
    }
    if (!isKnown(name, values, parameters)) {
      throw refuse(name, parameters)
    }
    if (values.size > 1 && !belongsToList(name, parameters)) {
      throw new AppError(
        'invalid_input',
        `The parameter ${showName(name)} is given more than once, with different values: send it once.`,
        name
      )
    }
  }
}

function isKnown(name: string, values: Set<string>, parameters: KnownParameters): boolean {
  if (parameters.names.includes(name) || belongsToList(name, parameters)) {
    return true
  }
  // Every operation accepts `format=json`, also an operation without other formats.
  return name === 'format' && values.size === 1 && values.has('json')
}

/**
 * Whether a parameter belongs to a list: `properties`, `properties[]` and `properties[0][key]` all
 * belong to `properties`.
 */
const belongsToList = (name: string, { lists }: KnownParameters): boolean =>
  lists.includes(name.replace(/\[.*$/s, ''))

function refuse(name: string, { names, lists }: KnownParameters): AppError {
  if (name === 'format') {
    return new AppError(
      'invalid_input',
      'This operation responds with JSON only: leave `format` out.',
      name
    )
  }
  const meant = findSimilarName(name, [...names, ...lists])
  const hint = meant === undefined ? '.' : `: did you mean "${meant}"?`
  return new AppError(
    'invalid_input',
    `${showName(name)} is not a parameter of this operation${hint}`,
    name.slice(0, 100)
  )
}

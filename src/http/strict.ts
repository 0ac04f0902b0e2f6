import { AppError, type ErrorCode } from '../errors.ts'
import { findSimilarName, showName } from '../input/closest.ts'
import { isHarmless } from '../input/harmless.ts'

/** The query parameters of an operation: each at most once, but for the lists. */
export type KnownParameters = { names: string[]; lists: string[] }

/** An example of a refusal, for the document. */
export const UNKNOWN_PARAMETER: [code: ErrorCode, detail: string, attr: string] = [
  'invalid_input',
  '"formt" is not a parameter of this operation: did you mean "format"?',
  'formt'
]

/**
 * Has every query parameter of a URL mean something to the operation.
 * @throws invalid_input, attr the parameter, for one that the operation does not have, or that has two values
 */
export function checkParameters(url: string, parameters: KnownParameters): void {
  const given = Map.groupBy(new URL(url).searchParams, ([name]) => name)
  for (const [name, pairs] of given) {
    const values = new Set(pairs.map(([, value]) => value))
    if (isHarmless(name) && !parameters.names.includes(name)) {
      continue
    }
    if (!isKnown(name, values, parameters)) {
      throw refuse(name, parameters)
    }
    if (values.size > 1 && !isOfList(name, parameters)) {
      throw new AppError(
        'invalid_input',
        `The parameter ${showName(name)} is given more than once, with different values.`,
        name
      )
    }
  }
}

function isKnown(name: string, values: Set<string>, parameters: KnownParameters): boolean {
  if (parameters.names.includes(name) || isOfList(name, parameters)) {
    return true
  }
  // Where there is nothing but JSON, asking for it is honoured.
  return name === 'format' && values.size === 1 && values.has('json')
}

/** `properties`, and also `properties[]` and `properties[0][key]`. */
const isOfList = (name: string, { lists }: KnownParameters): boolean =>
  lists.includes(name.replace(/\[.*$/s, ''))

function refuse(name: string, { names, lists }: KnownParameters): AppError {
  if (name === 'format') {
    return new AppError('invalid_input', 'This operation answers in JSON only.', name)
  }
  const meant = findSimilarName(name, [...names, ...lists])
  const hint = meant === undefined ? '.' : `: did you mean "${meant}"?`
  return new AppError(
    'invalid_input',
    `${showName(name)} is not a parameter of this operation${hint}`,
    name.slice(0, 100)
  )
}

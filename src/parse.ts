import type * as z from 'zod'
import { AppError, type ErrorCode } from './errors.ts'

/**
 * What the schema makes of the input.
 * @param path where the input stands in the request
 * @throws the first of the schema's complaints, in the terms of the API's errors
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
  path: readonly string[] = []
): z.output<S> {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) {
    return result.data
  }
  const [issue] = result.error.issues
  throw issue ? toAppError(issue, path) : new AppError('invalid_input', 'Invalid input.')
}

function toAppError(issue: z.core.$ZodIssue, path: readonly string[]): AppError {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const names = [...path, ...issue.path, ...unknown]
  const attr = names.length > 0 ? names.map(String).join('__') : null
  const [code, detail] = explain(issue)
  return new AppError(code, detail, attr)
}

function explain(issue: z.core.$ZodIssue): [ErrorCode, string] {
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'custom') {
    if (issue.input === undefined) {
      return ['required', 'This field is required.']
    }
    if (issue.input === null) {
      return ['null', 'This field may not be null.']
    }
  }
  if (issue.code === 'invalid_type') {
    return ['invalid_input', WRONG_TYPE[issue.expected] ?? issue.message]
  }
  if (issue.code === 'invalid_value' && issue.input === undefined) {
    return ['required', 'This field is required.']
  }
  if (issue.code === 'invalid_value') {
    return ['invalid_choice', `"${String(issue.input)}" is not a valid choice.`]
  }
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return ['max_length', `Ensure this field has no more than ${issue.maximum} characters.`]
  }
  if (issue.code === 'too_small' && issue.origin === 'string') {
    return ['blank', 'This field may not be blank.']
  }
  if (issue.code === 'too_big' && issue.origin !== 'array') {
    return ['max_value', `Ensure this value is less than or equal to ${issue.maximum}.`]
  }
  if (issue.code === 'too_small' && issue.origin !== 'array') {
    return ['min_value', `Ensure this value is greater than or equal to ${issue.minimum}.`]
  }
  if (issue.code === 'unrecognized_keys') {
    return ['invalid_input', 'This field is not known.']
  }
  return ['invalid_input', issue.message]
}

const WRONG_TYPE: Record<string, string> = {
  string: 'Not a valid string.',
  number: 'A valid number is required.',
  int: 'A valid integer is required.',
  boolean: 'Must be a valid boolean.',
  array: 'Expected a list of items.',
  object: 'Expected an object.',
  record: 'Expected an object.'
}

import type * as z from 'zod'
import { AppError, type ErrorCode } from '../errors.ts'
import { findUnknownFields } from './fields.ts'

/**
 * Validates an input and returns the schema's output.
 * @param path the input's position in the request, for the error's `attr`
 * @param ignoredFields receives the names of unknown fields that were ignored
 * @throws required, null, blank, invalid_input, invalid_choice, max_length, max_value or min_value
 * for the first issue; invalid_input for an unknown field that `findUnknownFields` refuses
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
  path: readonly string[] = [],
  ignoredFields: string[] = []
): z.output<S> {
  ignoredFields.push(...findUnknownFields(schema, input, path))
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) {
    return result.data
  }
  const [issue] = result.error.issues
  throw issue ? toAppError(descend(issue), path) : new AppError('invalid_input', 'Invalid input.')
}

/**
 * Replaces the issue of a union by the first issue of the one member that fits the type of the
 * input, if exactly one does. For a union of a text and an object with `id`, the input `{}` gives
 * the issue of the missing `id`. A union with a message of its own keeps its issue.
 */
function descend(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') {
    return issue
  }
  // A member fits the type if none of its issues is about the input as a whole.
  const fitting = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0))
  const inner = fitting.length === 1 ? fitting[0]?.[0] : undefined
  return inner ? descend({ ...inner, path: [...issue.path, ...inner.path] }) : issue
}

function toAppError(issue: z.core.$ZodIssue, path: readonly string[]): AppError {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const names = [...path, ...issue.path, ...unknown]
  const attr = names.length > 0 ? names.map(String).join('__') : null
  const [code, detail] = explain(issue)
  return new AppError(code, detail, attr)
}

function explain(issue: z.core.$ZodIssue): [ErrorCode, string] {
  const missing = explainMissing(issue)
  if (missing) {
    return missing
  }
  switch (issue.code) {
    case 'invalid_type':
      return ['invalid_input', WRONG_TYPE[issue.expected] ?? issue.message]
    case 'invalid_value':
      return ['invalid_choice', explainChoice(issue)]
    case 'too_big':
      return explainTooBig(issue)
    case 'too_small':
      return explainTooSmall(issue)
    case 'unrecognized_keys':
      return ['invalid_input', 'This field is unknown.']
    default:
      return ['invalid_input', issue.message]
  }
}

/** Maximum number of choices in an error message; the reference lists all choices. */
const MAX_CHOICES = 40

/** Longest quotation of an input in an error message, characters. */
const MAX_QUOTED = 100

function explainChoice({ input, values }: z.core.$ZodIssueInvalidValue): string {
  const choices = values.slice(0, MAX_CHOICES).map(String).join(', ')
  return `"${toQuote(input)}" is not a valid choice. Choices: ${choices}.`
}

/** Quotes an input for an error message: a string as it is, anything else as JSON, shortened. */
function toQuote(input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
}

/** The codes that zod may give to a missing field or to null. */
const MISSING: z.core.$ZodIssue['code'][] = ['invalid_type', 'invalid_value', 'custom']

function explainMissing({ code, input }: z.core.$ZodIssue): [ErrorCode, string] | undefined {
  if (!MISSING.includes(code)) {
    return undefined
  }
  if (input === undefined) {
    return ['required', 'This field is required.']
  }
  return input === null ? ['null', 'This field may not be null.'] : undefined
}

function explainTooBig({ origin, maximum, message }: z.core.$ZodIssueTooBig): [ErrorCode, string] {
  if (origin === 'string') {
    return ['max_length', `Ensure this field has no more than ${maximum} characters.`]
  }
  if (origin === 'array') {
    return ['invalid_input', message]
  }
  return ['max_value', `Ensure this value is less than or equal to ${maximum}.`]
}

function explainTooSmall({
  origin,
  minimum,
  message
}: z.core.$ZodIssueTooSmall): [ErrorCode, string] {
  if (origin === 'string') {
    return ['blank', 'This field may not be blank.']
  }
  if (origin === 'array') {
    return ['invalid_input', message]
  }
  return ['min_value', `Ensure this value is greater than or equal to ${minimum}.`]
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

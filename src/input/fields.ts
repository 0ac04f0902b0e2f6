import * as z from 'zod'
import { AppError } from '../errors.ts'
import { findSimilarName, isSameName } from './closest.ts'
import { isHarmless } from './harmless.ts'
import { isEmpty, isObject, parseJson } from './json.ts'
import { showName } from './show.ts'

/**
 * Reasons for refusing fields that a schema does not have, by field name. A field with a text as
 * its reason may be sent with an empty value (see `saysSomething`), a field with `always` only with
 * null.
 */
type Refused = Record<string, string | { always: string }>

/** Unknown fields of one object. Each is compared with all known; 1,000 take about 40 ms. */
const MAX_UNKNOWN = 1_000

type Rules = {
  refused: Refused
  readOnly: readonly string[]
  /**
   * Reason for refusing all other unknown fields that carry a value. Without a reason, they are
   * ignored.
   */
  others?: string | undefined
  /** Whether to refuse all other unknown fields, whatever their value. */
  isClosed?: true
}

const rules = new WeakMap<z.ZodType, Rules>()

/**
 * Makes a schema refuse fields that have a meaning elsewhere in this API or in PostHog but are not
 * supported here. Schemas derived from this one do not inherit the rule.
 * @param readOnly fields of responses that clients send back; ignored even when they resemble a
 * known field
 * @param others reason for refusing all other unknown fields; without a reason, they are ignored
 */
export function refusing<S extends z.ZodObject>(
  schema: S,
  refused: Refused,
  readOnly: readonly string[] = [],
  others?: string
): S {
  rules.set(schema, { refused, readOnly, others })
  return schema
}

/**
 * Makes a schema refuse every unknown field, even an empty one. Only `HARMLESS` fields and empty
 * fields in `refused` are ignored. For requests that delete or send something: they would really do
 * so if an unsupported `dry_run` were ignored.
 */
export function closed<S extends z.ZodObject>(schema: S, refused: Refused = {}): S {
  rules.set(schema, { refused, readOnly: [], isClosed: true })
  return schema
}

/** Gives several fields the same reason. */
export const sameReason = <R extends Refused[string]>(
  names: readonly string[],
  reason: R
): Record<string, R> => Object.fromEntries(names.map((name) => [name, reason]))

/** Whether a value asks for anything: null, `''`, 0, `false`, `"false"`, `[]` and `{}` do not. */
export const saysSomething = (value: unknown): boolean =>
  Boolean(value) && value !== 'false' && !isEmpty(value) && !(Array.isArray(value) && !value.length)

/**
 * Returns the fields of an input that its schema does not know and that may be ignored, at any
 * depth; nested names are joined with `__`. A schema with a catchall knows every field.
 * @throws invalid_input for an unknown field that resembles a known field or that `refusing` or
 * `closed` refuses, and for too many unknown fields in one object
 */
export function findUnknownFields(
  schema: z.ZodType,
  input: unknown,
  path: readonly string[] = []
): string[] {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodPipe) {
    // Only a schema with `z.preprocess`, such as `jsonText`, begins with a transform.
    return inner.in instanceof z.ZodTransform
      ? findUnknownFields(inner.out as z.ZodType, fromText(input), path)
      : findUnknownFields(inner.in as z.ZodType, input, path)
  }
  if (inner instanceof z.ZodUnion) {
    const option = findOption(inner.options as z.ZodType[], input)
    return option ? findUnknownFields(option, input, path) : []
  }
  if (inner instanceof z.ZodArray && Array.isArray(input)) {
    const element = inner.element as z.ZodType
    return input.flatMap((item, i) => findUnknownFields(element, item, [...path, String(i)]))
  }
  return inner instanceof z.ZodObject && isObject(input) ? findInObject(inner, input, path) : []
}

/**
 * Returns the option of a union that accepts an input. For an object that no option accepts,
 * returns the union's object schema if it has exactly one.
 */
function findOption(options: z.ZodType[], input: unknown): z.ZodType | undefined {
  const accepting = options.find((option) => option.safeParse(input).success)
  if (accepting || !isObject(input)) {
    return accepting
  }
  const [only, ...others] = options.filter((option) => unwrap(option) instanceof z.ZodObject)
  return others.length === 0 ? only : undefined
}

function findInObject(
  schema: z.ZodObject,
  input: Record<string, unknown>,
  path: readonly string[]
): string[] {
  const { catchall } = schema.def
  const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever)
  const known = Object.keys(schema.shape)
  const sent = known.filter((name) => Object.hasOwn(input, name))
  if (!isOpen && Object.keys(input).length - sent.length > MAX_UNKNOWN) {
    throw new AppError(
      'invalid_input',
      `At most ${MAX_UNKNOWN} unknown fields are allowed in one object: leave them out.`,
      path.join('__') || null
    )
  }
  return Object.entries(input).flatMap(([name, value]) => {
    const at = [...path, name]
    const member = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
    if (member) {
      return findUnknownFields(member as z.ZodType, value, at)
    }
    if (isOpen || value === undefined) {
      return []
    }
    expectMeaningless(name, value, { known, at, ...(rules.get(schema) ?? NO_RULES) })
    return at.join('__')
  })
}

const NO_RULES: Rules = { refused: {}, readOnly: [] }

type Place = Rules & { known: string[]; at: string[] }

/** @throws invalid_input */
function expectMeaningless(name: string, value: unknown, place: Place): void {
  const { known, refused, readOnly, at } = place
  const refuse = (detail: string) => new AppError('invalid_input', detail, at.join('__'))
  const reason = reasonFor(name, refused)
  if (reason !== undefined) {
    const isAlways = typeof reason === 'object'
    if (isAlways ? value !== null : saysSomething(value)) {
      throw refuse(isAlways ? reason.always : reason)
    }
    return
  }
  if (isHarmless(name) || readOnly.includes(name)) {
    return
  }
  const meant = findSimilarName(name, known)
  if (meant !== undefined) {
    throw refuse(`${showName(name)} is not a known field: did you mean "${meant}"?`)
  }
  const unknown = reasonForUnknown(name, value, place)
  if (unknown !== undefined) {
    throw refuse(unknown)
  }
}

/** Returns the reason for refusing a field that no rule names, if it is not ignored. */
function reasonForUnknown(
  name: string,
  value: unknown,
  { others, isClosed }: Rules
): string | undefined {
  if (isClosed) {
    return `${showName(name)} is not a field of this request: leave it out.`
  }
  return saysSomething(value) ? others : undefined
}

/** Returns the reason for refusing a field; `keepPerson` is refused like `keep_person`. */
function reasonFor(name: string, refused: Refused): Refused[string] | undefined {
  if (Object.hasOwn(refused, name)) {
    return refused[name]
  }
  const spelled = Object.keys(refused).find((candidate) => isSameName(candidate, name))
  return spelled === undefined ? undefined : refused[spelled]
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  return isWrapped ? unwrap(schema.unwrap() as z.ZodType) : schema
}

/**
 * Parses a list or object that was sent as JSON text. Returns text that `parseJson` refuses as it
 * is, for the schema to refuse.
 */
function fromText(input: unknown): unknown {
  if (typeof input !== 'string' || !/^\s*[[{]/.test(input)) {
    return input
  }
  try {
    return parseJson(input)
  } catch {
    return input
  }
}

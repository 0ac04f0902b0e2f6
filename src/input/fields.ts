import * as z from 'zod'
import { AppError } from '../errors.ts'
import { findMeant, showName } from './closest.ts'
import { isHarmless } from './harmless.ts'
import { isEmpty, isObject } from './json.ts'

/** Why a field is refused that the schema does not have, by its name. */
type Refused = Record<string, string>

/** Unknown fields that one object may have: each is compared with all known ones, 1,000 take about 40 ms. */
const MAX_UNKNOWN = 1_000

type Rules = { refused: Refused; readOnly: readonly string[] }

const rules = new WeakMap<z.ZodType, Rules>()

/**
 * Has a schema refuse fields that mean something to other operations or to PostHog and are not honoured here, as soon as
 * they say anything. A schema that is made of this one does not take that over.
 * @param readOnly fields that clients send back, however much they resemble others
 */
export function refusing<S extends z.ZodObject>(
  schema: S,
  refused: Refused,
  readOnly: readonly string[] = []
): S {
  rules.set(schema, { refused, readOnly })
  return schema
}

/** The same reason for several fields. */
export const sameReason = (names: readonly string[], reason: string): Refused =>
  Object.fromEntries(names.map((name) => [name, reason]))

/** Whether a value asks for anything: null, an empty list, `false` and the like do not. */
export const saysSomething = (value: unknown): boolean =>
  Boolean(value) && value !== 'false' && !isEmpty(value) && !(Array.isArray(value) && !value.length)

/**
 * Looks for the fields of an input that its schema does not know, at any depth, and returns those that may be passed
 * over, nested names joined with `__`. Where a schema takes any field, none is unknown.
 * @throws invalid_input for a field that resembles a known one, or that means something and is not honoured
 */
export function findUnknownFields(
  schema: z.ZodType,
  input: unknown,
  path: readonly string[] = []
): string[] {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodPipe) {
    return inner.in instanceof z.ZodTransform
      ? findUnknownFields(inner.out as z.ZodType, fromText(input), path)
      : findUnknownFields(inner.in as z.ZodType, input, path)
  }
  if (inner instanceof z.ZodUnion) {
    const options = inner.options as z.ZodType[]
    const fitting = options.find((option) => option.safeParse(input).success)
    return fitting ? findUnknownFields(fitting, input, path) : []
  }
  if (inner instanceof z.ZodArray && Array.isArray(input)) {
    const element = inner.element as z.ZodType
    return input.flatMap((item, i) => findUnknownFields(element, item, [...path, String(i)]))
  }
  return inner instanceof z.ZodObject && isObject(input) ? findInObject(inner, input, path) : []
}

function findInObject(
  schema: z.ZodObject,
  input: Record<string, unknown>,
  path: readonly string[]
): string[] {
  const { catchall } = schema.def
  const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever)
  const known = Object.keys(schema.shape)
  if (!isOpen && Object.keys(input).length > known.length + MAX_UNKNOWN) {
    throw new AppError(
      'invalid_input',
      `More than ${MAX_UNKNOWN} fields are not known here.`,
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
function expectMeaningless(
  name: string,
  value: unknown,
  { known, refused, readOnly, at }: Place
): void {
  const reason = Object.hasOwn(refused, name) ? refused[name] : undefined
  if (reason !== undefined) {
    if (saysSomething(value)) {
      throw new AppError('invalid_input', reason, at.join('__'))
    }
    return
  }
  const isFree = isHarmless(name) || readOnly.includes(name)
  const meant = isFree ? undefined : findMeant(name, known)
  if (meant !== undefined) {
    throw new AppError(
      'invalid_input',
      `${showName(name)} is not a known field: did you mean "${meant}"?`,
      at.join('__')
    )
  }
}

function unwrap(schema: z.ZodType): z.ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  return isWrapped ? unwrap(schema.unwrap() as z.ZodType) : schema
}

/** Lists and objects may have come as JSON text; what is wrong with it is said by the schema. */
function fromText(input: unknown): unknown {
  if (typeof input !== 'string' || !/^\s*[[{]/.test(input)) {
    return input
  }
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

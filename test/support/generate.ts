import type { Schema } from '@cfworker/json-schema'
import fc from 'fast-check'
import type { Json } from '../../src/input/json.ts'

/** Texts that break careless code. */
export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    'constructor',
    '$set',
    '-1',
    '1e999',
    'x'.repeat(5_000),
    '😀'.repeat(300),
    'ﷺİK\u0301',
    '2026-11-21',
    '-7d',
    "' or 1=1 --",
    '%00',
    '/',
    '?',
    '..',
    '\r\n'
  )
)

export const anything: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.constantFrom<Json>(null, true, false, 0, -1, 1e21, 2 ** 53, 5e-324, [], {}),
  fc.jsonValue().map((value) => value as Json)
)

/** References followed before a value of a recursive schema ends with anything. */
const MAX_DEPTH = 7
/** Longest text, and longest array as JSON, made for a bound, in characters. */
const MAX_SIZE = 20_000

/**
 * Generates values for the document's schemas: mostly valid ones, including those at a bound and one beyond it, and sometimes
 * anything else. `known` are values with a meaning to the service: tokens, ids, names.
 */
export function createGenerator(schemas: Record<string, Schema>, known: Json[]) {
  const made = new Map<string, fc.Arbitrary<Json>>()

  const valuesFor = (schema: Schema, depth = 0): fc.Arbitrary<Json> => {
    const examples: Json[] = schema.examples ?? []
    return fc.oneof(
      { weight: 8, arbitrary: fittingFor(schema, depth) },
      { weight: examples.length, arbitrary: fc.constantFrom<Json>(...examples, null) },
      { weight: isScalar(schema) ? 4 : 0, arbitrary: fc.constantFrom(...known) },
      { weight: 1, arbitrary: anything }
    )
  }

  const referred = (name: string, depth: number): fc.Arbitrary<Json> => {
    if (depth === MAX_DEPTH) {
      return anything
    }
    const key = `${name} ${depth}`
    const arbitrary = made.get(key) ?? valuesFor(schemas[name] ?? {}, depth + 1)
    made.set(key, arbitrary)
    return arbitrary
  }

  const fittingFor = (schema: Schema, depth: number): fc.Arbitrary<Json> => {
    const inner = (of: Schema) => valuesFor(of, depth)
    if (schema.$ref) {
      return referred(schema.$ref.split('/').at(-1) ?? '', depth)
    }
    if (schema.contentSchema) {
      return inner(schema.contentSchema).map((value) => JSON.stringify(value))
    }
    return ofOwn(schema, inner)
  }

  return (schema: Schema) => valuesFor(schema)
}

/** Generates values for a schema that is neither a reference nor JSON in a string. */
function ofOwn(schema: Schema, inner: (of: Schema) => fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  if ('const' in schema) {
    return fc.constant(schema.const)
  }
  if (schema.enum) {
    return fc.constantFrom<Json>(...schema.enum)
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    return fc.oneof(...choices.map(inner))
  }
  if (schema.allOf) {
    return fc.tuple(...schema.allOf.map(inner)).map((parts) => Object.assign({}, ...parts))
  }
  const types = [schema.type ?? []].flat()
  return types.length > 0 ? fc.oneof(...types.map((type) => ofType(type, schema, inner))) : anything
}

function ofType(
  type: string,
  schema: Schema,
  inner: (of: Schema) => fc.Arbitrary<Json>
): fc.Arbitrary<Json> {
  switch (type) {
    case 'string':
      return ofFormat(schema)
    case 'integer':
    case 'number':
      return fc.oneof(
        fc.constantFrom(...boundsOf(schema.minimum, schema.maximum)),
        fc.nat(2_000),
        fc.double()
      )
    case 'boolean':
      return fc.boolean()
    case 'array':
      return arrayOf(schema, inner)
    case 'object':
      return objectOf(schema, inner)
    default:
      return fc.constant(null)
  }
}

function ofFormat({ format, minLength, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') {
    return fc.uuid()
  }
  if (format === 'date-time') {
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  }
  if (format === 'email') {
    return fc.emailAddress()
  }
  if (format === 'uri') {
    return fc.webUrl()
  }
  const lengths = boundsOf(minLength, maxLength).filter((length) => length >= 0)
  return fc.oneof(
    text,
    fc.constantFrom(...lengths).map((length) => 'é'.repeat(Math.min(length, MAX_SIZE)))
  )
}

/** Returns the numbers one below, at, and one above each bound. */
const boundsOf = (minimum = 0, maximum = 1): number[] =>
  [minimum, maximum].flatMap((bound) => [bound - 1, bound, bound + 1])

function arrayOf(
  { items, maxItems = 0 }: Schema,
  inner: (of: Schema) => fc.Arbitrary<Json>
): fc.Arbitrary<Json> {
  const item = typeof items === 'object' && !Array.isArray(items) ? inner(items) : anything
  const tooMany = (one: Json) =>
    JSON.stringify(one).length * maxItems < MAX_SIZE ? maxItems + 1 : 1
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(item, { maxLength: 4 }) },
    { weight: 1, arbitrary: item.map((one) => Array.from({ length: tooMany(one) }, () => one)) }
  )
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  inner: (of: Schema) => fc.Arbitrary<Json>
): fc.Arbitrary<Json> {
  const own = Object.entries(properties).map(([name, member]) => {
    const values = inner(typeof member === 'object' ? member : {}).map(
      (value): [string, Json][] => [[name, value]]
    )
    return fc.oneof(
      { weight: required.includes(name) ? 20 : 1, arbitrary: values },
      { weight: 1, arbitrary: fc.constant<[string, Json][]>([]) }
    )
  })
  const value = typeof additionalProperties === 'object' ? inner(additionalProperties) : anything
  const more = fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    fc.array(fc.tuple(text, value), { maxLength: 2 })
  )
  return fc.tuple(...own, more).map((members) => Object.fromEntries(members.flat()))
}

const isScalar = ({ type }: Schema): boolean =>
  ['string', 'integer', 'number'].includes([type].flat()[0] ?? '')

import * as z from 'zod'

/** Supported versions of OpenAPI, by zod's name for their dialect of JSON Schema. */
export const VERSIONS = {
  'openapi-3.0': '3.0.4',
  'draft-2020-12': '3.1.1'
} as const

export type OpenApiVersion = keyof typeof VERSIONS

type Options = NonNullable<Parameters<typeof z.toJSONSchema>[1]>

/** Returns the options with which zod writes schemas in a version of OpenAPI. */
export const schemaOptions = (version: OpenApiVersion): Options => ({
  target: version,
  io: 'input',
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }) => {
    tidy(zodSchema, jsonSchema)
    if (version === 'openapi-3.0') {
      downgrade(jsonSchema)
    }
  }
})

/** Returns a reference to a schema, which must have an id. */
export function refer(schema: z.ZodType) {
  const id = z.globalRegistry.get(schema)?.id
  if (!id) {
    throw new Error('The schema of a body needs an id.')
  }
  return { $ref: uri(id) }
}

/** Returns where a schema is in the document. */
export const uri = (id: string) => `#/components/schemas/${id}`

/**
 * Removes noise from a JSON schema: patterns that repeat a format, the limits of safe integers, the
 * type of keys. Adds the examples that zod leaves out of schemas that transform their input; these
 * are examples of the input.
 */
function tidy(zodSchema: z.core.$ZodType, jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const { id, examples } = z.globalRegistry.get(zodSchema) ?? {}
  if (id && examples) {
    jsonSchema.examples = examples
  }
  if (jsonSchema.format) {
    delete jsonSchema.pattern
  }
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
    delete jsonSchema.maximum
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
    delete jsonSchema.minimum
  }
  delete jsonSchema.propertyNames
}

/** Allows only null. */
const NULL: z.core.JSONSchema.JSONSchema = { type: 'object', nullable: true, enum: [null] }

/**
 * Makes a nullable schema allow null for validators too. In OpenAPI 3.0, `nullable` needs a `type`
 * beside it and has no effect on the other keywords: `allOf` and `enum` refuse null unless they
 * allow it themselves.
 */
function allowNull(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const { allOf, anyOf, enum: choices } = jsonSchema
  if (choices && !choices.includes(null)) {
    jsonSchema.enum = [...choices, null]
  }
  if (allOf) {
    jsonSchema.anyOf = [{ allOf }, NULL]
    delete jsonSchema.allOf
    delete jsonSchema.nullable
    delete jsonSchema.type
  } else if (anyOf && !jsonSchema.type) {
    delete jsonSchema.nullable
    jsonSchema.anyOf = anyOf.map((choice) => ({ ...choice, nullable: true }))
  } else if (!jsonSchema.type) {
    jsonSchema.type = 'object'
  }
}

/** Replaces keywords that zod writes and OpenAPI 3.0 does not have. */
function downgrade(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  if (jsonSchema.nullable) {
    allowNull(jsonSchema)
  }
  const { examples } = jsonSchema
  if (Array.isArray(examples)) {
    jsonSchema.example = examples[0]
    delete jsonSchema.examples
  }
  delete jsonSchema.contentMediaType
  delete jsonSchema.contentSchema
}

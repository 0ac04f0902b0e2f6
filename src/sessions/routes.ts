import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { validateQuery } from '../http/validation.ts'
import { Flag } from '../input/parameters.ts'
import { findSessionProperty, SESSION_PROPERTIES } from '../properties/session.ts'
import { propertyToJson, SessionPropertiesJson, SessionValuesJson } from './schemas.ts'
import { listValues } from './store.ts'

const SCOPES = ['query:read', 'session_recording:read', 'insight:read'] as const

const PropertyQuery = z.object({
  search: z.string().max(200).default('').meta({
    description: 'Words that the name must contain, in upper or lower case.'
  }),
  is_numerical: Flag.optional().meta({
    description: '`true` for numeric properties only, `false` for all others.'
  })
})

const PROPERTY_DEFINITIONS = describe({
  id: 'sessions_property_definitions',
  mayBeEmpty: true,
  tag: 'Sessions',
  summary: 'List the properties of sessions',
  description:
    'Lists the properties for filters and breakdowns of type `session`. The list is the same for every project and has no pages.',
  answers: { 200: { text: 'The properties.', schema: SessionPropertiesJson } }
})

const KEYS = SESSION_PROPERTIES.map(({ name }) => name)

/** Maximum number of values in a response. */
const MAX_VALUES = 20
/** Values searched: this many that several sessions have, and this many that only one has. */
const SEARCHED = 600

const ValueQuery = z.object({
  key: z.enum(KEYS).meta({ description: 'A session property.', example: '$entry_utm_source' }),
  value: z
    .string()
    .max(400)
    .default('')
    .meta({ description: 'Text that a value must contain, in upper or lower case.' })
})

const VALUES = describe({
  id: 'sessions_values',
  mayBeEmpty: true,
  tag: 'Sessions',
  summary: 'List the values of a session property',
  description: `The ${MAX_VALUES} most frequent values, with the number of sessions that have them. A session counts once it \
is over, half an hour to an hour after its last event. \`value\` searches the ${SEARCHED} \
most frequent values that several sessions have and, if there are fewer of these, up to ${SEARCHED} values that only \
one session has. Values longer than 400 characters are not listed. For numbers and dates the list is empty.`,
  answers: { 200: { text: 'The values.', schema: SessionValuesJson } },
  refusals: [
    ['required', 'This field is required.', 'key'],
    [
      'invalid_choice',
      `"$browser" is not a valid choice. Choices: ${KEYS.slice(0, 40).join(', ')}.`,
      'key'
    ]
  ]
})

export const sessionRoutes = createRouter()
  .get(
    '/sessions/property_definitions',
    PROPERTY_DEFINITIONS,
    allow(...SCOPES),
    validateQuery(PropertyQuery),
    (c) => {
      const { search, is_numerical } = c.req.valid('query')
      const words = search.toLowerCase().split(/\s+/)
      const results = SESSION_PROPERTIES.map(propertyToJson).filter(
        ({ name, is_numerical: isNumerical }) =>
          words.every((word) => name.toLowerCase().includes(word)) &&
          (is_numerical === undefined || is_numerical === isNumerical)
      )
      return c.json({ count: results.length, results } satisfies SessionPropertiesJson)
    }
  )
  .get('/sessions/values', VALUES, allow(...SCOPES), validateQuery(ValueQuery), async (c) => {
    const { key, value } = c.req.valid('query')
    const type = findSessionProperty(key)?.type
    if (type !== 'String' && type !== 'Boolean') {
      return c.json({ results: [], refreshing: false })
    }
    const found = await listValues(c.var, key, value === '' ? MAX_VALUES : SEARCHED)
    const part = value.toLowerCase()
    const results = found
      .filter(({ name }) => name.toLowerCase().includes(part))
      .slice(0, MAX_VALUES)
    return c.json({ results, refreshing: false } satisfies SessionValuesJson)
  })

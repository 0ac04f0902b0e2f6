import * as z from 'zod'
import {
  EVENT_FILTER_TYPES,
  MAX_DEPTH,
  MAX_FILTERS,
  MAX_KEY,
  MAX_VALUE,
  MAX_VALUES,
  OPERATORS
} from './filter.ts'
import { MAX_PATTERN, MAX_PATTERN_SIZE } from './pattern.ts'

/** The table of operators in the API reference, in Markdown. */
export const OPERATOR_TABLE = `| Operators | The property |
|---|---|
| \`exact\` \`in\` · \`is_not\` \`not_in\` | equals one of the values, or the list of values is empty · equals none of the values |
| \`icontains\` \`icontains_multi\` · \`not_icontains\` \`not_icontains_multi\` | contains one of the values, ignoring case · contains none of the values |
| \`regex\` · \`not_regex\` | contains a match of one of the patterns · contains none. RE2 syntax; a pattern has at most ${MAX_PATTERN.toLocaleString('en')} characters, and compiles to at most about ${MAX_PATTERN_SIZE.toLocaleString('en')} instructions; a repeat such as \`{100}\` multiplies the instructions of what it repeats |
| \`gt\` · \`gte\` \`min\` · \`lt\` · \`lte\` \`max\` | is a number greater than the value · greater or equal · less · less or equal. Compares numbers, and texts that consist of a number: whole numbers exactly up to 64 bits, other numbers as doubles; a text with a whole number beyond 64 bits fulfils none of these operators |
| \`between\` · \`not_between\` | is a number from the first to the second of two values, both included · is a number below the first or above the second |
| \`is_set\` · \`is_not_set\` | exists and is not null · is missing or null; neither needs a value |
| \`is_date_exact\` \`is_date_before\` \`is_date_after\` | is the same time as · is earlier than · is later than a date: ISO 8601, or relative such as \`-7d\`. A date without a time means its midnight in the project’s time zone |
| \`semver_eq\` \`_neq\` \`_gt\` \`_gte\` \`_lt\` \`_lte\` \`_tilde\` \`_caret\` \`_wildcard\` | is a version of three numbers that compares with the value as the operator says. The value is a version, whose missing numbers are 0, or, for \`_wildcard\`, a pattern such as \`1.2.*\`. \`1.2.3-beta\` counts as \`1.2.3\` |`

const Value = z.union([z.string().max(MAX_VALUE), z.number(), z.boolean()])

/** A filter for the reference only: `readFilters` reads filters, with better errors. */
const PropertyFilterJson = z
  .object({
    key: z.string().min(1).max(MAX_KEY),
    value: z
      .union([Value, z.array(Value).max(MAX_VALUES), z.null()])
      .optional()
      .meta({
        description:
          'One value, or a list of values, one of which must match; with a negating operator such as `is_not`, none may match. `between` and `not_between` need two numbers, `is_set` and `is_not_set` no value.'
      }),
    operator: z.enum(OPERATORS).default('exact'),
    type: z
      .enum([...EVENT_FILTER_TYPES, 'recording', 'event_metadata'])
      .optional()
      .meta({
        description:
          'The owner of the property. The operation says which types it takes, and which is the default; lists of persons take `person` and `cohort`. A filter of the type `cohort` has the key `id`, the id of a cohort as its value, and the operator `in` or `not_in`.'
      })
  })
  .meta({
    id: 'PropertyFilter',
    description: 'A condition on one property; the parameter `properties` explains the operators.',
    examples: [{ key: 'plan', operator: 'exact', value: ['pro', 'team'] }]
  })

const PropertyGroupJson = z
  .object({
    type: z.enum(['AND', 'OR']).default('AND'),
    get values() {
      return z.array(z.union([PropertyGroupJson, PropertyFilterJson]))
    }
  })
  .meta({
    id: 'PropertyGroup',
    description: 'Filters and groups. All (AND) or at least one (OR) of them must match.'
  })

export const PropertyFiltersJson = z
  .union([
    z.array(z.union([PropertyGroupJson, PropertyFilterJson])),
    PropertyGroupJson,
    PropertyFilterJson
  ])
  .meta({
    id: 'PropertyFilters',
    description: `At most ${MAX_FILTERS} filters, in groups nested at most ${MAX_DEPTH} deep.`
  })

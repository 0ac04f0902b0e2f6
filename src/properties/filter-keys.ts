import { findSimilarName } from '../input/closest.ts'
import { saysSomething } from '../input/fields.ts'
import type { Json, JsonObject } from '../input/json.ts'
import { showName } from '../input/show.ts'
import { invalid } from './filter.ts'

/*
 * The keys of filters and groups, and hints for the keys that clients send by mistake.
 */

const FILTER_KEYS = ['key', 'value', 'operator', 'type']
const GROUP_KEYS = ['type', 'values']

/** Keys that PostHog's clients add to filters and groups to display them. */
const DISPLAY_KEYS = ['label', 'cohort_name', 'group_key_names']

const OPPOSITE = 'use the opposite operator, such as is_not for exact.'
const NEGATION = Object.fromEntries(
  ['negation', 'negate', 'negated', 'not', 'inverse', 'inverted', 'invert', 'exclude'].map(
    (name) => [name, OPPOSITE]
  )
)

const CASE_KEYS = ['case_sensitive', 'caseSensitive']

/** Hints for keys that other APIs use for the same purpose. */
const FILTER_HINTS: Record<string, string> = {
  ...NEGATION,
  ...Object.fromEntries(
    ['op', 'comparison', 'comparator', 'match', 'condition', 'predicate'].map((name) => [
      name,
      'did you mean "operator"?'
    ])
  ),
  property: 'did you mean "key"?',
  name: 'did you mean "key"?',
  ...Object.fromEntries(
    CASE_KEYS.map((name) => [name, 'icontains ignores case; exact and regex do not.'])
  ),
  group_type_index: 'groups are not supported.'
}
const GROUP_HINTS: Record<string, string> = {
  ...NEGATION,
  ...Object.fromEntries(
    ['operator', 'op', 'conjunction', 'operand', 'logic', 'match', 'join', 'combinator'].map(
      (name) => [name, 'did you mean "type"?']
    )
  ),
  filters: 'did you mean "values"?',
  properties: 'did you mean "values"?'
}

/** The keys of filters or groups, and hints for other keys. */
type Keys = { of: string; known: readonly string[]; hints: Record<string, string> }
const OF_FILTER: Keys = { of: 'A property filter', known: FILTER_KEYS, hints: FILTER_HINTS }
const OF_GROUP: Keys = { of: 'A group of property filters', known: GROUP_KEYS, hints: GROUP_HINTS }

/** Checks the keys of a filter. @throws invalid_input */
export const expectFilterKeys = (node: JsonObject): void => expectKeys(node, OF_FILTER)

/** Checks the keys of a group. @throws invalid_input */
export const expectGroupKeys = (node: JsonObject): void => expectKeys(node, OF_GROUP)

/**
 * Checks the keys of a filter or a group. Ignores unknown keys with an empty value (null, `false`,
 * `''`, `[]` or `{}`), unless their name resembles a known key.
 * @throws invalid_input for any other unknown key
 */
function expectKeys(node: JsonObject, { of, known, hints }: Keys): void {
  const harmless = [...known, ...DISPLAY_KEYS]
  for (const [name, value] of Object.entries(node)) {
    if (harmless.includes(name)) {
      continue
    }
    const refuse = (hint: string) => invalid(`${of} has no ${showName(name)}: ${hint}`)
    const hint = Object.hasOwn(hints, name) ? hints[name] : undefined
    const meant = hint === undefined ? findSimilarName(name, known) : undefined
    if (meant) {
      throw refuse(`did you mean "${meant}"?`)
    }
    if (asksForSomething(name, value)) {
      throw refuse(hint ?? `its keys are ${known.join(', ')}.`)
    }
  }
}

/**
 * Whether an unknown key asks for something. The number 0 does, because it may be the index of a
 * group; so does `case_sensitive`, whether true or false.
 */
const asksForSomething = (name: string, value: Json | undefined): boolean =>
  value === 0 ||
  saysSomething(value) ||
  (CASE_KEYS.includes(name) && value !== null && value !== undefined)

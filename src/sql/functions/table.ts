import { findSimilarName } from '../../input/closest.ts'
import { COMPARISONS } from './comparisons.ts'
import { CONDITIONS } from './conditions.ts'
import { CONVERSIONS } from './conversions.ts'
import { DATES } from './dates.ts'
import type { FunctionDefinition } from './definition.ts'
import { INTERVALS } from './intervals.ts'
import { JSONS } from './json.ts'
import { LISTS } from './lists.ts'
import { NUMBERS } from './numbers.ts'
import { REGEXPS } from './regexp.ts'
import { TEXTS } from './texts.ts'
import { TO_TIME } from './to-time.ts'
import { URLS } from './urls.ts'

const ALL = [
  ...COMPARISONS,
  ...CONDITIONS,
  ...CONVERSIONS,
  ...DATES,
  ...INTERVALS,
  ...JSONS,
  ...LISTS,
  ...NUMBERS,
  ...REGEXPS,
  ...TEXTS,
  ...TO_TIME,
  ...URLS
]

/** The functions, by their names in lower case. */
const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = new Map(
  ALL.map((definition) => [definition.name.toLowerCase(), definition])
)

/** Finds a function by its name, in any case. */
export const findFunction = (name: string): FunctionDefinition | undefined =>
  FUNCTIONS.get(name.toLowerCase())

/** The names of all functions. */
export const FUNCTION_NAMES: readonly string[] = ALL.map(({ name }) => name)

/** Returns a sentence that names a function like this one, if there is one. */
export function suggest(name: string, others: readonly string[]): string {
  const similar = findSimilarName(name, [...FUNCTION_NAMES, ...others])
  return similar === undefined
    ? 'See docs/sql-queries.md for those that work.'
    : `Close: ${similar}().`
}

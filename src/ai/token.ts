import type { Days } from './days.ts'
import type { FilterJson as Filter } from './schemas.ts'
import { phrase, type Rule } from './words.ts'

export type FilterOperator = Filter['operator']

/**
 * A token of a request; `filter-reader.ts` builds a tree from the tokens. `repeat` returns the same
 * filter for a further text in quotes: `viewed "Pricing" or "Plans"`.
 */
export type Token =
  | { is: 'filter'; filter: Filter; repeat?: (text: string) => Filter }
  | { is: 'days'; days: Days }
  | { is: 'distinct id'; distinctId: string }
  | { is: 'text'; text: string }
  | { is: 'and' | 'or' | 'nor' | 'comma' | 'not' | 'open' | 'close' | 'noise' }
  | { is: 'word' }

/** Returns a filter on a property of recordings. */
export const recording = (key: string, operator: FilterOperator, ...value: string[]): Filter => ({
  key,
  type: 'recording',
  operator,
  value
})

/** Returns a filter on a property of sessions. */
export const session = (key: string, operator: FilterOperator, ...value: string[]): Filter => ({
  key,
  type: 'session',
  operator,
  value
})

/** Returns a filter for recordings that contain an event of this name. */
export const event = (name: string): Filter => ({
  key: 'event',
  type: 'event_metadata',
  operator: 'exact',
  value: [name]
})

/** Matches a text in quotes. */
export const TEXT = String.raw`"[^"]+"|'[^']+'|“[^”]+”|\x60[^\x60]+\x60`
/** Matches a URL, or a path that begins with `/`. */
export const ADDRESS = String.raw`https?://\S+?|/\S*?`
/** Matches a name of an event or a property: `plan`, or `"Plan name"` in quotes. */
export const NAME = String.raw`${TEXT}|[\w$](?:[\w$.-]*[\w$-])?`

/** Removes the quotes around a text: `"Plan name"` → `Plan name`. */
export const unquote = (text: string): string => text.replace(/^["'“`](.*)["'”`]$/su, '$1')

/**
 * Returns a rule for the phrases that match `source`. `read` gets the match and its groups; a group
 * that matched nothing is an empty text.
 */
export const rule = (source: string, read: (match: string[]) => Token): Rule<Token> => [
  phrase(source),
  (match) => read([...match].map((part) => part ?? ''))
]

/** Returns a rule whose token is a filter. */
export const filter = (
  source: string,
  read: (match: string[]) => Filter,
  repeat?: (text: string) => Filter
): Rule<Token> =>
  rule(source, (match) => ({ is: 'filter', filter: read(match), ...(repeat && { repeat }) }))

/** Returns a rule for words that always have the same meaning. */
export const means = (source: string, is: 'and' | 'or' | 'nor' | 'not' | 'noise'): Rule<Token> =>
  rule(source, () => ({ is }))

import { RE2JS } from 're2js'
import { compilePattern } from '../properties/pattern.ts'

/**
 * Patterns for each kind of text, in the order in which they are tried until the examples fit. If a
 * description names several kinds, their patterns are combined.
 */
export const KINDS = {
  email: [String.raw`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`],
  url: [String.raw`https?://[^\s/?#]+[^\s]*`],
  path: [String.raw`/[^\s?#]*`],
  uuid: ['[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'],
  date: [
    '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])',
    '(?:0?[1-9]|[12][0-9]|3[01])[./](?:0?[1-9]|1[0-2])[./][0-9]{4}',
    '(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12][0-9]|3[01])/[0-9]{4}'
  ],
  version: [String.raw`v?[0-9]+(?:\.[0-9]+){1,3}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`],
  number: ['[0-9]+', String.raw`-?[0-9]+(?:\.[0-9]+)?`],
  id: ['[A-Za-z0-9_-]+', '[0-9]+', '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'],
  domain: [String.raw`[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`],
  anything: ['.*']
} as const satisfies Record<string, readonly string[]>
export type TextKind = keyof typeof KINDS

/** Pattern of a character before the @ of an e-mail address. */
export const LOCAL_PART = '[A-Za-z0-9._%+-]'

export type Examples = { examples: string[]; counter_examples: string[] }

/** The matches of a pattern in the examples, and the counter-examples that it does not match. */
export type Proof = { matched: { text: string; match: string }[]; rejected: string[] }

/**
 * Tests a pattern on examples, in linear time.
 * @returns undefined if the pattern is invalid, has too many characters, or compiles to too many
 * instructions; `missed` lists the examples that it does not match, and the counter-examples that
 * it matches
 */
export function prove(
  pattern: string,
  { examples, counter_examples }: Examples
): (Proof & { missed: string[] }) | undefined {
  const compiled = compilePattern(pattern)
  if (!compiled) {
    return undefined
  }
  const find = (text: string) => {
    const matcher = compiled.matcher(text)
    return matcher.find() ? matcher.group() : undefined
  }
  const found = examples.map((text) => ({ text, match: find(text) }))
  const matched = found.flatMap(({ text, match }) =>
    match === undefined || match === null ? [] : [{ text, match }]
  )
  const rejected = counter_examples.filter((text) => find(text) === undefined)
  const missed = [
    ...found.filter(({ match }) => match === undefined).map(({ text }) => text),
    ...counter_examples.filter((text) => !rejected.includes(text))
  ]
  return { matched, rejected, missed }
}

/** Escapes a text, so that a pattern matches it literally. */
export const quote = (text: string): string => RE2JS.quote(text)

/** Returns a pattern that matches what any of the patterns matches: `a`, `b` → `(?:a|b)`. */
export const anyOf = (patterns: readonly string[]): string => {
  const different = [...new Set(patterns)]
  return different.length === 1 ? (different[0] ?? '') : `(?:${different.join('|')})`
}

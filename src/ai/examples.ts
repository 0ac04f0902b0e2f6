import { anyOf, KINDS, prove, quote } from './pattern.ts'

/** Characters that separate the parts of a text. */
const SEPARATORS = /([/?&=#.:@\s_-]+)/

/** Patterns that a part of all examples may be generalised to, the narrowest first. */
const PARTS = ['[0-9]+', '[a-z]+', '[A-Za-z]+', '[a-z0-9]+', '[A-Za-z0-9]+', String.raw`[^/?#\s]+`]

/** Kinds of text that are tried on the whole examples. */
const WHOLE = ['uuid', 'email', 'version', 'date', 'number', 'url'] as const

/**
 * Returns patterns that match all examples, in the order in which to try them: the kinds of text
 * that fit all examples, a pattern of their common parts, and a list of the examples themselves.
 * Empty without examples.
 */
export function generalise(examples: string[]): string[] {
  const [first, ...others] = examples
  if (first === undefined) {
    return []
  }
  const kinds = WHOLE.flatMap((kind) => KINDS[kind].map((pattern) => `^${pattern}$`)).filter(
    (pattern) => isProven(pattern, examples)
  )
  const parts = others.length > 0 ? alignParts(examples) : undefined
  return [...kinds, ...(parts ? [parts] : []), `^${anyOf(examples.map(quote))}$`]
}

/**
 * Generalises the parts in which examples differ; undefined if they have different numbers of parts.
 * `/orders/12/edit`, `/orders/7/edit` → `^/orders/[0-9]+/edit$`
 */
function alignParts(examples: string[]): string | undefined {
  const uuid = new RegExp(`(${KINDS.uuid[0]})`)
  const rows = examples.map((text) =>
    text.split(uuid).flatMap((piece, i) => (i % 2 === 1 ? [piece] : piece.split(SEPARATORS)))
  )
  const [first = []] = rows
  if (rows.some((row) => row.length !== first.length)) {
    return undefined
  }
  const columns = first.map((_, i) => rows.map((row) => row[i] ?? ''))
  const patterns = columns.map(generaliseColumn)
  return patterns.every((pattern) => pattern !== undefined) ? `^${patterns.join('')}$` : undefined
}

function generaliseColumn(texts: string[]): string | undefined {
  const [first = ''] = texts
  if (texts.every((text) => text === first)) {
    return quote(first)
  }
  return [KINDS.uuid[0], ...PARTS].find((pattern) => isProven(`^${pattern}$`, texts))
}

const isProven = (pattern: string, examples: string[]): boolean =>
  prove(pattern, { examples, counter_examples: [] })?.missed.length === 0

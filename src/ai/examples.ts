import { anyOf, KINDS, prove, quote } from './pattern.ts'

/** Separators between the parts of a text, in a group so that `split` keeps them. */
const SEPARATORS = /([/?&=#.:@\s_-]+)/

/** A UUID in a text, in a group for the same reason. */
const UUID = new RegExp(`(${KINDS.uuid[0]})`)

/** Patterns for a part that differs between the examples, the narrowest first. */
const PARTS = ['[0-9]+', '[a-z]+', '[A-Za-z]+', '[a-z0-9]+', '[A-Za-z0-9]+', String.raw`[^/?#\s]+`]

/** Kinds of text that whole examples may be, in the order in which their patterns are tried. */
const WHOLE = ['uuid', 'email', 'date', 'number', 'version', 'url'] as const

/**
 * Returns patterns that match all examples, in the order in which to try them: the kinds of text
 * that fit, a pattern that generalises the parts of several examples, and a list of the examples
 * themselves. Returns no pattern without examples.
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
 * Writes a pattern that generalises the parts in which examples differ. Returns undefined if the
 * examples have different numbers of parts, or no pattern fits a part in all of them.
 *
 * `/orders/12/edit`, `/orders/7/edit` → `^/orders/[0-9]+/edit$`
 */
function alignParts(examples: string[]): string | undefined {
  const rows = examples.map(splitParts)
  const [first = []] = rows
  if (rows.some((row) => row.length !== first.length)) {
    return undefined
  }
  const columns = first.map((_, i) => rows.map((row) => row[i] ?? ''))
  const patterns = columns.map(generaliseColumn)
  return patterns.every((pattern) => pattern !== undefined) ? `^${patterns.join('')}$` : undefined
}

/**
 * Splits a text into parts and the separators between them. A UUID is one part.
 *
 * `/orders/12` → `['', '/', 'orders', '/', '12']`
 */
function splitParts(text: string): string[] {
  return text.split(UUID).flatMap((piece, i) => {
    // Every second piece is the text of the group.
    const isUuid = i % 2 === 1
    return isUuid ? [piece] : piece.split(SEPARATORS)
  })
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

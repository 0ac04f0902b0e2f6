/** A word or phrase of a text: `value` is its meaning, `text` the original. */
export type Word<T> = { value: T; text: string }

/**
 * A pattern and the meaning of its matches. The pattern must be sticky, must not match an empty
 * text, and must not end inside a word.
 */
export type Rule<T> = readonly [pattern: RegExp, meaning: (match: RegExpExecArray) => T]

/**
 * Compiles a pattern that ignores case and ends at the end of a word. A space stands for any white
 * space, ` ?` for optional white space.
 */
export const phrase = (source: string): RegExp =>
  new RegExp(
    `(?:${source.replaceAll(/ (\??)/g, (_, maybe) => (maybe ? '\\s*' : '\\s+'))})(?=[,;:!?.)]*(?:\\s|$))`,
    'iuy'
  )

/** A text in quotes. An apostrophe inside a word is not a quote. */
export const QUOTED = /"([^"]+)"|“([^”]+)”|`([^`]+)`|'([^']+)'(?![\p{L}\p{N}])/uy

/** Returns the text inside the quotes of a match of `QUOTED`. */
export const quotedText = (match: RegExpExecArray): string =>
  match.slice(1).find((text) => text !== undefined) ?? ''

/** Lists words that were not understood, at most ten: `"a", "b"`. */
export const listUnknown = (words: string[]): string =>
  [...new Set(words)]
    .slice(0, 10)
    .map((word) => `"${word.slice(0, 50)}"`)
    .join(', ')

/** Matches a word up to the next white space, without punctuation at its end. */
const WORD = /\S+?(?=[,;:!?.)]*(?:\s|$))/uy
/** Matches white space and punctuation after a word, except commas and parentheses. */
const BETWEEN = /\s+|[;:!?.]+(?=\s|$)/uy

/**
 * Splits a text into words and phrases from left to right. At each position, the first matching
 * rule gives the value; if no rule matches, `word` gives the value of the next word.
 */
export function readWords<T>(
  text: string,
  rules: readonly Rule<T>[],
  word: (text: string) => T
): Word<T>[] {
  const words: Word<T>[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) {
      at += match[0].length
    }
    return match
  }
  const all: Rule<T>[] = [...rules, [WORD, ([found]) => word(found)]]
  const readNext = (): T => {
    for (const [pattern, meaning] of all) {
      const match = take(pattern)
      if (match) {
        return meaning(match)
      }
    }
    // Cannot happen: WORD matches wherever BETWEEN does not.
    throw new Error('Neither a rule nor WORD matches.')
  }
  while (at < text.length) {
    if (!take(BETWEEN)) {
      const start = at
      const value = readNext()
      words.push({ value, text: text.slice(start, at) })
    }
  }
  return words
}

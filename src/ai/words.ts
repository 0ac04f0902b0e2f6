/** A piece of what somebody wrote: `value` is what its rule made of it, `text` how it stood there. */
export type Word<T> = { value: T; text: string }

/** What a piece of text means; the pattern is sticky, and what it matches ends where a word ends. */
export type Rule<T> = readonly [pattern: RegExp, meaning: (match: RegExpExecArray) => T]

/** A phrase in any case, as the pattern of a rule: a space (or ` ?`, none) stands for any, and it ends where a word ends. */
export const phrase = (source: string): RegExp =>
  new RegExp(
    `(?:${source.replaceAll(/ (\??)/g, (_, maybe) => (maybe ? '\\s*' : '\\s+'))})(?=[,;:!?.)]*(?:\\s|$))`,
    'iuy'
  )

/** Something in quotes; an apostrophe inside a word is none. */
export const QUOTED = /"([^"]+)"|“([^”]+)”|`([^`]+)`|'([^']+)'(?![\p{L}\p{N}])/uy

export const quotedText = (match: RegExpExecArray): string =>
  match.slice(1).find((text) => text !== undefined) ?? ''

/** Words that were not understood, as an answer names them. */
export const listUnknown = (words: string[]): string =>
  [...new Set(words)]
    .slice(0, 10)
    .map((word) => `"${word.slice(0, 50)}"`)
    .join(', ')

/** Up to the next space, without the marks that end a clause or a list. */
const WORD = /\S+?(?=[,;:!?.)]*(?:\s|$))/uy
const BETWEEN = /\s+|[;:!?.]+(?=\s|$)/uy

/** Reads a text from left to right: at each place the first rule that fits counts, else it is a word as it stands. */
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
  while (at < text.length) {
    if (take(BETWEEN)) {
      continue
    }
    const start = at
    let value: T | undefined
    for (const [pattern, meaning] of rules) {
      const match = take(pattern)
      if (!match) {
        continue
      }
      value = meaning(match)
      break
    }
    if (value === undefined) {
      value = word(take(WORD)?.[0] ?? text.slice(at, ++at))
    }
    words.push({ value, text: text.slice(start, at) })
  }
  return words
}

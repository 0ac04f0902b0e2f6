import type { Value } from './cells.ts'

/** A letter for each known value. */
export const LETTERS = 'abcdefghijklmnop'
/** Such a share of the events is nearly all of them. */
const MOST = 0.9
/** Stands for a value that is too long to be spelled. */
export const TOO_LONG = '!'

/** Values, by their JSON, that have a letter each; and whether hardly any event has another one. */
export type Known = { values: readonly string[]; areMost: boolean }

/**
 * How often each value is in a spelling of events, by its JSON: a letter for each event with a known value, and else the
 * JSON on a line of its own, which has no newline itself. Undefined when one is too long.
 */
export function countSpelled(
  spelled: string,
  known: readonly string[]
): Map<string, number> | undefined {
  const counts = new Map<string, number>()
  const add = (json: string, count: number) => counts.set(json, (counts.get(json) ?? 0) + count)
  const ofLetters = new Array<number>(known.length).fill(0)
  for (const [i, piece] of spelled.split('\n').entries()) {
    if (i % 2 === 1) {
      add(piece, 1)
    } else {
      for (let at = 0; at < piece.length; at += 1) {
        const letter = piece.charCodeAt(at) - LETTERS.charCodeAt(0)
        if (letter < 0) {
          return undefined
        }
        ofLetters[letter] = (ofLetters[letter] ?? 0) + 1
      }
    }
  }
  for (const [letter, count] of ofLetters.entries()) {
    if (count > 0) {
      add(known[letter] ?? '', count)
    }
  }
  return counts
}

/** The values that are most frequent, as many as there are letters. */
export function findFrequent(several: readonly ReadonlyMap<string, number>[]): Known {
  const counts = new Map<string, number>()
  for (const one of several) {
    for (const [json, count] of one) {
      counts.set(json, (counts.get(json) ?? 0) + count)
    }
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  const total = (some: typeof sorted) => some.reduce((sum, [, count]) => sum + count, 0)
  const frequent = sorted.slice(0, LETTERS.length)
  return {
    values: frequent.map(([json]) => json),
    areMost: total(frequent) >= MOST * total(sorted)
  }
}

/** The value that has this JSON; an empty text is none. */
export function toValue(json: Value): Value {
  if (json === 'null' || !json) {
    return null
  }
  return json.startsWith('"') ? String(JSON.parse(json)) || null : json
}

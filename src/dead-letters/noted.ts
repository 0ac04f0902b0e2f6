import { sha256 } from '../hash.ts'

const PREFIX = 'dead_letter_'

/**
 * Returns the member of an erasure's `stores` for the events or parts of one dead letter. A member for
 * each dead letter makes the total exact however often a purge is interrupted and repeated.
 */
export const memberOf = (letter: string): string => `${PREFIX}${sha256(letter).slice(0, 16)}`

/** Returns an erasure's `stores` with the sum of all dead letters in place of the single ones. */
export function sumDeadLetters(stores: Record<string, number>): Record<string, number> {
  const all = Object.entries(stores)
  const letters = all.filter(([store]) => store.startsWith(PREFIX))
  const rest = Object.fromEntries(all.filter(([store]) => !store.startsWith(PREFIX)))
  if (letters.length === 0) {
    return rest
  }
  const sum = letters.reduce((total, [, count]) => total + count, rest.dead_letters ?? 0)
  return { ...rest, dead_letters: sum }
}

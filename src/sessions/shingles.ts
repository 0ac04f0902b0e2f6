import { weightOf } from './similarity.ts'

/** Shingles stored per session. */
const KEPT = 6
/**
 * Least weight of a step that counts. Lighter steps occur in every session and do not distinguish
 * sessions.
 */
const MIN_WEIGHT = 0.5

/**
 * Returns the shingles by which similar sessions are found: the `limit` lowest hashes of pairs of
 * steps (bottom-k MinHash). The second step of a pair is at most `reach` steps after the first. A
 * session is stored under six pairs of consecutive steps. A search uses more pairs and a longer
 * reach, because steps that are consecutive in one session may be a step or two apart in another.
 */
export function shinglesOf(steps: readonly string[], limit = KEPT, reach = 1): number[] {
  const distinctive = steps.filter((step) => weightOf(step) >= MIN_WEIGHT)
  const pairs = distinctive.flatMap((step, i) =>
    distinctive.slice(i + 1, i + 1 + reach).map((later) => hash(`${step}\0${later}`))
  )
  return [...new Set(pairs)].sort((a, b) => a - b).slice(0, limit)
}

/** Hashes a text to 32 bits: FNV-1a, finished with the mixing steps of MurmurHash3. */
function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(i), 0x01000193)
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

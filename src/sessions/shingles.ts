import { weightOf } from './similarity.ts'

/** So many a session is kept under. */
const KEPT = 6
/** Steps that every session has tell none from another. */
const MIN_WEIGHT = 0.5

/**
 * By what a sequence of steps is found: of its pairs of telling steps, the second at most `reach` steps after the first,
 * those with the lowest hashes (bottom-k MinHash). A session is kept under six pairs of steps that follow each other, and
 * looked for by more: what is low for one is low for all, and what follows in one may come a step or two later in the other.
 */
export function shinglesOf(steps: readonly string[], limit = KEPT, reach = 1): number[] {
  const telling = steps.filter((step) => weightOf(step) >= MIN_WEIGHT)
  const pairs = telling.flatMap((step, i) =>
    telling.slice(i + 1, i + 1 + reach).map((later) => hash(`${step}\0${later}`))
  )
  return [...new Set(pairs)].sort((a, b) => a - b).slice(0, limit)
}

/** 32 bits: FNV-1a, mixed as MurmurHash3 does at its end. */
function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(i), 0x01000193)
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

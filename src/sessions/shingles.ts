import { weightOf } from './similarity.ts'

const MAX_SHINGLES = 6
/** Steps that every session has tell none from another. */
const MIN_WEIGHT = 0.5

/**
 * By what a sequence of steps is found: of its pairs of telling steps that follow each other, the six with the lowest
 * hashes (bottom-k MinHash). Of the pairs that two sequences share, about the same portion is among the six of both.
 */
export function shinglesOf(steps: readonly string[]): number[] {
  const telling = steps.filter((step) => weightOf(step) >= MIN_WEIGHT)
  const pairs = telling.slice(1).map((step, i) => hash(`${telling[i]}\0${step}`))
  return [...new Set(pairs)].sort((a, b) => a - b).slice(0, MAX_SHINGLES)
}

/** 32 bits: FNV-1a, mixed as MurmurHash3 does at its end. */
function hash(text: string): number {
  let bits = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) bits = Math.imul(bits ^ text.charCodeAt(i), 0x01000193)
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

import { byteLength, isSame, type Json } from '../input/json.ts'

/**
 * A write of one property. `once` writes a value only if there is none; a `seed` is a `once` that
 * the server derives from an event.
 */
export type Write = { key: string; stamp: Stamp } & (
  | { kind: 'set' | 'once' | 'seed'; value: Json }
  | { kind: 'unset' }
)

/** The time of a write, ms UTC. `id` orders writes of the same time. */
export type Stamp = { at: number; id: string }

/** When the request of a write was received, ms UTC, and the write's place in it, from 0. */
export type WriteOrigin = { receivedAt: number; position?: number | undefined; uuid: string }

/**
 * Returns the stamp of a write at `at`, ms UTC. Of two writes at the same time, the one in the
 * later request is later; in one request, the one at the later place; then the one with the higher
 * uuid. The place is left out if it is 0: `0mzl8xq2o.0192…` is before `0mzl8xq2o001.0192…`.
 */
export function stampAt(at: number, { receivedAt, position = 0, uuid }: WriteOrigin): Stamp {
  const place = position === 0 ? '' : position.toString(36).padStart(3, '0')
  return { at, id: `${receivedAt.toString(36).padStart(9, '0')}${place}.${uuid}` }
}

/** A value that may be shown; `bytes` is the length of its JSON. */
export type Candidate = { stamp: Stamp; value: Json; bytes: number }

/**
 * The writes of one property that decide its value, independent of the order in which they arrive,
 * unless `once` writes were dropped: see `MAX_ONCE`.
 *
 * The latest `set` or `unset` wins. If there is none, or after an `unset`, the earliest later
 * `once` wins. A null, also from a `set`, gives way to the value of a later `once`. Only the
 * earliest seed is kept; it counts as a `once`, but only as long as there has been no `set` and no
 * `unset`.
 */
export type Register = {
  /** The latest `set`; `value` is undefined after an `unset`. */
  set?: { stamp: Stamp; value: Json | undefined; bytes: number }
  /** The `once` writes later than `set`, oldest first, at most `MAX_ONCE`. */
  once: Candidate[]
  seed?: Candidate
}

/**
 * Maximum number of `once` writes kept per key. If there are more, a write is dropped when the
 * writes before and after it have the same value; if that is not enough, only the first seven and
 * the last are kept.
 */
const MAX_ONCE = 8

/** Compares two stamps for sorting; the later stamp is greater. */
export function compareStamps(a: Stamp, b: Stamp): number {
  if (a.at !== b.at) {
    return a.at - b.at
  }
  if (a.id === b.id) {
    return 0
  }
  return a.id < b.id ? -1 : 1
}

/** Applies a write to a register, in place. @returns whether the register changed */
export function applyWrite(register: Register, write: Write): boolean {
  const { stamp } = write
  if (write.kind === 'seed') {
    if (register.seed && compareStamps(stamp, register.seed.stamp) >= 0) {
      return false
    }
    register.seed = candidateOf(stamp, write.value)
    return true
  }
  if (register.set && compareStamps(stamp, register.set.stamp) < 0) {
    return false
  }
  if (write.kind === 'once') {
    const before = register.once
    register.once = prune([...before, candidateOf(stamp, write.value)], register.set?.stamp)
    return (
      register.once.length !== before.length ||
      register.once.some((candidate, i) => candidate !== before[i])
    )
  }
  register.set =
    write.kind === 'set' ? candidateOf(stamp, write.value) : { stamp, value: undefined, bytes: 0 }
  register.once = prune(register.once, stamp)
  return true
}

/**
 * Merges the registers of one property when two persons are merged: the result is the same as if
 * all writes had been those of one person.
 */
export function mergeRegisters(target: Register, source: Register): Register {
  const merged = { ...target }
  if (source.set && (!target.set || compareStamps(source.set.stamp, target.set.stamp) > 0)) {
    merged.set = source.set
  }
  if (source.seed && (!target.seed || compareStamps(source.seed.stamp, target.seed.stamp) < 0)) {
    merged.seed = source.seed
  }
  merged.once = prune([...target.once, ...source.once], merged.set?.stamp)
  return merged
}

/** Returns at most `MAX_ONCE` candidates later than `after`, oldest first. */
function prune(candidates: Candidate[], after: Stamp | undefined): Candidate[] {
  const later = candidates.filter(({ stamp }) => !after || compareStamps(stamp, after) > 0)
  const sorted = later.sort((a, b) => compareStamps(a.stamp, b.stamp))
  if (sorted.length <= MAX_ONCE) {
    return sorted
  }
  const isRepeated = (value: Json, i: number): boolean =>
    i > 0 && isSame(value, sorted[i - 1]?.value) && isSame(value, sorted[i + 1]?.value)
  const kept = sorted.filter(({ value }, i) => !isRepeated(value, i))
  return kept.length <= MAX_ONCE ? kept : [...kept.slice(0, MAX_ONCE - 1), ...kept.slice(-1)]
}

/** Returns a value as a candidate, with its size. */
export const candidateOf = (stamp: Stamp, value: Json): Candidate => ({
  stamp,
  value,
  bytes: byteLength(JSON.stringify(value))
})

/** Returns the candidate whose value is shown, or undefined. */
export function shownCandidate({ set, once, seed }: Register): Candidate | undefined {
  const own = set?.value === undefined ? undefined : { ...set, value: set.value }
  if (own && own.value !== null) {
    return own
  }
  // A seed never comes back after a `set` or an `unset`.
  const isSeedShown = seed !== undefined && set === undefined
  const candidates = isSeedShown
    ? [...once, seed].sort((a, b) => compareStamps(a.stamp, b.stamp))
    : once
  return candidates.find(({ value }) => value !== null) ?? candidates[0] ?? own
}

/**
 * Bytes of JSON: `shown` for the shown values; `writes` for the stored writes, which refer to
 * stamps in a list by their numbers. `writes` is an upper bound: each number counts as five digits.
 */
export type Bytes = { shown: number; writes: number }

/** Digits of a stored stamp's number; a person has room for fewer than 100,000 stamps. */
const REFERENCE_DIGITS = 5

/** Returns the bytes that a stamp takes in the list of stamps: its text, two quotes and a comma. */
export const sizeOfStamp = (text: string): number => text.length + 3

/** Returns the stamps of all writes that a register keeps. */
export const stampsOf = ({ set, once, seed }: Register): Stamp[] =>
  [...once, ...(set ? [set] : []), ...(seed ? [seed] : [])].map(({ stamp }) => stamp)

/** Returns the stored form of a stamp: `1759399872345:0mgxq2o00.0199…`. */
export const textOfStamp = ({ at, id }: Stamp): string => `${at}:${id}`

/** Returns the bytes of a key in the JSON of properties and writes, without its stamps. */
export function sizeOf(key: string, register: Register): Bytes {
  const visible = shownCandidate(register)
  // A colon and a comma.
  const name = byteLength(JSON.stringify(key)) + 2
  // Two brackets, a comma and the stamp's number; the value and its comma only if it is not the
  // shown value.
  const entry = ({ value, bytes }: Candidate) =>
    3 + REFERENCE_DIGITS + (isSame(value, visible?.value) ? 0 : bytes + 1)
  const { set, once, seed } = register
  // An `unset` is stored as `gone`. A `set` is counted like it, although its name is shorter.
  const own = set ? '"gone":,'.length + entry({ ...set, value: set.value ?? null }) : 0
  const seeded = seed ? '"seed":,'.length + entry(seed) : 0
  const all = once.reduce((sum, candidate) => sum + entry(candidate), '"once":[],'.length)
  return {
    shown: visible ? name + visible.bytes : 0,
    writes: name + '{}'.length + own + seeded + (once.length > 0 ? all : 0)
  }
}

import { byteLength, isSame, type Json, type JsonObject } from '../input/json.ts'

/**
 * A person's properties as the result of a set of writes, independent of the order in which the
 * writes arrive.
 *
 * For each key, the latest `set` or `unset` wins. If there is none, or after an `unset`, the
 * earliest later `once` wins; a null gives way to a value. A `seed` is a `once` that the server
 * derives from an event; only the earliest seed is kept, and it never comes back after an explicit
 * `unset`.
 */
export type PersonProperties = {
  shown: Map<string, Json>
  registers: Map<string, Register>
  /** Number of candidates per stamp, by the stamp's text. */
  stamps: Map<string, number>
  bytes: Bytes
}

/**
 * Bytes of JSON: of the shown values, and an upper bound for the write times in any order of the
 * stamps.
 */
export type Bytes = { shown: number; writes: number }

export type Write = { key: string; stamp: Stamp } & (
  | { kind: 'set' | 'once' | 'seed'; value: Json }
  | { kind: 'unset' }
)

/** The time of a write (ms). `id`, the event's position in its request and its uuid, orders writes of the same time. */
export type Stamp = { at: number; id: string }

/** A value that may be shown; `bytes` is the length of its JSON. */
type Candidate = { stamp: Stamp; value: Json; bytes: number }
type Register = {
  /** The latest `set`; `value` is undefined after an `unset`. */
  set?: { stamp: Stamp; value: Json | undefined; bytes: number }
  /** Every `once` later than `set`, oldest first. */
  once: Candidate[]
  seed?: Candidate
}

/** The effect of writes on properties, which stay as they are until `commitDraft`. */
export type Draft = {
  /** The registers that change, and the value that each shows afterwards. */
  registers: Map<string, { register: Register; shown: Json | undefined }>
  /** Changes in the number of candidates per stamp. */
  stamps: Map<string, number>
  bytes: Bytes
  /** Whether anything has to be stored. */
  touched: boolean
  /** Whether the shown values change. */
  changed: boolean
}

/**
 * Most `once` writes kept per key. Beyond it, repeated values are dropped first, then writes in the
 * middle.
 */
const MAX_ONCE = 8

export const emptyProperties = (): PersonProperties => ({
  shown: new Map(),
  registers: new Map(),
  stamps: new Map(),
  bytes: { shown: 2, writes: 24 }
})

export const toObject = (properties: PersonProperties): JsonObject =>
  Object.fromEntries(properties.shown)

/** Drafts the effect of writes, in time proportional to the writes, not to the properties. */
export function draftWrites(properties: PersonProperties, writes: Iterable<Write>): Draft {
  const drafts = new Map<string, Register>()
  for (const write of writes) {
    const register = drafts.get(write.key) ?? { ...registerOf(properties, write.key) }
    if (applyWrite(register, write)) {
      drafts.set(write.key, register)
    }
  }
  return draftOf(properties, drafts)
}

/**
 * Drafts a merge of `source` into `target`. For each key the later write wins; at the same time,
 * the target's.
 */
export function draftMerge(target: PersonProperties, source: PersonProperties): Draft {
  const drafts = new Map<string, Register>()
  for (const [key, theirs] of source.registers) {
    const register = { ...registerOf(target, key) }
    if (theirs.set && (!register.set || theirs.set.stamp.at > register.set.stamp.at)) {
      register.set = theirs.set
    }
    if (theirs.seed && (!register.seed || theirs.seed.stamp.at < register.seed.stamp.at)) {
      register.seed = theirs.seed
    }
    register.once = prune([...register.once, ...theirs.once], register.set?.stamp)
    drafts.set(key, register)
  }
  return draftOf(target, drafts)
}

function draftOf(properties: PersonProperties, drafts: Map<string, Register>): Draft {
  const registers: Draft['registers'] = new Map()
  const stamps = new Map<string, number>()
  const bytes = { ...properties.bytes }
  let changed = false
  for (const [key, register] of drafts) {
    const before = properties.registers.get(key)
    const shown = shownCandidate(register)?.value
    registers.set(key, { register, shown })
    changed ||= !isSame(properties.shown.get(key), shown)

    const [own, former] = [sizeOf(key, register), before ? sizeOf(key, before) : NOTHING]
    bytes.shown += own.shown - former.shown
    bytes.writes += own.writes - former.writes
    for (const stamp of stampsOf(register)) {
      stamps.set(stamp, (stamps.get(stamp) ?? 0) + 1)
    }
    for (const stamp of before ? stampsOf(before) : []) {
      stamps.set(stamp, (stamps.get(stamp) ?? 0) - 1)
    }
  }
  for (const [stamp, difference] of stamps) {
    const former = properties.stamps.get(stamp) ?? 0
    bytes.writes += (Number(former + difference > 0) - Number(former > 0)) * sizeOfStamp(stamp)
  }
  return { registers, stamps, bytes, touched: drafts.size > 0, changed }
}

/** Applies a draft to its properties, in place. */
export function commitDraft(properties: PersonProperties, draft: Draft): void {
  for (const [key, { register, shown }] of draft.registers) {
    properties.registers.set(key, register)
    if (shown === undefined) {
      properties.shown.delete(key)
    } else if (!isSame(properties.shown.get(key), shown)) {
      properties.shown.set(key, shown)
    }
  }
  for (const [stamp, difference] of draft.stamps) {
    const count = (properties.stamps.get(stamp) ?? 0) + difference
    if (count > 0) {
      properties.stamps.set(stamp, count)
    } else {
      properties.stamps.delete(stamp)
    }
  }
  properties.bytes = draft.bytes
}

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

/** Returns the earliest time from `now` on, ms, that is later than all known writes of a key. */
export function nextWriteTime({ registers }: PersonProperties, key: string, now: number): number {
  const { set, once = [], seed } = registers.get(key) ?? {}
  const known = [...once, ...(set ? [set] : []), ...(seed ? [seed] : [])]
  return Math.max(now, ...known.map(({ stamp }) => stamp.at + 1))
}

const registerOf = (properties: PersonProperties, key: string): Register =>
  properties.registers.get(key) ?? { once: [] }

/** Applies a write to a register, in place. @returns whether the register changed */
function applyWrite(register: Register, write: Write): boolean {
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

function prune(candidates: Candidate[], after: Stamp | undefined): Candidate[] {
  const later = candidates.filter(({ stamp }) => !after || compareStamps(stamp, after) > 0)
  const sorted = later.sort((a, b) => compareStamps(a.stamp, b.stamp))
  if (sorted.length <= MAX_ONCE) {
    return sorted
  }
  const ends = sorted.filter(
    ({ value }, i) =>
      !(i > 0 && isSame(value, sorted[i - 1]?.value) && isSame(value, sorted[i + 1]?.value))
  )
  return ends.length <= MAX_ONCE ? ends : [...ends.slice(0, MAX_ONCE - 1), ...ends.slice(-1)]
}

const candidateOf = (stamp: Stamp, value: Json): Candidate => ({
  stamp,
  value,
  bytes: byteLength(JSON.stringify(value))
})

/** Returns when the value that a property shows was written, ms; undefined if it shows none. */
export const writtenAt = (properties: PersonProperties, key: string): number | undefined =>
  shownCandidate(registerOf(properties, key))?.stamp.at

/** Returns the candidate whose value is shown, or undefined. */
function shownCandidate({ set, once, seed }: Register): Candidate | undefined {
  const own = set?.value === undefined ? undefined : { ...set, value: set.value }
  if (own && own.value !== null) {
    return own
  }
  const candidates =
    set || !seed ? once : [...once, seed].sort((a, b) => compareStamps(a.stamp, b.stamp))
  return candidates.find(({ value }) => value !== null) ?? candidates[0] ?? own
}

const NOTHING: Bytes = { shown: 0, writes: 0 }

/** Digits of a stamp's number in the stored form; a person has room for fewer than 100,000 stamps. */
const REFERENCE_DIGITS = 5

const sizeOfStamp = (text: string): number => text.length + 3

const stampsOf = ({ set, once, seed }: Register): string[] =>
  [...once, ...(set ? [set] : []), ...(seed ? [seed] : [])].map(({ stamp }) => textOfStamp(stamp))

const textOfStamp = ({ at, id }: Stamp): string => `${at}:${id}`

/** Returns the bytes that a key takes in the JSON of the properties and of the write times, not counting the stamps. */
function sizeOf(key: string, register: Register): Bytes {
  const visible = shownCandidate(register)
  const name = byteLength(JSON.stringify(key)) + 2
  const entry = ({ value, bytes }: Candidate) =>
    3 + REFERENCE_DIGITS + (isSame(value, visible?.value) ? 0 : bytes + 1)
  const { set, once, seed } = register
  const own = set ? '"gone":,'.length + entry({ ...set, value: set.value ?? null }) : 0
  const seeded = seed ? '"seed":,'.length + entry(seed) : 0
  const all = once.reduce((sum, candidate) => sum + entry(candidate), '"once":[],'.length)
  return {
    shown: visible ? name + visible.bytes : 0,
    writes: name + '{}'.length + own + seeded + (once.length > 0 ? all : 0)
  }
}

/*
 * The stored form lists every stamp once and refers to it by number. A value that the properties show is not repeated:
 * `{ "stamps": ["1759399872345:0:0199…"], "keys": { "plan": { "set": [0], "once": [[0, "free"]] } } }`
 */
type Entry = [stamp: number] | [stamp: number, value: Json]
type StoredRegister = { set?: Entry; gone?: number; once?: Entry[]; seed?: Entry }
export type StoredWrites = { stamps: string[]; keys: Record<string, StoredRegister> }

/** Encodes the write times of properties for storage. */
export function encodeWrites({ shown, registers }: PersonProperties): StoredWrites {
  const stamps = new Map<string, number>()
  const number = (stamp: Stamp): number => {
    const text = textOfStamp(stamp)
    const known = stamps.get(text)
    if (known !== undefined) {
      return known
    }
    const next = stamps.size
    stamps.set(text, next)
    return next
  }
  const keys = [...registers].map(([key, { set, once, seed }]): [string, StoredRegister] => {
    const visible = shown.get(key)
    const entry = ({ stamp, value }: Omit<Candidate, 'bytes'>): Entry =>
      isSame(value, visible) ? [number(stamp)] : [number(stamp), value]
    return [
      key,
      {
        ...(set &&
          (set.value === undefined
            ? { gone: number(set.stamp) }
            : { set: entry({ ...set, value: set.value }) })),
        ...(once.length > 0 && { once: once.map(entry) }),
        ...(seed && { seed: entry(seed) })
      }
    ]
  })
  return { stamps: [...stamps.keys()], keys: Object.fromEntries(keys) }
}

/** Decodes stored properties and their write times. */
export function decodeWrites(shown: JsonObject, { stamps, keys }: StoredWrites): PersonProperties {
  const decoded = stamps.map((text): Stamp => {
    const colon = text.indexOf(':')
    return { at: Number(text.slice(0, colon)), id: text.slice(colon + 1) }
  })
  const stamp = (index: number): Stamp => decoded[index] ?? { at: 0, id: '' }
  const registers = Object.entries(keys).map(
    ([key, { set, gone, once, seed }]): [string, Register] => {
      const visible = Object.hasOwn(shown, key) ? (shown[key] ?? null) : null
      const candidate = ([index, ...value]: Entry): Candidate =>
        candidateOf(stamp(index), value.length > 0 ? (value[0] as Json) : visible)
      return [
        key,
        {
          ...(set && { set: candidate(set) }),
          ...(gone !== undefined && { set: { stamp: stamp(gone), value: undefined, bytes: 0 } }),
          once: once?.map(candidate) ?? [],
          ...(seed && { seed: candidate(seed) })
        }
      ]
    }
  )
  const properties = emptyProperties()
  commitDraft(properties, draftOf(properties, new Map(registers)))
  const bytes = { ...properties.bytes, shown: byteLength(JSON.stringify(shown)) + 1 }
  return { ...properties, shown: new Map(Object.entries(shown)), bytes }
}

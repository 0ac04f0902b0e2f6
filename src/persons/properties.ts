import { isSame, type Json, type JsonObject } from '../json.ts'

/**
 * A person's properties as the outcome of a set of writes, whatever the order in which the writes arrive.
 *
 * Per key: the latest `set` or `unset` counts. Without one, or after an `unset`, the earliest `once` that is later than
 * it counts; a null gives way to a value. A `seed` is a `once` that the server derives from an event; only the earliest
 * is kept, and it never comes back after an explicit `unset`.
 */
export type PersonProperties = { shown: Map<string, Json>; registers: Map<string, Register> }

export type Write = { key: string; stamp: Stamp } & (
  | { kind: 'set' | 'once' | 'seed'; value: Json }
  | { kind: 'unset' }
)

/** When a write was made (ms) and the uuid of its event, which orders writes of one millisecond. */
export type Stamp = { at: number; id: string }

type Candidate = { stamp: Stamp; value: Json }
type Register = {
  /** The latest `set`; `value` is undefined after an `unset`. */
  set?: { stamp: Stamp; value: Json | undefined }
  /** Every `once` later than `set`, oldest first. */
  once: Candidate[]
  seed?: Candidate
}

/** How many `once` writes of one key are told apart exactly; of more, repetitions go first, then the middle. */
const MAX_ONCE = 8

export const emptyProperties = (): PersonProperties => ({ shown: new Map(), registers: new Map() })

export const copyProperties = ({ shown, registers }: PersonProperties): PersonProperties => ({
  shown: new Map(shown),
  registers: new Map([...registers].map(([key, register]) => [key, { ...register }]))
})

export const toObject = (properties: PersonProperties): JsonObject =>
  Object.fromEntries(properties.shown)

/** Applies writes in place. `touched`: something has to be stored; `changed`: what the API shows is different. */
export function applyWrites(properties: PersonProperties, writes: Iterable<Write>) {
  const outcome = { touched: false, changed: false }
  for (const write of writes) {
    const register = registerOf(properties, write.key)
    if (!applyWrite(register, write)) {
      continue
    }
    outcome.touched = true
    if (show(properties, write.key, register)) {
      outcome.changed = true
    }
  }
  return outcome
}

/** Folds `source` into `target`, in place: per key the later write, the target's when both are of one millisecond. */
export function mergeProperties(
  target: PersonProperties,
  source: PersonProperties
): { changed: boolean } {
  let changed = false
  for (const [key, theirs] of source.registers) {
    const register = registerOf(target, key)
    if (theirs.set && (!register.set || theirs.set.stamp.at > register.set.stamp.at)) {
      register.set = theirs.set
    }
    if (theirs.seed && (!register.seed || theirs.seed.stamp.at < register.seed.stamp.at)) {
      register.seed = theirs.seed
    }
    register.once = prune([...register.once, ...theirs.once], register.set?.stamp)
    if (show(target, key, register)) {
      changed = true
    }
  }
  return { changed }
}

/** Later writes are greater. */
export function compareStamps(a: Stamp, b: Stamp): number {
  if (a.at !== b.at) {
    return a.at - b.at
  }
  if (a.id === b.id) {
    return 0
  }
  return a.id < b.id ? -1 : 1
}

/** The earliest time, ms, not before `now`, at which a write of the key comes after all that are known of it. */
export function nextWriteTime({ registers }: PersonProperties, key: string, now: number): number {
  const { set, once = [], seed } = registers.get(key) ?? {}
  const known = [...once, ...(set ? [set] : []), ...(seed ? [seed] : [])]
  return Math.max(now, ...known.map(({ stamp }) => stamp.at + 1))
}

const registerOf = (properties: PersonProperties, key: string): Register =>
  properties.registers.get(key) ?? { once: [] }

/** @returns whether the register is another one now */
function applyWrite(register: Register, write: Write): boolean {
  const { stamp } = write
  if (write.kind === 'seed') {
    if (register.seed && compareStamps(stamp, register.seed.stamp) >= 0) {
      return false
    }
    register.seed = { stamp, value: write.value }
    return true
  }
  if (register.set && compareStamps(stamp, register.set.stamp) < 0) {
    return false
  }
  if (write.kind === 'once') {
    const before = register.once
    register.once = prune([...before, { stamp, value: write.value }], register.set?.stamp)
    return (
      register.once.length !== before.length ||
      register.once.some((candidate, i) => candidate !== before[i])
    )
  }
  register.set = { stamp, value: write.kind === 'set' ? write.value : undefined }
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

/** Stores the register and what it shows. @returns whether that is different from before */
function show(properties: PersonProperties, key: string, register: Register): boolean {
  const before = properties.shown.get(key)
  const now = shownValue(register)
  properties.registers.set(key, register)
  if (now === undefined) {
    return properties.shown.delete(key)
  }
  if (isSame(before, now)) {
    return false
  }
  properties.shown.set(key, now)
  return true
}

function shownValue({ set, once, seed }: Register): Json | undefined {
  if (set?.value !== undefined && set.value !== null) {
    return set.value
  }
  const candidates =
    set || !seed ? once : [...once, seed].sort((a, b) => compareStamps(a.stamp, b.stamp))
  const first = candidates.find(({ value }) => value !== null) ?? candidates[0]
  return first ? first.value : set?.value
}

/*
 * Stored form: every stamp once, and per key the stamps' numbers; a value that the properties show is not repeated.
 */
type Entry = [stamp: number] | [stamp: number, value: Json]
type StoredRegister = { set?: Entry; gone?: number; once?: Entry[]; seed?: Entry }
export type StoredWrites = { stamps: string[]; keys: Record<string, StoredRegister> }

export function encodeWrites({ shown, registers }: PersonProperties): StoredWrites {
  const stamps = new Map<string, number>()
  const number = ({ at, id }: Stamp): number => {
    const text = `${at}:${id}`
    const known = stamps.get(text)
    if (known === undefined) {
      stamps.set(text, stamps.size)
    }
    return known ?? stamps.size - 1
  }
  const keys = [...registers].map(([key, { set, once, seed }]): [string, StoredRegister] => {
    const visible = shown.get(key)
    const entry = ({ stamp, value }: Candidate): Entry =>
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

export function decodeWrites(shown: JsonObject, { stamps, keys }: StoredWrites): PersonProperties {
  const decoded = stamps.map((text): Stamp => {
    const colon = text.indexOf(':')
    return { at: Number(text.slice(0, colon)), id: text.slice(colon + 1) }
  })
  const stamp = (index: number): Stamp => decoded[index] ?? { at: 0, id: '' }
  const registers = Object.entries(keys).map(
    ([key, { set, gone, once, seed }]): [string, Register] => {
      const candidate = ([index, ...value]: Entry): Candidate => ({
        stamp: stamp(index),
        value: value.length > 0 ? (value[0] as Json) : (shown[key] ?? null)
      })
      return [
        key,
        {
          ...(set && { set: candidate(set) }),
          ...(gone !== undefined && { set: { stamp: stamp(gone), value: undefined } }),
          once: once?.map(candidate) ?? [],
          ...(seed && { seed: candidate(seed) })
        }
      ]
    }
  )
  return { shown: new Map(Object.entries(shown)), registers: new Map(registers) }
}

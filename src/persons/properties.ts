import { isSame, type Json, type JsonObject } from '../input/json.ts'
import {
  applyWrite,
  type Bytes,
  mergeRegisters,
  type Register,
  shownCandidate,
  sizeOf,
  sizeOfStamp,
  stampsOf,
  textOfStamp,
  type Write
} from './last-write.ts'

/** A person's properties: the values that are shown, and the writes that decide them. */
export type PersonProperties = {
  shown: Map<string, Json>
  registers: Map<string, Register>
  /** Number of candidates per stamp, by the stamp's text. */
  stamps: Map<string, number>
  bytes: Bytes
}

/** The effect of writes on properties, which stay as they are until `commitDraft`. */
export type PropertiesDraft = {
  /** The registers to store in place of those of the same keys, and the values shown. */
  registers: Map<string, { register: Register; shown: Json | undefined }>
  /** Changes in the number of candidates per stamp. */
  stamps: Map<string, number>
  bytes: Bytes
  /** Whether there are registers to store. */
  touched: boolean
  /** Whether the shown values change. */
  changed: boolean
}

/** Returns no properties. They are stored as `{}`, and as `{"stamps":[],"keys":{}}`. */
export const emptyProperties = (): PersonProperties => ({
  shown: new Map(),
  registers: new Map(),
  stamps: new Map(),
  bytes: { shown: 2, writes: 23 }
})

/** Returns the properties with these registers. */
export function propertiesOf(registers: Map<string, Register>): PersonProperties {
  const properties = emptyProperties()
  commitDraft(properties, draftOf(properties, registers))
  return properties
}

/** Returns the properties as they are shown. */
export const toObject = (properties: PersonProperties): JsonObject =>
  Object.fromEntries(properties.shown)

const NOTHING: Bytes = { shown: 0, writes: 0 }

/** Drafts the effect of writes, in time proportional to the writes, not to the properties. */
export function draftWrites(
  properties: PersonProperties,
  writes: Iterable<Write>
): PropertiesDraft {
  const drafts = new Map<string, Register>()
  for (const write of writes) {
    const register = drafts.get(write.key) ?? { ...registerOf(properties, write.key) }
    if (applyWrite(register, write)) {
      drafts.set(write.key, register)
    }
  }
  return draftOf(properties, drafts)
}

/** Drafts a merge of `source` into `target`. */
export function draftMerge(target: PersonProperties, source: PersonProperties): PropertiesDraft {
  const drafts = new Map<string, Register>()
  for (const [key, register] of source.registers) {
    drafts.set(key, mergeRegisters(registerOf(target, key), register))
  }
  return draftOf(target, drafts)
}

/** Drafts a change of some registers. */
function draftOf(properties: PersonProperties, drafts: Map<string, Register>): PropertiesDraft {
  const registers: PropertiesDraft['registers'] = new Map()
  const stamps = new Map<string, number>()
  const bytes = { ...properties.bytes }
  let changed = false
  for (const [key, register] of drafts) {
    const before = properties.registers.get(key)
    const shown = shownCandidate(register)?.value
    registers.set(key, { register, shown })
    changed ||= !isSame(properties.shown.get(key), shown)

    const size = sizeOf(key, register)
    const sizeBefore = before ? sizeOf(key, before) : NOTHING
    bytes.shown += size.shown - sizeBefore.shown
    bytes.writes += size.writes - sizeBefore.writes
    addEach(stamps, register, 1)
    if (before) {
      addEach(stamps, before, -1)
    }
  }
  for (const [stamp, difference] of stamps) {
    const count = properties.stamps.get(stamp) ?? 0
    const isListed = Number(count + difference > 0)
    const wasListed = Number(count > 0)
    bytes.writes += (isListed - wasListed) * sizeOfStamp(stamp)
  }
  return { registers, stamps, bytes, touched: drafts.size > 0, changed }
}

/** Adds `difference` to the number of candidates of each stamp in a register. */
function addEach(stamps: Map<string, number>, register: Register, difference: number): void {
  for (const stamp of stampsOf(register)) {
    const text = textOfStamp(stamp)
    stamps.set(text, (stamps.get(text) ?? 0) + difference)
  }
}

/** Applies a draft to its properties, in place. */
export function commitDraft(properties: PersonProperties, draft: PropertiesDraft): void {
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

/**
 * Returns `now` or, if that is too early, the first whole millisecond that is at least 1 ms later
 * than all known writes of a key. Times of events may have a fraction: 1000.5 → 1002.
 */
export function nextWriteTime({ registers }: PersonProperties, key: string, now: number): number {
  const register = registers.get(key)
  const known = register ? stampsOf(register) : []
  return Math.max(now, ...known.map(({ at }) => Math.ceil(at + 1)))
}

const registerOf = (properties: PersonProperties, key: string): Register =>
  properties.registers.get(key) ?? { once: [] }

/** Returns when the value that a property shows was written, ms; undefined if it shows none. */
export const writtenAt = (properties: PersonProperties, key: string): number | undefined =>
  shownCandidate(registerOf(properties, key))?.stamp.at

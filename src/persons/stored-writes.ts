import { byteLength, isSame, type Json, type JsonObject } from '../input/json.ts'
import {
  type Candidate,
  candidateOf,
  type Register,
  type Stamp,
  textOfStamp
} from './last-write.ts'
import { type PersonProperties, propertiesOf } from './properties.ts'

/*
 * The stored form lists every stamp once and refers to it by number. A value that the properties
 * show is not repeated: `{ "stamps": ["1759399872345:0mgxq2o00.0199…"], "keys": { "plan": { "set": [0],
 * "once": [[0, "free"]] } } }`
 */
type Entry = [stamp: number] | [stamp: number, value: Json]
type StoredRegister = { set?: Entry; gone?: number; once?: Entry[]; seed?: Entry }
export type StoredWrites = { stamps: string[]; keys: Record<string, StoredRegister> }

/** Encodes the write times of properties for storage. */
export function encodeWrites({ shown, registers }: PersonProperties): StoredWrites {
  const stamps = new Map<string, number>()
  const numberOf = (stamp: Stamp): number => {
    const text = textOfStamp(stamp)
    const known = stamps.get(text)
    if (known !== undefined) {
      return known
    }
    const next = stamps.size
    stamps.set(text, next)
    return next
  }
  const keys = [...registers].map(([key, register]): [string, StoredRegister] => [
    key,
    encodeRegister(register, shown.get(key), numberOf)
  ])
  return { stamps: [...stamps.keys()], keys: Object.fromEntries(keys) }
}

function encodeRegister(
  { set, once, seed }: Register,
  visible: Json | undefined,
  numberOf: (stamp: Stamp) => number
): StoredRegister {
  const entry = (stamp: Stamp, value: Json): Entry =>
    isSame(value, visible) ? [numberOf(stamp)] : [numberOf(stamp), value]
  return {
    ...(set?.value !== undefined && { set: entry(set.stamp, set.value) }),
    ...(set && set.value === undefined && { gone: numberOf(set.stamp) }),
    ...(once.length > 0 && { once: once.map(({ stamp, value }) => entry(stamp, value)) }),
    ...(seed && { seed: entry(seed.stamp, seed.value) })
  }
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
  const properties = propertiesOf(new Map(registers))
  // `sizeOf` counts a comma for every key, which is one more than JSON has.
  const bytes = { ...properties.bytes, shown: byteLength(JSON.stringify(shown)) + 1 }
  return { ...properties, shown: new Map(Object.entries(shown)), bytes }
}

import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { fromBase64, toBase64 } from '../input/base64.ts'
import type { Json } from '../input/json.ts'
import type { Codes, Column } from './column.ts'

/*
 * Columns as text: D1 returns a blob as a list of numbers, which takes longer to read than base64
 * takes to decode. Numbers are little-endian, as in the memory of every machine that runs this.
 *
 * Each text begins with a checksum: the CRC-32 of the text's place (`places.ts`) and of its
 * content, as eight hexadecimal digits. It takes 0.1 ns per byte of numbers, 0.5 ns per character
 * of values, and 1.4 ns if there are characters beyond Latin-1; D1 takes about 9 ns to return a
 * character. Numbers are checked in decoded form, because they are most of a text, whatever
 * characters the values have.
 */

/** Length of a checksum at the beginning of a text, digits. */
export const CHECKSUM_DIGITS = 8

/** A text is not the one that was written, or is not in its place. */
export class DamageError extends Error {}

/** Returns what `decode` returns; undefined if the text is damaged. */
export function unlessDamaged<Content>(decode: () => Content): Content | undefined {
  try {
    return decode()
  } catch (error) {
    if (error instanceof DamageError) {
      return undefined
    }
    throw error
  }
}

/** Texts are checked in UTF-16: in workerd, converting them to UTF-8 takes four times as long. */
const toBytes = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? Buffer.from(part, 'utf16le') : part

function checksumOf(place: string, content: readonly (string | Uint8Array)[]): string {
  const sum = [place, ...content].reduce<number>((before, part) => crc32(toBytes(part), before), 0)
  return sum.toString(16).padStart(CHECKSUM_DIGITS, '0')
}

function expectIntact(text: string, place: string, content: readonly (string | Uint8Array)[]) {
  if (text.slice(0, CHECKSUM_DIGITS) !== checksumOf(place, content)) {
    throw new Error('The checksum differs.')
  }
}

/** @throws DamageError instead of any other error */
function decodeAt<Content>(place: string, decode: () => Content): Content {
  try {
    return decode()
  } catch (error) {
    throw new DamageError(`The text at ${place} is damaged.`, { cause: error })
  }
}

type Numbers = Codes | Int32Array

const bytesOf = ({ buffer, byteOffset, byteLength }: Numbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Encodes lists: the checksum, and each list in base64, with a newline between two. */
function encodeLists(place: string, lists: readonly Numbers[]): string {
  const bytes = lists.map(bytesOf)
  return `${checksumOf(place, withLengths(bytes))}${bytes.map(toBase64).join('\n')}`
}

/** Puts its length before each list: otherwise lists cut elsewhere had the same checksum. */
const withLengths = (lists: readonly Uint8Array[]): (string | Uint8Array)[] =>
  lists.flatMap((bytes) => [`${bytes.length} `, bytes])

function decodeLists(text: string, place: string): Uint8Array<ArrayBuffer>[] {
  return decodeAt(place, () => {
    const lists = text.slice(CHECKSUM_DIGITS).split('\n').map(fromBase64)
    expectIntact(text, place, withLengths(lists))
    return lists
  })
}

const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }
type Width = keyof typeof ARRAYS

/** Returns the bytes of a code in a column of so many values; 0 if all rows have the same. */
export function codeWidthOf(values: number): 0 | Width {
  if (values <= 1) {
    return 0
  }
  if (values <= 0x100) {
    return 1
  }
  return values <= 0x1_0000 ? 2 : 4
}

/**
 * Encodes a column: the checksum, the width of a code, the codes, a newline, and the values as
 * JSON. Codes 0, 1, 0 of the values "de" and "at" → the checksum, `1AAEA`, newline, `["de","at"]`
 */
export function encodeColumn({ codes, values }: Column, place: string): string {
  const width = codeWidthOf(values.length)
  const packed = width === 0 ? new Uint8Array() : bytesOf(new ARRAYS[width](codes))
  const json = JSON.stringify(values)
  const sum = checksumOf(place, [String(width), packed, json])
  return `${sum}${width}${toBase64(packed)}\n${json}`
}

/** Decodes a column of `length` rows. @throws DamageError */
export function decodeColumn(text: string, length: number, place: string): Column {
  return decodeAt(place, () => {
    const end = text.indexOf('\n')
    const width = text.slice(CHECKSUM_DIGITS, CHECKSUM_DIGITS + 1)
    const packed = fromBase64(text.slice(CHECKSUM_DIGITS + 1, end))
    const json = text.slice(end + 1)
    expectIntact(text, place, [width, packed, json])
    const codes = toCodes(width, packed, length)
    if (codes.length !== length) {
      throw new Error(`The column has ${codes.length} rows instead of ${length}.`)
    }
    const values: Json[] = JSON.parse(json)
    return { codes, values }
  })
}

function toCodes(width: string, packed: Uint8Array<ArrayBuffer>, length: number): Codes {
  switch (width) {
    case '0':
      return new Uint8Array(length)
    case '1':
      return packed
    case '2':
      return new Uint16Array(packed.buffer)
    default:
      return new Uint32Array(packed.buffer)
  }
}

/** Encodes identities, or times in ms since the beginning of the event's slot. */
export const encodeNumbers = (numbers: Uint32Array, place: string): string =>
  encodeLists(place, [numbers])

/** Decodes a list of numbers. @throws DamageError */
export function decodeNumbers(text: string, place: string): Uint32Array {
  const [bytes] = decodeLists(text, place)
  return new Uint32Array(bytes?.buffer ?? new ArrayBuffer())
}

export function encodeNames(names: readonly string[], place: string): string {
  const json = JSON.stringify(names)
  return `${checksumOf(place, [json])}${json}`
}

/** Decodes names. @throws DamageError */
export function decodeNames(text: string, place: string): string[] {
  return decodeAt(place, () => {
    const json = text.slice(CHECKSUM_DIGITS)
    expectIntact(text, place, [json])
    return JSON.parse(json)
  })
}

/** A 15-minute slot, numbered from 1970, and a number of events in it. */
export type SlotCount = { slot: number; count: number }

/** Encodes the slots that have events, in order of time. */
export const encodeSlots = (slots: readonly SlotCount[], place: string): string =>
  encodeLists(place, [Int32Array.from(slots.flatMap(({ slot, count }) => [slot, count]))])

/** Slots that have events, in order of time, and the number of events up to the end of each. */
export type Slots = { slots: Int32Array; ends: Uint32Array }

export function decodeSlots(text: string, place: string): Slots {
  const [bytes] = decodeLists(text, place)
  const numbers = new Int32Array(bytes?.buffer ?? new ArrayBuffer())
  const slots = new Int32Array(numbers.length / 2)
  const ends = new Uint32Array(slots.length)
  let end = 0
  for (let i = 0; i < slots.length; i += 1) {
    slots[i] = numbers[2 * i] ?? 0
    end += numbers[2 * i + 1] ?? 0
    ends[i] = end
  }
  return { slots, ends }
}

/** Lists slots with the number of events in each. */
export const toSlotCounts = ({ slots, ends }: Slots): SlotCount[] =>
  Array.from(slots, (slot, i) => ({ slot, count: (ends[i] ?? 0) - (ends[i - 1] ?? 0) }))

/** Lowest bits of an identity's key, by which the identities of a chunk differ. */
export const CHUNK_BITS = 12
/** Number of consecutive identity keys in a chunk. */
export const CHUNK: number = 2 ** CHUNK_BITS

/** Stands for the person of an identity without one. */
export const NO_PERSON = 0

/** The persons of the identities in a chunk. */
export type ChunkActors = {
  /** The identities' keys, less the first key of the chunk; ascending. */
  offsets: Uint16Array
  /** The id of each identity's person, or `NO_PERSON`. */
  persons: Int32Array
}

/** Encodes a chunk: the checksum, the offsets, a newline, the persons. */
export const encodeActors = ({ offsets, persons }: ChunkActors, place: string): string =>
  encodeLists(place, [offsets, persons])

/** Decodes a chunk. @throws DamageError */
export function decodeActors(text: string, place: string): ChunkActors {
  const [offsets, persons] = decodeLists(text, place)
  return {
    offsets: new Uint16Array(offsets?.buffer ?? new ArrayBuffer()),
    persons: new Int32Array(persons?.buffer ?? new ArrayBuffer())
  }
}

/** The versions of a chunk, in order of their ids. */
export type ChunkVersions = {
  /** The key of each version's identity, less the first key of the chunk. */
  offsets: Uint16Array
  /** The number of each version within its identity. */
  numbers: Uint32Array
}

/** Encodes the versions of a chunk: the checksum, the offsets, a newline, the numbers. */
export const encodeVersions = ({ offsets, numbers }: ChunkVersions, place: string): string =>
  encodeLists(place, [offsets, numbers])

/** Decodes the versions of a chunk. @throws DamageError */
export function decodeVersions(text: string, place: string): ChunkVersions {
  const [offsets, numbers] = decodeLists(text, place)
  return {
    offsets: new Uint16Array(offsets?.buffer ?? new ArrayBuffer()),
    numbers: new Uint32Array(numbers?.buffer ?? new ArrayBuffer())
  }
}

import { fromBase64, toBase64 } from '../input/base64.ts'
import type { Json } from '../input/json.ts'
import type { Codes, Column } from './column.ts'

/*
 * Columns as text: D1 returns a blob as a list of numbers, which takes longer to read than base64 takes to decode. Numbers are
 * little-endian, as in the memory of every machine that runs this.
 */

/** A list of numbers of one width. */
type Numbers = Codes | Int32Array

const encode = (numbers: Numbers): string =>
  toBase64(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))

/** The arrays of codes by width, bytes. */
const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }
type Width = keyof typeof ARRAYS

/** Returns how many bytes a code takes in a column with this number of different values; 0 if all rows have the same value. */
export function widthOf(values: number): 0 | Width {
  if (values <= 1) {
    return 0
  }
  if (values <= 0x100) {
    return 1
  }
  return values <= 0x1_0000 ? 2 : 4
}

/**
 * Encodes a column: the width of a code, the codes, a newline, and the values as JSON.
 * Codes 0, 1, 0 of the values "de" and "at" → `1AAEA`, newline, `["de","at"]`
 */
export function encodeColumn({ codes, values }: Column): string {
  const width = widthOf(values.length)
  const packed = width === 0 ? '' : encode(new ARRAYS[width](codes))
  return `${width}${packed}\n${JSON.stringify(values)}`
}

/** Decodes a column of `length` rows. @throws when the column has another length or the text is not a column */
export function decodeColumn(text: string, length: number): Column {
  const end = text.indexOf('\n')
  const codes = end > 0 ? decodeCodes(text[0], text.slice(1, end), length) : undefined
  if (codes?.length !== length) {
    throw new Error(`A column of ${length} rows is damaged.`)
  }
  const values: Json[] = JSON.parse(text.slice(end + 1))
  return { codes, values }
}

function decodeCodes(width: string | undefined, text: string, length: number): Codes | undefined {
  switch (width) {
    case '0':
      return new Uint8Array(length)
    case '1':
      return fromBase64(text)
    case '2':
      return new Uint16Array(fromBase64(text).buffer)
    case '4':
      return new Uint32Array(fromBase64(text).buffer)
    default:
      return undefined
  }
}

/** Encodes identities, or times in ms since the beginning of the event's slot. */
export const encodeNumbers = (numbers: Uint32Array): string => encode(numbers)

export const decodeNumbers = (text: string): Uint32Array => new Uint32Array(fromBase64(text).buffer)

/** A 15-minute slot, numbered from 1970, and a number of events in it. */
export type SlotCount = { slot: number; count: number }

/** Encodes the slots that have events, in order of time. */
export const encodeSlots = (slots: readonly SlotCount[]): string =>
  encode(Int32Array.from(slots.flatMap(({ slot, count }) => [slot, count])))

/** Slots that have events, in order of time, and the number of events up to the end of each. */
export type Slots = { slots: Int32Array; ends: Uint32Array }

export function decodeSlots(text: string): Slots {
  const numbers = new Int32Array(fromBase64(text).buffer)
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

/** Number of consecutive identity keys in a chunk. */
export const CHUNK = 4_096

/** Stands for the person of an identity without one. */
export const NO_PERSON = 0

/** The persons of the identities in a chunk. */
export type ChunkActors = {
  /** The identities' keys, less the first key of the chunk; ascending. */
  offsets: Uint16Array
  /** The id of each identity's person, or `NO_PERSON`. */
  persons: Int32Array
}

/** Encodes a chunk: the offsets, a newline, the persons. */
export const encodeActors = ({ offsets, persons }: ChunkActors): string =>
  `${encode(offsets)}\n${encode(persons)}`

export function decodeActors(text: string): ChunkActors {
  const [offsets = '', persons = ''] = text.split('\n')
  return {
    offsets: new Uint16Array(fromBase64(offsets).buffer),
    persons: new Int32Array(fromBase64(persons).buffer)
  }
}

/** The versions of a chunk, in order of their ids. */
export type ChunkVersions = {
  /** The key of each version's identity, less the first key of the chunk. */
  offsets: Uint16Array
  /** The number of each version within its identity. */
  numbers: Uint32Array
}

/** Encodes the versions of a chunk: the offsets, a newline, the numbers. */
export const encodeVersions = ({ offsets, numbers }: ChunkVersions): string =>
  `${encode(offsets)}\n${encode(numbers)}`

export function decodeVersions(text: string): ChunkVersions {
  const [offsets = '', numbers = ''] = text.split('\n')
  return {
    offsets: new Uint16Array(fromBase64(offsets).buffer),
    numbers: new Uint32Array(fromBase64(numbers).buffer)
  }
}

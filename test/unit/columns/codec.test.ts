import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  DamageError,
  decodeActors,
  decodeColumn,
  decodeNames,
  decodeNumbers,
  decodeSlots,
  decodeVersions,
  encodeActors,
  encodeColumn,
  encodeNames,
  encodeNumbers,
  encodeSlots,
  encodeVersions,
  toSlotCounts
} from '../../../src/columns/codec.ts'
import type { Json } from '../../../src/input/json.ts'

const AT = 'a place'

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

describe('a column', () => {
  it('is the width of a code, the codes, and the values as JSON', () => {
    const text = encodeColumn({ codes: Uint16Array.of(0, 1, 0), values: ['de', null] }, AT)

    expect(text).toMatch(/^[0-9a-f]{8}1AAEA\n\["de",null\]$/)
    expect(decodeColumn(text, 3, AT)).toEqual({
      codes: Uint8Array.of(0, 1, 0),
      values: ['de', null]
    })
  })

  it('has no codes if all rows have the same value', () => {
    const text = encodeColumn({ codes: new Uint8Array(40_000), values: ['web'] }, AT)

    expect(text).toMatch(/^[0-9a-f]{8}0\n\["web"\]$/)
    expect(decodeColumn(text, 40_000, AT)).toEqual({
      codes: new Uint8Array(40_000),
      values: ['web']
    })
  })

  it.each([
    [2, Uint8Array],
    [256, Uint8Array],
    [257, Uint16Array],
    [65_536, Uint16Array],
    [65_537, Uint32Array]
  ])('with %i values has codes in the narrowest array', (count, Codes) => {
    const column = { codes: Uint32Array.from(range(count)), values: range(count) }

    const decoded = decodeColumn(encodeColumn(column, AT), count, AT)

    expect(decoded.codes).toBeInstanceOf(Codes)
    expect([...decoded.codes]).toEqual(range(count))
    expect(decoded.values).toEqual(column.values)
  })

  it('returns every JSON value as it was', () => {
    const value = fc.jsonValue().map((json): Json => JSON.parse(JSON.stringify(json)))
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
        const codes = Uint32Array.from(range(values.length))
        const text = encodeColumn({ codes, values }, AT)
        expect(decodeColumn(text, values.length, AT).values).toEqual(values)
      })
    )
  })

  it('is refused for another number of rows', () => {
    const text = encodeColumn({ codes: Uint8Array.of(0, 1, 0), values: ['de', 'at'] }, AT)

    expect(() => decodeColumn(text, 4, AT)).toThrow(DamageError)
  })
})

it('identities and times come back as they were', () => {
  const numbers = Uint32Array.from([0, 1, 899_999, 4_294_967_295, ...range(20_000)])

  expect(encodeNumbers(Uint32Array.of(1, 256), AT)).toMatch(/^[0-9a-f]{8}AQAAAAABAAA=$/)
  expect(decodeNumbers(encodeNumbers(numbers, AT), AT)).toEqual(numbers)
})

it('slots come back as they were, also those before 1970', () => {
  const slots = [
    { slot: -3, count: 1 },
    { slot: 0, count: 65_536 },
    { slot: 1_960_000, count: 7 }
  ]

  expect(toSlotCounts(decodeSlots(encodeSlots(slots, AT), AT))).toEqual(slots)
  expect(toSlotCounts(decodeSlots(encodeSlots([], AT), AT))).toEqual([])
})

it('the identities of a chunk come back with their persons', () => {
  const actors = {
    offsets: Uint16Array.of(0, 17, 4_095),
    persons: Int32Array.of(0, 1, 2_000_000_000)
  }

  expect(decodeActors(encodeActors(actors, AT), AT)).toEqual(actors)
  expect(
    decodeActors(encodeActors({ offsets: new Uint16Array(), persons: new Int32Array() }, AT), AT)
  ).toEqual({ offsets: new Uint16Array(), persons: new Int32Array() })
})

describe('a text is refused', () => {
  const lists = { offsets: Uint16Array.from(range(6)), numbers: Uint32Array.from(range(6)) }
  const column = { codes: Uint8Array.of(0, 1, 0), values: ['de', 'at'] }
  const KINDS: [string, string, (text: string, place: string) => unknown][] = [
    ['column', encodeColumn(column, AT), (text, place) => decodeColumn(text, 3, place)],
    ['numbers', encodeNumbers(Uint32Array.from(range(6)), AT), decodeNumbers],
    ['slots', encodeSlots([{ slot: 7, count: 2 }], AT), decodeSlots],
    ['names', encodeNames(['rare', 'note'], AT), decodeNames],
    ['versions', encodeVersions(lists, AT), decodeVersions],
    ['actors', encodeActors({ ...lists, persons: Int32Array.from(range(6)) }, AT), decodeActors]
  ]

  it.each(KINDS)('if a bit of it differs, unless it means the same: %s', (_, text, decode) => {
    const intact = decode(text, AT)
    for (let at = 0; at < text.length; at += 1) {
      for (let bit = 1; bit < 128; bit *= 2) {
        const damaged = `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ bit)}${text.slice(at + 1)}`
        const decoded = outcomeOf(() => decode(damaged, AT))
        expect([intact, 'refused']).toContainEqual(decoded)
      }
    }
  })

  it.each(KINDS)('if it is cut, longer, or from another place: %s', (_, text, decode) => {
    const intact = decode(text, AT)
    for (let length = 0; length < text.length; length += 1) {
      // Without padding, base64 means the same.
      const decoded = outcomeOf(() => decode(text.slice(0, length), AT))
      expect([text.endsWith('=') ? intact : 'refused', 'refused']).toContainEqual(decoded)
    }
    for (const longer of [`${text}A`, `${text}AAAA`, `${text}\n`, `${text}${text}`]) {
      expect(outcomeOf(() => decode(longer, AT))).toBe('refused')
    }
    expect(outcomeOf(() => decode(text, 'another place'))).toBe('refused')
  })

  it('if a list ends elsewhere', () => {
    const text = encodeVersions(lists, AT)

    expect(outcomeOf(() => decodeVersions(text.replace('\n', ' '), AT))).toBe('refused')
  })

  function outcomeOf(decode: () => unknown): unknown {
    try {
      return decode()
    } catch (error) {
      expect(error).toBeInstanceOf(DamageError)
      return 'refused'
    }
  }
})

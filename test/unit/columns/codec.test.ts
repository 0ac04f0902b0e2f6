import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decodeActors,
  decodeColumn,
  decodeNumbers,
  decodeSlots,
  encodeActors,
  encodeColumn,
  encodeNumbers,
  encodeSlots,
  toSlotCounts
} from '../../../src/columns/codec.ts'
import type { Json } from '../../../src/input/json.ts'

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

describe('a column', () => {
  it('is the width of a code, the codes, and the values as JSON', () => {
    const text = encodeColumn({ codes: Uint16Array.of(0, 1, 0), values: ['de', null] })

    expect(text).toBe('1AAEA\n["de",null]')
    expect(decodeColumn(text, 3)).toEqual({ codes: Uint8Array.of(0, 1, 0), values: ['de', null] })
  })

  it('has no codes if all rows have the same value', () => {
    const text = encodeColumn({ codes: new Uint8Array(40_000), values: ['web'] })

    expect(text).toBe('0\n["web"]')
    expect(decodeColumn(text, 40_000)).toEqual({ codes: new Uint8Array(40_000), values: ['web'] })
  })

  it.each([
    [2, Uint8Array],
    [256, Uint8Array],
    [257, Uint16Array],
    [65_536, Uint16Array],
    [65_537, Uint32Array]
  ])('with %i values has codes in the narrowest array', (count, Codes) => {
    const column = { codes: Uint32Array.from(range(count)), values: range(count) }

    const decoded = decodeColumn(encodeColumn(column), count)

    expect(decoded.codes).toBeInstanceOf(Codes)
    expect([...decoded.codes]).toEqual(range(count))
    expect(decoded.values).toEqual(column.values)
  })

  it('returns every JSON value as it was', () => {
    const value = fc.jsonValue().map((json): Json => JSON.parse(JSON.stringify(json)))
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
        const codes = Uint32Array.from(range(values.length))
        expect(decodeColumn(encodeColumn({ codes, values }), values.length).values).toEqual(values)
      })
    )
  })

  it.each([['1AAEA\n["de","at"]'], ['1AAEA["de","at","ch"]'], ['3AAEA\n["de"]'], ['']])(
    'is refused if it is damaged or belongs to another segment: %j',
    (text) => {
      expect(() => decodeColumn(text, 4)).toThrow('A column of 4 rows is damaged.')
    }
  )
})

it('identities and times come back as they were', () => {
  const numbers = Uint32Array.from([0, 1, 899_999, 4_294_967_295, ...range(20_000)])

  expect(encodeNumbers(Uint32Array.of(1, 256))).toBe('AQAAAAABAAA=')
  expect(decodeNumbers(encodeNumbers(numbers))).toEqual(numbers)
})

it('slots come back as they were, also those before 1970', () => {
  const slots = [
    { slot: -3, count: 1 },
    { slot: 0, count: 65_536 },
    { slot: 1_960_000, count: 7 }
  ]

  expect(toSlotCounts(decodeSlots(encodeSlots(slots)))).toEqual(slots)
  expect(toSlotCounts(decodeSlots(encodeSlots([])))).toEqual([])
})

it('the identities of a chunk come back with their persons', () => {
  const actors = {
    offsets: Uint16Array.of(0, 17, 4_095),
    persons: Int32Array.of(0, 1, 2_000_000_000)
  }

  expect(decodeActors(encodeActors(actors))).toEqual(actors)
  expect(
    decodeActors(encodeActors({ offsets: new Uint16Array(), persons: new Int32Array() }))
  ).toEqual({ offsets: new Uint16Array(), persons: new Int32Array() })
})

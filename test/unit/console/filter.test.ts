import { describe, expect, it } from 'vitest'
import {
  asksFor,
  type Filter,
  operatorsFor,
  readFilters,
  toggled,
  toValue,
  writeFilters
} from '../../../console/filters/filter.ts'
import { OPERATORS } from '../../../src/properties/filter.ts'

const chrome: Filter = { type: 'event', key: '$browser', operator: 'exact', value: ['Chrome'] }
const safari: Filter = { ...chrome, value: ['Safari'] }

describe('the address', () => {
  it('keeps filters with the types of their values', () => {
    const filters: Filter[] = [
      chrome,
      { type: 'person', key: 'seats', operator: 'gt', value: 12 },
      { type: 'person', key: 'is_admin', operator: 'exact', value: [true] },
      { type: 'person', key: 'code', operator: 'exact', value: ['12', '&=%?#"<'] },
      { type: 'session', key: '$is_bounce', operator: 'is_set' }
    ]
    const address = new URLSearchParams({ properties: writeFilters(filters) ?? '' }).toString()

    expect(readFilters(new URLSearchParams(address).get('properties'))).toEqual(filters)
    expect(writeFilters([])).toBeUndefined()
    expect(readFilters(null)).toEqual([])
  })

  it.each(['{', '{"key":"plan"}', '[{"key":"plan"}]', '[null]', '[[]]'])(
    'makes of %s a filter that the API refuses, not none',
    (text) => {
      expect(readFilters(text)).toMatchObject([{ key: '' }])
    }
  )
})

describe('a filter by a click', () => {
  it('takes the place of another value, and goes by a second click', () => {
    const country: Filter = {
      type: 'event',
      key: '$geoip_country_code',
      operator: 'exact',
      value: 'DE'
    }

    expect(toggled([chrome, country], safari)).toEqual([country, safari])
    expect(toggled([country, safari], { ...safari, value: 'Safari' })).toEqual([country])
    expect(toggled([{ ...chrome, operator: 'is_not' }], safari)).toHaveLength(2)
    expect(asksFor([chrome], safari)).toBe(false)
  })
})

describe('the type of a value', () => {
  it.each([
    ['12', 'Numeric', 12],
    ['1e3', 'Numeric', '1e3'],
    ['012', 'Numeric', '012'],
    ['12', 'String', '12'],
    ['true', 'Boolean', true],
    ['yes', 'Boolean', 'yes'],
    ['12', null, '12']
  ] as const)('reads %s of the kind %s as %o', (text, kind, value) => {
    expect(toValue(text, kind)).toBe(value)
  })

  it('offers operators that the API knows', () => {
    for (const kind of ['String', 'Numeric', 'Boolean', 'DateTime', 'Duration', null] as const) {
      expect(OPERATORS).toEqual(expect.arrayContaining(operatorsFor(kind)))
    }
  })
})

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { CARDS, levelOf, tableOf, toggleRow } from '../../../console/overview/question.ts'
import { OUTLINES, PLACES, SIZE } from '../../../console/overview/world.ts'

/** Bytes of the outlines, gzipped. */
const MAX_MAP = 15_000

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Whether a code is the present one of a country: `DE`, not `DD`. */
const isRegion = (code: string): boolean =>
  names.of(code) !== undefined && Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`

it('has a shape of each country, once, within the map', () => {
  const [width, height] = SIZE
  const codes = [...Object.keys(OUTLINES), ...Object.keys(PLACES)]
  const strange = Object.entries(OUTLINES).filter(
    ([, line]) => !/^(?:M\d+ \d+l[-\d ]+z)+$/.test(line)
  )

  expect(new Set(codes).size).toBe(codes.length)
  expect(codes.filter((code) => !isRegion(code))).toEqual([])
  expect(codes).toEqual(expect.arrayContaining(['DE', 'US', 'RU', 'BR', 'SG', 'MT', 'XK', 'TW']))
  expect(codes.length).toBeGreaterThan(230)
  expect(strange).toEqual([])
  for (const [x, y] of Object.values(PLACES)) {
    expect(x).toBeLessThanOrEqual(width)
    expect(y).toBeLessThanOrEqual(height)
  }
  expect(gzipSync(JSON.stringify([OUTLINES, PLACES])).length).toBeLessThanOrEqual(MAX_MAP)
})

it('colours a country by the root of its share of the largest', () => {
  expect([1, 100, 2_500, 2_501, 9_999, 10_000].map((value) => levelOf(value, 10_000))).toEqual([
    1, 1, 3, 4, 6, 6
  ])
})

it('asks for all countries on the map, and for a few rows of a list', () => {
  const tabs = CARDS.find(({ id }) => id === 'places')?.tabs ?? []

  expect(tabs.map(tableOf)).toEqual([
    { breakdownBy: 'Country', limit: 6 },
    { breakdownBy: 'Country', limit: 300 },
    { breakdownBy: 'City', limit: 6 },
    { breakdownBy: 'Language', limit: 6 }
  ])
})

it('sets the filters of a row that are missing, and removes all of them together', () => {
  const [, , city] = CARDS.find(({ id }) => id === 'places')?.tabs ?? []
  const is = (key: string, value: string) => ({
    type: 'event',
    key,
    operator: 'exact',
    value: [value]
  })
  const [germany, kiel] = [is('$geoip_country_code', 'DE'), is('$geoip_city_name', 'Kiel')]
  const row = ['DE', 'Kiel']

  expect(city && toggleRow(city, row, [])).toEqual([germany, kiel])
  expect(city && toggleRow(city, row, [germany])).toEqual([germany, kiel])
  expect(city && toggleRow(city, row, [germany, kiel])).toEqual([])
})

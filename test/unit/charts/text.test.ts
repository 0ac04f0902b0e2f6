import { expect, it } from 'vitest'
import { widthOf } from '../../../src/charts/text.ts'

it.each([
  ['ÖÜÑÄÉ', 'OUNAE'],
  ['O\u0308', 'O'],
  ['한국', '漢字']
])('%s is as wide as %s', (text, other) => {
  expect(widthOf(text, 10)).toBe(widthOf(other, 10))
})

import { expect, it } from 'vitest'
import { fitName, shorten, widthOf } from '../../../src/charts/text.ts'

it.each([
  ['ÖÜÑÄÉ', 'OUNAE'],
  ['O\u0308', 'O'],
  ['한국', '漢字'],
  ['👩‍👩‍👧‍👦', '👩'],
  ['🇩🇪', '👩']
])('%s is as wide as %s', (text, other) => {
  expect(widthOf(text, 10)).toBeCloseTo(widthOf(other, 10))
})

it('an emoji of several characters is kept or cut as a whole', () => {
  for (let width = 10; width < 200; width += 1) {
    expect(shorten('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 Family', 12, width)).toMatch(
      /^(👩‍👩‍👧‍👦){0,3}( F?a?m?i?l?y?)?…?$/u
    )
  }
})

it('a text from right to left is isolated after it is cut, without characters that reach out of it', () => {
  expect(fitName('תל אביב', 12, 200)).toBe('\u2068תל אביב\u2069')
  expect(fitName('תל אביב ועוד הרבה מקומות', 12, 60)).toMatch(/^\u2068[^\u2068\u2069]+…\u2069$/)
  expect(fitName('a\u202eb\u2069', 12, 200)).toBe('ab')
})

import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, it } from 'vitest'
import { compilePattern, MAX_PATTERN_SIZE, Patterns } from '../../../src/properties/pattern.ts'
import { sizeOf } from '../../../src/properties/size.ts'
import { deep } from '../../support/depth.ts'

const PIECES = [
  ...['a', 'b', 'é', '😀', '-', ']', '{', '}', ',', ':', '^', '$', '.', '|', '(', ')', '[', '[^'],
  ...['*', '+', '?', '{3}', '{2,5}', '{0,4}', '{2,}', '{12}', '{,3}', '{0}'],
  ...['(?:', '(?i)', '(?i:', '(?P<name>', '(?<other>', '(?s-i)'],
  ...['\\Q', '\\E', '\\\\', '\\(', '\\[', '\\]', '\\{', '\\x41', '\\x{1F600}', '\\101', '\\-'],
  ...['\\d', '\\W', '\\b', '\\pL', '\\p{Greek}', '\\P{L}', '[:alpha:]', '[[:^digit:]]', '[]a]'],
  ...['[^]x-z]', '[a-z]', '(ab)', '(?:ab|c)']
]
const pattern = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 12 })
  .map((parts) => parts.join(''))

const TOO_LARGE = /too large|at most 4000/

describe('the size of a regular expression', () => {
  it('is never less than the compiled size', () => {
    fc.assert(
      fc.property(pattern, (text) => {
        const compiled = compilePattern(text)
        expect(sizeOf(text)).toBeGreaterThanOrEqual(compiled?.programSize() ?? 0)
      }),
      deep(20_000)
    )
  })

  it.each([
    ['^https://.*\\.example\\.com/', 28],
    ['@gmail\\.com$', 14],
    ['[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}', 89],
    ['^[\\p{L}\\p{N}\\s]{3,20}$', 406],
    [Array.from({ length: 50 }, (_, i) => `keyword-${i}`).join('|'), 591],
    ['(?i)[а-яё]+', 8],
    ['.{0,1000}', 2_004]
  ])('of %s is %i', (text, size) => {
    expect(sizeOf(text)).toBe(size)
    expect(compilePattern(text)).toBeDefined()
  })
})

describe('patterns that would take long to compile', () => {
  it.each([
    ['(a?){1000}a{1000}'],
    [`(?:${'x'.repeat(980)}){1000}`],
    [`(?:${'\\pL'.repeat(320)}){1000}`],
    [`^(?:${'(a|b|c)'.repeat(100)}){1000}$`],
    [`(?i)[${'B-\u{1E920}'.repeat(240)}]`],
    [`(?i)${'[\\x{41}-\\x{1E920}]'.repeat(50)}`],
    ['\\pL{1000}']
  ])('%s is refused by its text', (text) => {
    expect(sizeOf(text)).toBeGreaterThan(MAX_PATTERN_SIZE)
    expect(() => new Patterns().check(text)).toThrow(TOO_LARGE)
  })

  it.each([['((a{100}){100}){100}'], ['(x{1000}){1000}']])(
    'are refused by the library itself if they are invalid: %s',
    (text) => {
      expect(() => RE2JS.compile(text)).toThrow('invalid repeat count')
      expect(() => new Patterns().check(text)).toThrow(TOO_LARGE)
    }
  )
})

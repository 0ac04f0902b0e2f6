import { expect, it } from 'vitest'
import { Searches } from '../../../src/properties/searches.ts'
import { randomText } from '../../support/text.ts'

/** Patterns whose steps take 3 to 4 MB each on this text. */
const [A, B, C, D] = ['a[ab]{300}$', 'b[ab]{300}$', 'a[ab]{301}$', 'b[ab]{301}$'] as const
const TEXT = randomText(2_500)

it('keeps the steps of the most recently used patterns, up to 8 MB', () => {
  const searches = new Searches()
  const search = (pattern: string) => {
    const found = searches.of(pattern, () => {})
    found.matches(TEXT)
    return found
  }
  const [a, b, c] = [search(A), search(B), search(C)]
  expect(a.countBytes()).toBeGreaterThan(3_000_000)
  expect(searches.of(A, () => {})).toBe(a)

  search(D)

  expect(b.countBytes()).toBe(0)
  expect(a.countBytes()).toBeGreaterThan(3_000_000)
  expect(c.countBytes()).toBeGreaterThan(3_000_000)
})

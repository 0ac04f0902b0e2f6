import { expect, it } from 'vitest'
import { Searches } from '../../../src/properties/searches.ts'
import { randomText } from '../../support/text.ts'

/** Patterns that each cache 3 to 4 MB of steps when they are searched for in `TEXT`. */
const [A, B, C, D] = ['a[ab]{300}$', 'b[ab]{300}$', 'a[ab]{301}$', 'b[ab]{301}$'] as const
const TEXT = randomText(2_500)

it('while a pattern is searched for, the most recently used others keep up to 8 MB of steps', () => {
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

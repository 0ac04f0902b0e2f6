import { describe, expect, it } from 'vitest'
import type { Operator } from '../../../src/properties/filter.ts'
import { matcherOf } from '../../../src/properties/match.ts'
import { searchFor } from '../../../src/properties/pattern.ts'
import { Work } from '../../../src/properties/work.ts'
import { randomText } from '../../support/text.ts'

const NOW = new Date('2026-11-20T00:00:00Z')

const many = (count: number, textOf: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => textOf(i))

const compare = (
  operator: Operator,
  values: string[],
  texts: string[],
  work = new Work()
): Promise<string[]> => {
  const match = matcherOf({ key: 'url', operator, values, type: 'event' }, 'Europe/Berlin', NOW)
  if (!match) {
    throw new Error(`SQL decides ${operator}`)
  }
  return match(texts, work)
}

describe('a version', () => {
  it.each([
    // Missing numbers of the filter are 0.
    ['semver_eq', '1.2', ['1.2.0']],
    ['semver_gt', '1', ['1.2.0', '1.2.3', '1.2.3-beta', 'v1.3.0+7', '2.0.0-rc.1', '2.0.0']],
    ['semver_tilde', '1.2.3', ['1.2.3', '1.2.3-beta']],
    ['semver_tilde', '1.2', ['1.2.0', '1.2.3', '1.2.3-beta']],
    ['semver_tilde', '1', ['1.0.0', '1.2.0', '1.2.3', '1.2.3-beta', 'v1.3.0+7']],
    ['semver_caret', '1.2', ['1.2.0', '1.2.3', '1.2.3-beta', 'v1.3.0+7']],
    ['semver_caret', '0.2', ['0.2.5']],
    ['semver_caret', '0.0', ['0.0.0']],
    ['semver_caret', '0', ['0.0.0']],
    ['semver_wildcard', '0.*', ['0.0.0', '0.0.1', '0.2.5']],
    // Text after a hyphen or a plus is ignored.
    ['semver_eq', '1.2.3', ['1.2.3', '1.2.3-beta']],
    ['semver_eq', '1.2.3-rc', ['1.2.3', '1.2.3-beta']],
    ['semver_lt', '1.2.3', ['0.0.0', '0.0.1', '0.2.5', '1.0.0', '1.2.0']],
    ['semver_gte', 'v2.0.0', ['2.0.0-rc.1', '2.0.0']],
    ['semver_lte', ' 0.0.1 ', ['0.0.0', '0.0.1']],
    [
      'semver_neq',
      '1.2.3',
      ['0.0.0', '0.0.1', '0.2.5', '1.0.0', '1.2.0', 'v1.3.0+7', '2.0.0-rc.1', '2.0.0']
    ]
  ] as const)('is read as PostHog does: %s %s', async (operator, value, expected) => {
    const versions = ['0.0.0', '0.0.1', '0.2.5', '1.0.0', '1.2.0', '1.2.3', '1.2.3-beta']
    const more = ['v1.3.0+7', '2.0.0-rc.1', '2.0.0', '1.2', '1', '1.2.3.4', '01.2.3', '', '5']

    expect(await compare(operator, [value], [...versions, ...more])).toEqual(expected)
  })

  it('differs from all values of a list', async () => {
    const versions = ['1.0.0', '1.2.3', '2.0.0', 'not a version']

    expect(await compare('semver_neq', ['1.0.0', '2.0.0'], versions)).toEqual(['1.2.3'])
  })
})

const AB = many(2_000, (i) => randomText(1_000, i))
const URLS = many(
  100_000,
  (i) => `https://www.shop${i % 31}.example.com/products/${i.toString(36)}/item-${i}?ref=${i % 7}`
)
const MAILS = many(100_000, (i) => `user-${i}@${i % 3 === 0 ? 'gmail.com' : 'example.org'}`)
const WORDS = many(50, (i) => `w${(i * 7_919).toString(36)}x`)

describe('a regular expression on 100,000 values', () => {
  it.each([
    ['^https://.*\\.example\\.com/', URLS, 100_000],
    ['@gmail\\.com$', MAILS, 33_334],
    ['/item-[0-9]+\\?ref=3$', URLS, 14_286],
    [`(?i)\\b(?:${WORDS.join('|')})\\b`, URLS, 1],
    ['^[\\p{L}\\p{N}-]+@', MAILS, 100_000],
    ['\\p{Lu}\\p{Ll}+', MAILS, 0],
    ['[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}', URLS, 0],
    ['(.*)/(.*)/(.*)\\?(.*)x$', URLS, 0]
  ])('may be %s', async (pattern, texts, count) => {
    expect(await compare('regex', [pattern], texts)).toHaveLength(count)
  })

  it('may be one of several', async () => {
    expect(await compare('regex', ['@gmail\\.com$', '^user-1'], MAILS)).toHaveLength(40_743)
  })

  it('lets other work run meanwhile', async () => {
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 0)
    await compare('regex', ['ref=3$', 'ref=4$', 'ref=5$', 'ref=6$'], URLS)
    clearInterval(timer)

    expect(turns).toBeGreaterThan(2)
  })
})

describe('a comparison that would block other work', () => {
  it.each([
    ['a[ab]{300}$', AB],
    ['[ab]{1,200}aa[ab]{200}$', AB],
    ['(?:a|b)*a(?:a|b){25}b?$', AB]
  ])('is refused while it runs: %s', async (pattern, texts) => {
    await expect(compare('regex', [pattern], texts)).rejects.toMatchObject({
      code: 'query_too_large',
      attr: 'properties',
      message: expect.stringContaining(`${JSON.stringify(pattern)} takes too many steps`)
    })
  })

  it('ends inside a single text', () => {
    let units = 0
    const { matches } = searchFor('a[ab]{300}$', (more) => {
      units += more
      if (units > 10_000) {
        throw new Error('enough')
      }
    })

    expect(() => matches(AB.join(''))).toThrow('enough')
    expect(units).toBeLessThan(11_000)
  })

  it.each([
    // `(` is not a valid pattern: it is refused before it is compiled.
    ['regex', many(100, () => '('), URLS],
    ['icontains', many(1_000, (i) => `größe-${i}`), URLS],
    ['icontains', many(1_000, (i) => `size-${i}`), URLS],
    ['semver_caret', many(1_000, (i) => `1.${i}.0`), many(100_000, (i) => `1.0.${i}`)],
    ['is_date_after', ['2026-01-01'], many(100_000, (i) => `2026-01-01T00:00:00.${i}`)]
  ] as const)('is refused before it begins: %s', async (operator, values, texts) => {
    await expect(compare(operator, [...values], texts)).rejects.toMatchObject({
      code: 'query_too_large',
      attr: 'properties',
      message: `The operator ${operator} would compare ${values.length} values with ${texts.length} of "url", which takes too long. Send fewer values, choose a shorter range, or use a simpler operator such as icontains or exact.`
    })
  })

  it('counts all filters of a request together', async () => {
    const work = new Work()
    for (let i = 0; i < 5; i += 1) {
      await compare('regex', ['ref=3$'], URLS, work)
    }

    await expect(
      (async () => {
        for (let i = 0; i < 20; i += 1) {
          await compare('regex', ['ref=3$'], URLS, work)
        }
      })()
    ).rejects.toMatchObject({ code: 'query_too_large' })
  })
})

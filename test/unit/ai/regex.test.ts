import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeRegex } from '../../../src/ai/regex.ts'
import { deep } from '../../support/depth.ts'

const UUID = '01a1fc87-dc26-71e7-8a25-7ac44254cc16'
const none = { examples: [], counter_examples: [] }

/** Descriptions, each with texts that must match, texts that must not match, and the expected pattern. */
const ASKS: [ask: string, matches: string[], leaves: string[], pattern: string][] = [
  [
    'an e-mail address',
    ['ada@example.com', 'Ada <ada.l+news@mail.example.com>'],
    ['ada@', 'ada@example', '@example.com'],
    String.raw`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`
  ],
  [
    'e-mails at example.com',
    ['ada@example.com'],
    ['ada@example.org', 'ada@mail.example.com'],
    String.raw`^[A-Za-z0-9._%+-]+@example\.com$`
  ],
  [
    'e-mails at a domain',
    ['ada@example.com'],
    ['ada@', 'ada@example', 'to ada@example.com'],
    String.raw`^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$`
  ],
  [
    'e-mails at example.com or @example.org',
    ['ada@example.com', 'ada@example.org'],
    ['ada@', 'ada@example.net', 'ada@mail.example.com'],
    String.raw`^[A-Za-z0-9._%+-]+@(?:example\.com|example\.org)$`
  ],
  [
    'a URL',
    ['see https://shop.example/a?b=1'],
    ['/a', 'https://'],
    String.raw`https?://[^\s/?#]+[^\s]*`
  ],
  [
    'URLs that start with https://app.example.com and end with /edit',
    ['https://app.example.com/a/edit', 'https://app.example.com/edit'],
    ['https://app.example.com/a', 'https://app-example.com/edit'],
    String.raw`^https://app\.example\.com.*/edit$`
  ],
  [
    'pages under /docs',
    ['/docs', '/docs/a', 'https://x.example/docs?a', 'https://x.example/docs#a'],
    ['/documents', '/a/docs'],
    '^(?:https?://[^/?#]+)?/docs(?:[/?#]|$)'
  ],
  [
    'starts with /orders/ followed by a uuid',
    [`/orders/${UUID}`, `/orders/${UUID}/edit`],
    ['/orders/1', `/a/orders/${UUID}`],
    '^/orders/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'
  ],
  [
    'starts with /users/ then an id then /edit',
    ['/users/12/edit', '/users/ada/edit'],
    ['/users//edit'],
    '^/users/[A-Za-z0-9_-]+/edit'
  ],
  [
    'pages under /orders followed by / and then a number',
    ['/orders/12', 'https://shop.example/orders/12?a'],
    ['/orders/12a', '/orders'],
    '^(?:https?://[^/?#]+)?/orders/[0-9]+(?:[/?#]|$)'
  ],
  ['a numeric id', ['12'], ['twelve'], '[0-9]+'],
  [
    'a date',
    ['on 2026-11-21'],
    ['2026-13-01', '2026-1-1'],
    '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])'
  ],
  [
    'dates like 24.12.2026',
    ['24.12.2026'],
    ['2026-12-24'],
    '(?:0?[1-9]|[12][0-9]|3[01])[./](?:0?[1-9]|1[0-2])[./][0-9]{4}'
  ],
  [
    'a version',
    ['1.2', 'v1.2.3', '2.0.0-beta.1+build.5'],
    ['1', 'v'],
    String.raw`v?[0-9]+(?:\.[0-9]+){1,3}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?`
  ],
  [
    'any of red, green or blue',
    ['red', 'green', 'blue'],
    ['reddish', 'Red'],
    '^(?:red|green|blue)$'
  ],
  ['contains checkout or cart', ['/checkout', '/my/cart'], ['/home'], '(?:checkout|cart)'],
  [
    'contains "utm_source" and "utm_medium"',
    ['?utm_source=a&utm_medium=b', '?utm_medium=a&utm_source=b'],
    ['?utm_source=a'],
    '(?:utm_source.*utm_medium|utm_medium.*utm_source)'
  ],
  [
    'starts with "/docs/" and contains "/api"',
    ['/docs/api', '/docs/a/api/b'],
    ['/docs/', '/api/docs/'],
    '^/docs/(?:.*/api|api)'
  ],
  [
    'pages with the query parameter ref',
    ['/a?ref=1', '/a?b=1&ref'],
    ['/a?href=1', '/ref=1'],
    '[?&]ref(?:[=&#]|$)'
  ],
  [
    'URLs ending in .pdf or .docx, ignoring case',
    ['https://x.example/A.PDF'],
    ['https://x.example/a.pdf?a'],
    String.raw`(?i)(?:\.pdf|\.docx)$`
  ],
  ['paths that start with /a or end with /b', ['/a/x', '/x/b'], ['/x'], '^/a|/b$'],
  ['exactly /pricing', ['/pricing'], ['/pricing/a', 'a/pricing'], '^/pricing$'],
  [
    'everything that starts with (a+)+$ (in any case)',
    ['(A+)+$b'],
    ['a+)+$'],
    String.raw`(?i)^\(a\+\)\+\$`
  ]
]

describe('a description', () => {
  it.each(ASKS)('%s', (ask, matches, leaves, pattern) => {
    const given = { examples: matches, counter_examples: leaves }

    expect(writeRegex(ask, none)).toMatchObject({ output: pattern })
    expect(writeRegex(ask, given)).toMatchObject({ output: pattern, rejected: leaves })
  })

  it('combines the patterns of its kinds until the examples fit', () => {
    const ask = 'exactly "/d/" followed by a date followed by "/" followed by a number'
    const examples = ['/d/2026-01-31/-1.5', '/d/31.01.2026/7', '/d/01/31/2026/-7']

    for (const example of examples) {
      expect(writeRegex(ask, { ...none, examples: [example] })).toMatchObject({
        matched: [{ text: example, match: example }]
      })
    }
  })

  it('returns the match in each example', () => {
    const given = {
      examples: ['to ada@example.com', 'eve@example.org'],
      counter_examples: ['nobody']
    }

    expect(writeRegex('e-mail', given)).toMatchObject({
      matched: [
        { text: 'to ada@example.com', match: 'ada@example.com' },
        { text: 'eve@example.org', match: 'eve@example.org' }
      ],
      rejected: ['nobody']
    })
  })

  it.each([
    [
      'a uuid',
      [UUID],
      [`x${UUID}`],
      String.raw`\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b`
    ],
    ['a number', ['12'], ['1 2'], '^[0-9]+$'],
    ['starts with /users/ then an id', ['/users/12'], ['/users/new'], '^/users/[0-9]+'],
    [
      'starts with /users/ then an id',
      [`/users/${UUID}`],
      ['/users/12'],
      '^/users/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'
    ]
  ])(
    '%s is read as narrowly as the examples require',
    (ask, examples, counter_examples, output) => {
      expect(writeRegex(ask, { examples, counter_examples })).toMatchObject({ output })
    }
  )

  it.each([
    ['something purple and furry', 'Not understood: "purple", "furry".'],
    ['URLs that start with /a frobnicated', 'Not understood: "frobnicated".'],
    ['contains', 'Not understood: "contains".'],
    ['', 'Describe what the text starts with'],
    ['URLs that do not contain admin', 'A pattern without lookaround cannot exclude text'],
    ["doesn't end with .pdf", 'A pattern without lookaround cannot exclude'],
    ['starts with /blog/ but not /blog/drafts', 'The description also matches "/blog/drafts"'],
    ['uuids that start with 01', 'These conditions do not fit into one pattern'],
    ['e-mails at example.com that end with .org', 'These conditions do not fit into one pattern'],
    ['e-mails at a.example and at b.example', 'These conditions do not fit into one pattern'],
    ['e-mails at a.example with the parameter ref', 'These conditions do not fit into one pattern'],
    ['e-mails at a number', 'These conditions do not fit into one pattern'],
    ['e-mails at "@"', 'These conditions do not fit into one pattern'],
    ['e-mails that end with "@"', 'These conditions do not fit into one pattern'],
    ['contains "a" and "b" and "c" and "d"', 'These conditions do not fit into one pattern'],
    [`exactly "${'a'.repeat(1001)}"`, 'The pattern would be longer than 1,000 characters.']
  ])('is refused with an explanation: %s', (ask, fault) => {
    expect(writeRegex(ask, none)).toEqual({ fault: expect.stringContaining(fault) })
  })

  it('is refused when an example contradicts it', () => {
    const answer = writeRegex('starts with /docs', { examples: ['/blog/a'], counter_examples: [] })

    expect(answer).toEqual({ fault: 'The description does not match the example "/blog/a".' })
    expect(writeRegex('', { examples: ['a'], counter_examples: ['a'] })).toEqual({
      fault: '"a" is both an example and a counter-example.'
    })
  })
})

describe('examples alone', () => {
  it.each([
    [['/orders/12/edit', '/orders/7/edit'], ['/orders/new/edit'], '^/orders/[0-9]+/edit$'],
    [
      [`/o/${UUID}`, '/o/01a1fc87-dc26-71e7-8a25-7ac44254cc17'],
      ['/o/1'],
      '^/o/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
    ],
    [['/blog/first-post', '/blog/some-thing'], ['/blog/1'], '^/blog/[a-z]+-[a-z]+$'],
    [
      ['ada@example.com', 'eve@mail.example.org'],
      ['ada'],
      String.raw`^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}$`
    ],
    [
      ['1.2.3', '10.0.1'],
      ['1'],
      String.raw`^v?[0-9]+(?:\.[0-9]+){1,3}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$`
    ],
    [['12', '7'], ['a'], '^[0-9]+$'],
    [['12', '7'], ['99'], '^(?:12|7)$'],
    [['/a', 'b c d'], [], '^(?:/a|b c d)$'],
    [['a+b'], [], String.raw`^a\+b$`]
  ])('%j', (examples, counter_examples, output) => {
    expect(writeRegex('', { examples, counter_examples })).toMatchObject({ output })
  })
})

it('a pattern for a start and an end is valid in JavaScript, and matches as described', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((one) => !/["“”`']|\n/.test(one))
  fc.assert(
    fc.property(text, text, (start, end) => {
      const answer = writeRegex(`starts with "${start}" and ends with "${end}"`, none)
      if ('fault' in answer) {
        throw new Error(answer.fault)
      }
      const pattern = new RegExp(answer.output, 'u')
      expect(pattern.test(start + end)).toBe(true)
      for (const one of [start, end, `${start}x`, `x${end}`, start + end.slice(1)]) {
        expect(pattern.test(one)).toBe(one.startsWith(start) && one.endsWith(end))
      }
    }),
    deep(100)
  )
})

it('writeRegex never fails, whatever the description', () => {
  const words = [
    'starts with',
    'ends with',
    'contains',
    'not',
    'like',
    'or',
    'and',
    ',',
    'then',
    'any of',
    'a',
    'uuid',
    'URL',
    '"',
    '/a',
    'x',
    '(',
    '.',
    'at'
  ]
  const ask = fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string()), { maxLength: 20 })
    .map((all) => all.join(' '))
  fc.assert(
    fc.property(
      ask,
      fc.array(fc.string(), { maxLength: 3 }),
      fc.array(fc.string(), { maxLength: 3 }),
      (text, examples, counter_examples) => {
        const answer = writeRegex(text, { examples, counter_examples })
        if ('fault' in answer) {
          expect(answer.fault).not.toBe('')
        } else {
          expect(answer.rejected.slice(0, counter_examples.length)).toEqual(counter_examples)
          expect(answer.matched.slice(0, examples.length).map((one) => one.text)).toEqual(examples)
        }
      }
    ),
    deep(100)
  )
})

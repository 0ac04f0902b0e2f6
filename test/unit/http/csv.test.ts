import { describe, expect, it } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { affordPages, csvLine, flatten } from '../../../src/http/csv.ts'

describe('a cell of CSV', () => {
  it.each([
    ['=1+1'],
    ['+1+1'],
    ['-1-1'],
    ['- 1'],
    ['-a'],
    ['@SUM(A1)'],
    ['\t=1'],
    ['\r=1'],
    ['\n=1'],
    [' =1'],
    ['\r\n =1'],
    ['\u00a0=1'],
    ['\ufeff=1'],
    ['＝1+1'],
    ['＋1'],
    ['－1'],
    ['＠SUM(A1)'],
    ['\n＝1']
  ])('is not run by a spreadsheet: %j', (text) => {
    expect(csvLine([text]).trimEnd().replace(/^"/, '')).toMatch(/^'/)
  })

  it.each([
    ['a=1', 'a=1\r\n'],
    ['a\n=1', '"a\n=1"\r\n'],
    [' a', ' a\r\n'],
    ['', '\r\n'],
    [-1.5, '-1.5\r\n'],
    ['-5', '-5\r\n'],
    ['-1.5e-3', '-1.5e-3\r\n'],
    ['+4930123456', '+4930123456\r\n'],
    ['1-2', '1-2\r\n']
  ])('is unchanged if it is not a formula: %j', (value, line) => {
    expect(csvLine([value])).toBe(line)
  })
})

it('control characters are replaced in CSV, except tabs and line breaks', () => {
  expect(csvLine(['a\u0000b\u001b[31m\u009b', 'a\tb\nc', { a: '\u0000' }])).toBe(
    'a\ufffdb\ufffd[31m\ufffd,"a\tb\nc","{""a"":""\\u0000""}"\r\n'
  )
})

describe('a row of CSV', () => {
  it('joins nested names with dots, keeps lists whole and leaves out empty objects', () => {
    expect(
      Object.fromEntries(flatten({ a: { b: { c: 1 }, d: [1, { e: 2 }] }, f: {}, g: null }))
    ).toEqual({
      'a.b.c': 1,
      'a.d': [1, { e: 2 }],
      g: null
    })
  })

  it.each([
    [
      { 'a.b': 1, a: { b: 2 } },
      { 'a.b': 1, a: { b: 2 } }
    ],
    [
      { a: { b: 2, c: 3 }, 'a.b': 1 },
      { 'a.b': 1, a: { b: 2, c: 3 } }
    ],
    [
      { a: { 'b.c': 1 }, 'a.b': { c: 2 } },
      { 'a.b.c': 1, 'a.b': { c: 2 } }
    ],
    [{ p: { a: { b: 2 }, 'a.b': null } }, { 'p.a': { b: 2 }, 'p.a.b': null }],
    [
      { a: { b: 1 }, 'a.c': 2 },
      { 'a.b': 1, 'a.c': 2 }
    ]
  ])(
    'keeps an object whole if one of its cells would have the name of another: %j',
    (row, cells) => {
      expect(Object.fromEntries(flatten(row))).toEqual(cells)
    }
  )
})

describe('an export', () => {
  /** Reads pages of one query each, as far as an export may, after some other queries. */
  const readPages = async (count: number, others = 0, again = 2) => {
    const usage = { ...newUsage(), queries: others }
    async function* pages() {
      for (let page = 0; page < count; page += 1) {
        usage.queries += 1
        yield page
      }
    }
    let read = 0
    for await (const _ of affordPages(pages(), usage, again)) {
      read += 1
    }
    return read
  }

  it('is made if its rows can be read twice with the queries of one invocation', async () => {
    expect(await readPages(316)).toBe(316)
    expect(await readPages(475, 0, 1)).toBe(475)
  })

  it.each([
    [317, 0],
    [300, 60]
  ])('is refused before it begins: %i pages after %i queries', async (pages, others) => {
    await expect(readPages(pages, others)).rejects.toMatchObject({
      code: 'query_too_large',
      attr: 'limit'
    })
  })
})

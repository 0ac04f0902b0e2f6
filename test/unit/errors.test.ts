import { describe, expect, it } from 'vitest'
import { describeError, withoutQuotes } from '../../src/errors.ts'

describe('a described error', () => {
  it.each([
    [
      `Unexpected token 'a', "{"a": ada@e"... is not valid JSON`,
      `Unexpected token 'a', "…"... is not valid JSON`
    ],
    [
      `D1_ERROR: bad JSON path: 'ada@example.com': SQLITE_ERROR`,
      `D1_ERROR: bad JSON path: '…': SQLITE_ERROR`
    ],
    [`near "ada": syntax error`, 'near "…": syntax error'],
    [`can't read 'x', and won't`, `can't read 'x', and won't`]
  ])('masks what a parser quotes, and keeps apostrophes: %s', (message, masked) => {
    expect(withoutQuotes(message)).toBe(masked)
  })

  it('is the error of the database, not that of the query', () => {
    const cause = new Error(`bad JSON path: 'ada@example.com'`)
    const error = new Error("Failed query: select 'ada@example.com'", { cause })

    expect(describeError(error)).toBe(`Error: bad JSON path: '…'`)
  })
})

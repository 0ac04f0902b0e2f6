import { describe, expect, it } from 'vitest'
import { computeSql } from '../../../src/sql/answer.ts'
import { readSql } from '../../../src/sql/request.ts'

const NOW = new Date('2026-03-04T12:00:00Z')
const PROJECT = { id: 1, timezone: 'Europe/Berlin', weekStart: 0 }

/** Statements without a table read nothing. */
const NO_DB = undefined as never

/** Computes a statement that has no table. */
function answer(query: string) {
  const settings = { ...PROJECT, testAccountFilters: [] }
  const read = readSql({ kind: 'HogQLQuery', query }, settings, NOW)
  return computeSql({ db: NO_DB, project: PROJECT }, read, NOW)
}

const rowsOf = async (query: string) => (await answer(query)).results

describe('an expression that grows', () => {
  /** Names each column by doubling the one before it. */
  const doubled = (first: string, double: (name: string) => string, count = 60) =>
    [
      `${first} AS a0`,
      ...Array.from({ length: count }, (_, i) => `${double(`a${i}`)} AS a${i + 1}`)
    ].join(', ')

  const source = "(SELECT 'x' AS x)"

  it.each([
    `SELECT ${doubled('x', (name) => `concat(${name}, ${name})`)} FROM ${source}`,
    `SELECT ${doubled("'x'", (name) => `concat(${name}, ${name})`)}`,
    `SELECT ${doubled('count()', (name) => `${name} + ${name}`)} FROM ${source}`,
    `SELECT ${doubled('length(x)', (name) => `(${name}, ${name}).1`)} FROM ${source}`,
    `SELECT ${doubled('x', (name) => `concat(${name}, ${name})`, 12)}, ${Array.from({ length: 100 }, () => 'upper(a12)').join()} FROM ${source}`
  ])('is refused when names repeat it too often: %s', async (statement) => {
    await expect(answer(statement)).rejects.toMatchObject({
      code: 'invalid_input',
      attr: 'query',
      message: expect.stringContaining('compute it in a subquery')
    })
  })

  it('may be repeated by many names', async () => {
    const columns = doubled('x', (name) => `concat(${name}, ${name})`, 10)

    const [row = []] = await rowsOf(`SELECT ${columns} FROM ${source}`)

    expect(row.at(-1)).toBe('x'.repeat(1024))
  })

  const long = 'a'.repeat(5_000)
  const times = (name: string, count: number) => Array.from({ length: count }, () => name).join()

  it.each([
    `SELECT concat(${times('b', 50)}) FROM (SELECT concat(${times('x', 50)}) AS b FROM (SELECT '${long}' AS x))`,
    `SELECT replaceAll('${long}', 'a', '${long}')`,
    `SELECT replace(x, 'a', x) FROM (SELECT '${long}' AS x)`,
    `SELECT replaceOne(b, 'a', b) FROM (SELECT concat(${times('x', 150)}) AS b FROM (SELECT '${long}' AS x))`,
    `SELECT replaceRegexpAll('${long}', 'a', '${long}')`,
    `SELECT replaceRegexpOne('${long}', 'a*', '${'\\\\0'.repeat(1_000)}')`,
    `SELECT toString([${times('b', 50)}]) FROM (SELECT concat(${times('x', 50)}) AS b FROM (SELECT '${long}' AS x))`
  ])('is refused when its text becomes too long', async (statement) => {
    await expect(answer(statement)).rejects.toMatchObject({
      code: 'invalid_input',
      attr: 'query',
      message: expect.stringContaining('more than 1000000 characters')
    })
  })

  it('is refused when the texts of all columns become too long', async () => {
    const columns = Array.from({ length: 60 }, (_, i) => `concat(b, '${i}')`).join()

    await expect(
      answer(
        `SELECT ${columns} FROM (SELECT concat(${times('x', 180)}) AS b FROM (SELECT '${long}' AS x))`
      )
    ).rejects.toMatchObject({ code: 'query_too_large', attr: 'rows' })
  })

  it('is refused when its places repeat it too often', async () => {
    const list = Array.from({ length: 700 }, (_, i) => `'${i}'`).join()

    await expect(
      answer(`SELECT x IN (${list}) AS y FROM ${source} ORDER BY ${times('1', 500)}`)
    ).rejects.toMatchObject({ code: 'invalid_input', attr: 'query' })
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { computeSql } from '../../../src/sql/answer.ts'
import { readSql } from '../../../src/sql/request.ts'
import { deep } from '../../support/depth.ts'

const NOW = new Date('2026-03-04T12:00:00Z')
const PROJECT = { id: 1, timezone: 'Europe/Berlin', weekStart: 0 }

/** Statements without a table read nothing. */
const NO_DB = undefined as never

const page = readFileSync(join(import.meta.dirname, '../../../docs/sql-queries.md'), 'utf8')

const statements = [...page.matchAll(/^\| `(.+)` \| `.+` \|$/gm)]
  .map(([, expression = '']) => `SELECT ${expression.replaceAll('\\|', '|')}`)
  .filter((statement) => !statement.includes('properties'))

const words = statements.flatMap((statement) => statement.match(/\w+|'[^']*'|\S/g) ?? [])

/** A statement in which some words are replaced by others, left out or repeated. */
const mutated = fc
  .tuple(
    fc.constantFrom(...statements),
    fc.array(
      fc.record({
        at: fc.nat(40),
        kind: fc.constantFrom('replace', 'remove', 'insert'),
        word: fc.oneof(
          fc.constantFrom(...words, 'FROM', '(SELECT 1 AS n)', 'UNION ALL SELECT', 'GROUP BY 1'),
          fc.constantFrom(
            '-1',
            '1e400',
            '99999999999999',
            "''",
            'NULL',
            'nan',
            '[]',
            '{a}',
            "'é😀'"
          )
        )
      }),
      { minLength: 1, maxLength: 4 }
    )
  )
  .map(([statement, changes]) => {
    const parts = statement.match(/\w+|'[^']*'|\s+|\S/g) ?? []
    for (const { at, kind, word } of changes) {
      parts.splice(
        1 + (at % parts.length),
        kind === 'insert' ? 0 : 1,
        kind === 'remove' ? '' : ` ${word} `
      )
    }
    return parts.join('')
  })

it('answers or refuses every mutated statement', async () => {
  await fc.assert(
    fc.asyncProperty(mutated, async (query) => {
      const settings = { ...PROJECT, testAccountFilters: [] }
      const values = { a: ['x', 1, null] }
      try {
        const read = readSql({ kind: 'HogQLQuery', query, values }, settings, NOW)
        const answer = await computeSql({ db: NO_DB, project: PROJECT }, read, NOW)
        JSON.stringify(answer)
      } catch (error) {
        if (!(error instanceof AppError)) {
          throw error
        }
      }
    }),
    deep(50_000)
  )
}, 120_000)

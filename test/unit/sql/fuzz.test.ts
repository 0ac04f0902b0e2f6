import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { computeSql } from '../../../src/sql/answer.ts'
import { readSql } from '../../../src/sql/request.ts'
import { deep, times } from '../../support/depth.ts'
import { mutated } from '../../support/mutated.ts'

const NOW = new Date('2026-03-04T12:00:00Z')
const PROJECT = { id: 1, timezone: 'Europe/Berlin', weekStart: 0 }

/** Statements without a table read nothing. */
const NO_DB = undefined as never

const page = readFileSync(join(import.meta.dirname, '../../../docs/sql-queries.md'), 'utf8')

const statements = [...page.matchAll(/^\| `(.+)` \| `.+` \|$/gm)]
  .map(([, expression = '']) => `SELECT ${expression.replaceAll('\\|', '|')}`)
  .filter((statement) => !statement.includes('properties'))

/** Without a table, no events are read. */
const readsNothing = (query: string): boolean =>
  !/\bfrom\s+(?:events|persons|sessions)\b/i.test(query)

it(
  'answers or refuses every mutated statement',
  async () => {
    await fc.assert(
      fc.asyncProperty(mutated(statements).filter(readsNothing), async (query) => {
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
  },
  300_000 * times
)

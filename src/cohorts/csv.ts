import { AppError } from '../errors.ts'
import { show } from '../input/show.ts'
import { clean } from '../persons/distinct-id.ts'
import type { Identifier } from './store.ts'

/** Rows of a file; their persons are looked up 25,000 at a time. */
export const MAX_ROWS = 250_000

/** The names of columns that tell persons apart, in the order in which they are looked for. */
const COLUMNS: readonly [Identifier, readonly string[]][] = [
  ['person_id', ['person_id', 'person id', 'person .id', 'person.id', 'uuid']],
  ['distinct_id', ['distinct_id', 'distinct-id', 'distinct id']],
  ['email', ['email', 'e-mail', 'properties.email']]
]

/** Who a file names, and how. */
export type NamedPersons = { by: Identifier; names: string[] }

/**
 * Reads a CSV file of persons. Of several columns, the header says which one names the persons: by
 * UUID (`person_id`, `uuid`), by `distinct_id` or by `email`. Of a single column without such a
 * header, every line is a distinct id.
 * @throws invalid_input, attr `csv`
 */
export function readPersonsCsv(text: string): NamedPersons {
  const rows = parseCsv(text.replace(/^\ufeff/, '')).filter((row) =>
    row.some((cell) => cell !== '')
  )
  const [header, ...others] = rows
  if (!header) {
    throw refuse('The file has no lines.')
  }
  if (rows.length > MAX_ROWS) {
    throw refuse(`The file has more than ${MAX_ROWS} lines: divide it.`)
  }
  const names = header.map((cell) => cell.trim().toLowerCase())
  for (const [by, known] of COLUMNS) {
    const column = names.findIndex((name) => known.includes(name))
    if (column >= 0) {
      return { by, names: namesIn(others, column, by) }
    }
  }
  if (rows.some((row) => row.length > 1)) {
    throw refuse(
      `The first line must name a column person_id, distinct_id or email; got ${show(header.join())}.`
    )
  }
  return { by: 'distinct_id', names: namesIn(rows, 0, 'distinct_id') }
}

const namesIn = (rows: readonly string[][], column: number, by: Identifier): string[] =>
  rows.flatMap((row) => {
    const cell = row[column] ?? ''
    const name = by === 'distinct_id' ? clean(cell) : cell.trim()
    return name === '' ? [] : [name]
  })

/** A cell, in quotes or not, and what ends it: a comma, the end of the line, or nothing. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y

/** Parses CSV by RFC 4180, also with line feeds alone. @throws invalid_input, attr `csv` */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  CELL.lastIndex = 0
  for (;;) {
    const at = CELL.lastIndex
    const match = CELL.exec(text)
    if (!match) {
      throw refuse(`Line ${rows.length} is not CSV: ${show(text.slice(at, at + 40))}.`)
    }
    const [, quoted, plain = '', end = ''] = match
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') {
      return rows
    }
    if (end !== ',') {
      rows.push([])
    }
  }
}

const refuse = (detail: string): AppError => new AppError('invalid_input', detail, 'csv')

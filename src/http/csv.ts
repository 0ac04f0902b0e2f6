import type { Context } from 'hono'
import * as z from 'zod'
import type { Usage } from '../db/client.ts'
import { AppError } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import { Flag } from '../input/parameters.ts'
import { withoutControls } from '../input/show.ts'
import { hasParameter } from '../input/url.ts'
import type { AppEnv } from './env.ts'
import { streamTexts } from './stream.ts'

export const FormatQuery = z.object({
  format: z.enum(['json', 'csv']).optional().meta({
    description:
      'Format of the response; errors are always JSON. Without `format`, `Accept: text/csv` asks for CSV.'
  }),
  bom: Flag.optional().meta({
    description:
      'Whether CSV begins with a byte order mark, by which Excel recognizes UTF-8. Only with CSV.'
  })
})

type Format = 'json' | 'csv'

/**
 * Whether to send CSV: by `format`, or else an `Accept` that begins with `text/csv`.
 * @throws invalid_input, attr `bom`, for the mark of a file that is not sent
 */
export function wantsCsv(c: Context<AppEnv>, format: Format | undefined): boolean {
  const isTable = isCsv(c.req.header('Accept'), format)
  if (!isTable) {
    expectNoMark(c)
  }
  return isTable
}

/** @throws invalid_input, attr `bom`, if the request asks for the mark of a CSV file */
export function expectNoMark(c: Context<AppEnv>): void {
  if (hasParameter(c.req.url, 'bom')) {
    throw new AppError('invalid_input', 'Only CSV can have a `bom`: add `format=csv`.', 'bom')
  }
}

/** Like `wantsCsv`, for a request of which only the `Accept` header is known. */
export const isCsv = (accept: string | undefined, format: Format | undefined): boolean =>
  format === undefined ? /^text\/csv\s*(?:[;,]|$)/i.test(accept ?? '') : format === 'csv'

/**
 * Flattens an object to one CSV row: joins nested keys with dots, keeps arrays whole, drops empty
 * objects. An object stays whole if a column that it would be split into is taken already, so that
 * no value is lost.
 *
 * `{"id":1,"properties":{"plan":"pro","tags":["a"]}}` → `id` 1, `properties.plan` pro,
 * `properties.tags` `["a"]`
 *
 * `{"a.b":1,"a":{"b":2}}` → `a.b` 1, `a` `{"b":2}`
 */
export function flatten(value: JsonObject): Map<string, Json> {
  const cells = new Map<string, Json>()
  for (const [name, inner] of Object.entries(value)) {
    const nested = isObject(inner) ? cellsBelow(name, inner) : [[name, inner] as const]
    // A value that is not split has its own name as its path, which is not a clash.
    const isTaken = nested.some(
      ([path]) => cells.has(path) || (path !== name && Object.hasOwn(value, path))
    )
    for (const [path, cell] of isTaken ? [[name, inner] as const] : nested) {
      cells.set(path, cell)
    }
  }
  return cells
}

const cellsBelow = (name: string, inner: JsonObject) =>
  [...flatten(inner)].map(([path, cell]) => [`${name}.${path}`, cell] as const)

/**
 * Returns one line of CSV (RFC 4180) with its line break. Null is empty; a `'` before formulas
 * makes them harmless; U+FFFD replaces control characters, which end or break files in some
 * programs.
 */
export const csvLine = (cells: (Json | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

/**
 * Matches a text that a spreadsheet may run as a formula. Some spreadsheets trim white space first,
 * some also accept full-width signs. OWASP lists a tab or carriage return at the beginning as well.
 */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/u
/** Matches a number with a sign, which is not a formula: `-5`, `+1.5e3`. */
const SIGNED_NUMBER = /^[+-]\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) {
    return ''
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return String(value)
  }
  const text = withoutControls(typeof value === 'string' ? value : JSON.stringify(value))
  const safe = FORMULA.test(text) && !SIGNED_NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Responds with one object, as JSON or as a CSV file with one row. */
export const answerOne = (
  c: Context<AppEnv>,
  name: string,
  json: JsonObject,
  format: Format | undefined
): Response =>
  wantsCsv(c, format)
    ? csvResponse(c, name, [...flatten(json).keys()].sort(), [[json]])
    : c.json(json)

/** Queries of an export: D1 allows 1,000 per invocation, and the request needs others. */
const MAX_EXPORT_QUERIES = 950

/** The sentence about an export that would take too many queries. */
export const TOO_LONG = `The file would take more than ${MAX_EXPORT_QUERIES} queries of the database: ask for several files with \`limit\` and \`offset\`.`

/**
 * Refuses an export before it begins if the request cannot make so many more queries.
 * @throws query_too_large, attr `limit`
 */
export function expectAffordable(usage: Usage, queries: number): void {
  if (usage.queries + queries > MAX_EXPORT_QUERIES) {
    throw new AppError('query_too_large', TOO_LONG, 'limit')
  }
}

/**
 * Yields the pages from which an export finds its columns. An export reads its rows a second time,
 * which takes `again` queries for each query of this first time; when the queries would not suffice
 * for it, the export is refused before it begins.
 * @throws query_too_large, attr `limit`
 */
export async function* affordPages<Page>(
  pages: AsyncIterable<Page>,
  usage: Usage,
  again: number
): AsyncGenerator<Page> {
  const before = usage.queries
  for await (const page of pages) {
    expectAffordable(usage, again * (usage.queries - before))
    yield page
  }
}

type Pages = AsyncIterable<JsonObject[]> | JsonObject[][]

/** Streams rows as CSV, one chunk per page of rows, no faster than the client reads. */
export function csvResponse(
  c: Context<AppEnv>,
  name: string,
  columns: string[],
  pages: Pages
): Response {
  nameFile(c, name)
  return streamTexts(c, csvLines(markOf(c), columns, pages))
}

/** Lines of a table that are sent as one piece. */
const LINES_AT_ONCE = 1_000

/**
 * Streams a table as a CSV file, no faster than the client reads; the first row is the header.
 */
export function csvTable(c: Context<AppEnv>, name: string, table: Json[][]): Response {
  nameFile(c, name)
  return streamTexts(c, tableLines(markOf(c), table))
}

async function* tableLines(mark: string, table: Json[][]): AsyncGenerator<string, void> {
  for (let from = 0; from < table.length; from += LINES_AT_ONCE) {
    const lines = table
      .slice(from, from + LINES_AT_ONCE)
      .map(csvLine)
      .join('')
    yield from === 0 ? mark + lines : lines
  }
}

function nameFile(c: Context<AppEnv>, name: string): void {
  c.header('Content-Type', 'text/csv; charset=utf-8')
  c.header('Content-Disposition', `attachment; filename="${name}.csv"`)
}

/** Returns the byte order mark that the file begins with, if the request asks for it. */
const markOf = (c: Context<AppEnv>): string =>
  Flag.safeParse(c.req.query('bom')).data ? '\ufeff' : ''

/** Returns an example response as CSV: a header, then a line for each result. */
export function csvExample(json: JsonObject): string {
  const rows = Array.isArray(json.results) ? json.results.filter(isObject) : [json]
  const cells = rows.map((row) => flatten(row))
  const columns = [...new Set(cells.flatMap((row) => [...row.keys()]))].sort()
  return [columns, ...cells.map((row) => columns.map((column) => row.get(column)))]
    .map(csvLine)
    .join('')
}

async function* csvLines(
  mark: string,
  columns: string[],
  pages: Pages
): AsyncGenerator<string, void> {
  yield mark + csvLine(columns)
  for await (const rows of pages) {
    const cells = rows.map((row) => flatten(row))
    yield cells.map((row) => csvLine(columns.map((column) => row.get(column)))).join('')
  }
}

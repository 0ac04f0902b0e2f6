import type { Context } from 'hono'
import * as z from 'zod'
import { isObject, type Json, type JsonObject } from '../input/json.ts'
import type { AppEnv } from './env.ts'

export const FormatQuery = z.object({
  format: z.enum(['json', 'csv']).optional().meta({
    description:
      'Of the answer; an error is JSON in any case. Without it, `Accept: text/csv` asks for CSV.'
  })
})

/** `format` decides; without it, a client that accepts CSV and not JSON gets CSV. */
export const wantsCsv = (c: Context<AppEnv>, format: Format | undefined): boolean =>
  isCsv(c.req.header('Accept'), format)

type Format = 'json' | 'csv'

/** The same of a request whose header `Accept` says this. */
export const isCsv = (accept: string | undefined, format: Format | undefined): boolean =>
  (format ?? (/^text\/csv\b/i.test(accept ?? '') ? 'csv' : 'json')) === 'csv'

/** Nested keys joined with dots; an array is one cell of JSON; an empty object has no cell. */
export function flatten(value: JsonObject, prefix = ''): Map<string, Json> {
  const cells = new Map<string, Json>()
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix + key
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      for (const [path, cell] of flatten(inner, `${name}.`)) {
        cells.set(path, cell)
      }
    } else {
      cells.set(name, inner)
    }
  }
  return cells
}

/** RFC 4180 line. */
export const csvLine = (cells: (Json | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`

/** A text that a spreadsheet runs as a formula. Some trim white space first, and some read full-width signs. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/u

function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) {
    return ''
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return String(value)
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One object, which as CSV is one row. */
export const answerOne = (
  c: Context<AppEnv>,
  name: string,
  json: JsonObject,
  format: 'json' | 'csv' | undefined
): Response =>
  wantsCsv(c, format)
    ? csvResponse(c, name, [...flatten(json).keys()].sort(), [[json]])
    : c.json(json)

type Pages = AsyncIterable<JsonObject[]> | JsonObject[][]

/** Streams rows as CSV, one chunk for each list of rows, no faster than the client reads. */
export function csvResponse(
  c: Context<AppEnv>,
  name: string,
  columns: string[],
  pages: Pages
): Response {
  c.header('Content-Type', 'text/csv; charset=utf-8')
  c.header('Content-Disposition', `attachment; filename="${name}.csv"`)
  if (c.req.method === 'HEAD') {
    return c.body(null)
  }
  const lines = csvLines(columns, pages)
  const encoder = new TextEncoder()
  const { promise: streamed, resolve } = Promise.withResolvers<void>()
  c.set('streamed', streamed)
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await lines.next()
        if (!done) {
          return controller.enqueue(encoder.encode(value))
        }
        controller.close()
      } catch (error) {
        controller.error(error)
      }
      resolve()
    },
    async cancel() {
      await lines.return()
      resolve()
    }
  })
  return c.body(stream)
}

/** A table that is at hand, its header first. */
export function csvTable(c: Context<AppEnv>, name: string, table: Json[][]): Response {
  c.header('Content-Type', 'text/csv; charset=utf-8')
  c.header('Content-Disposition', `attachment; filename="${name}.csv"`)
  return c.body(table.map(csvLine).join(''))
}

/** What an answer in JSON looks like in CSV: a line for each of a list's results, or one. */
export function csvExample(json: JsonObject): string {
  const rows = Array.isArray(json.results) ? json.results.filter(isObject) : [json]
  const cells = rows.map((row) => flatten(row))
  const columns = [...new Set(cells.flatMap((row) => [...row.keys()]))].sort()
  return [columns, ...cells.map((row) => columns.map((column) => row.get(column)))]
    .map(csvLine)
    .join('')
}

async function* csvLines(columns: string[], pages: Pages): AsyncGenerator<string, void> {
  yield csvLine(columns)
  for await (const rows of pages) {
    const cells = rows.map((row) => flatten(row))
    yield cells.map((row) => csvLine(columns.map((column) => row.get(column)))).join('')
  }
}

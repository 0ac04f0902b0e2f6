import type { Context } from 'hono'
import * as z from 'zod'
import type { PageRows } from '../db/page.ts'
import { AppError } from '../errors.ts'
import { sha256 } from '../hash.ts'
import { Whole, wholeFrom } from '../input/parameters.ts'
import { hasParameter } from '../input/url.ts'
import type { AppEnv } from './env.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

/**
 * The parameters of a list. A page has at most 1000 results, even with a higher `limit`. `cursor`
 * continues where the previous page ended.
 */
export const PageQuery = z.object({
  limit: wholeFrom(1)
    .meta({
      description: `Results per page: ${DEFAULT_LIMIT} by default. A higher \`limit\` than ${MAX_LIMIT} counts as ${MAX_LIMIT}.`
    })
    .optional(),
  offset: Whole.default(0).meta({ description: 'The index of the first result, 0 by default.' }),
  cursor: z.string().max(500).optional().meta({
    description:
      'The position where the previous page ended, from its `next` link. It contains the offset, and makes page 10,000 as fast as page 1.'
  })
})

/** The parameters of a list that can also be CSV, where `limit` has no maximum. */
export const CsvPageQuery = PageQuery.extend({
  limit: PageQuery.shape.limit.meta({
    description: `Results per page: ${DEFAULT_LIMIT} by default. A higher \`limit\` than ${MAX_LIMIT} counts as ${MAX_LIMIT}. In CSV, the number of rows: all by default, without a maximum.`
  })
})

export const pageSize = (limit: number | undefined, maximum = MAX_LIMIT): number =>
  Math.min(limit ?? DEFAULT_LIMIT, maximum)

type Page<T> = {
  results: T[]
  count: number
  size: number
  offset: number
  hasMore: boolean
  cursor?: string | undefined
}

/**
 * Returns the body of a list's page. Links are absolute and keep the other parameters of the
 * request's URL.
 */
export const pageOf = <T>(
  url: string,
  { results, count, size, offset, hasMore, cursor }: Page<T>
) => ({
  count,
  next: hasMore ? pageLink(url, { size, offset: offset + size, cursor }) : null,
  previous: offset > 0 ? pageLink(url, { size, offset: Math.max(0, offset - size) }) : null,
  results
})

/** Returns the absolute URL of another page, with the other parameters of a request's URL. */
export function pageLink(
  url: string,
  { size, offset, cursor }: { size: number; offset: number; cursor?: string | undefined }
): string {
  const target = new URL(url)
  for (const name of ['limit', 'offset', 'page', 'cursor']) {
    target.searchParams.delete(name)
  }
  target.searchParams.set('limit', String(size))
  if (offset > 0) {
    target.searchParams.set('offset', String(offset))
  }
  if (cursor !== undefined) {
    target.searchParams.set('cursor', cursor)
  }
  return target.href
}

/** Returns the schema of a page of items; `id` is its name in the API reference. */
export const pageSchema = <S extends z.ZodType>(id: string, item: S) => {
  const results = z.globalRegistry.get(item)?.examples ?? []
  return z
    .object({
      count: z.int().min(0).meta({
        description:
          'The exact number of results on all pages. Pages that continue at a `cursor` may repeat the number of the first page.'
      }),
      next: z
        .url()
        .nullable()
        .meta({ description: 'The absolute URL of the next page; null on the last page.' }),
      previous: z
        .url()
        .nullable()
        .meta({ description: 'The absolute URL of the previous page; null on the first page.' }),
      results: z.array(item)
    })
    .meta({ id, examples: [{ count: results.length, next: null, previous: null, results }] })
}

/**
 * Encodes a position as a cursor: base64url of JSON, opaque to clients. `offset` is the index of
 * the first result after it.
 */
export const encodeCursor = (value: object, offset: number): string =>
  btoa(JSON.stringify({ ...value, offset }))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** The index at which a cursor continues. */
const Place = z.object({ offset: z.int().min(0) })

/**
 * Returns where a page begins: after which position, if there is a cursor, and at which index.
 * @param url the request's URL; an `offset` in it must be the cursor's
 * @throws invalid_input, attr `cursor` or `offset`
 */
function readPosition<S extends z.ZodType>(
  url: string,
  schema: S,
  { cursor, offset }: { cursor?: string | undefined; offset: number }
): { after: z.output<S> | undefined; offset: number } {
  if (cursor === undefined) {
    return { after: undefined, offset }
  }
  const [after, place] = decodeCursor(z.tuple([schema, Place]), cursor)
  if (hasParameter(url, 'offset') && place.offset !== offset) {
    throw new AppError(
      'invalid_input',
      `This cursor continues at offset ${place.offset}: leave out \`offset\`, or leave out \`cursor\` to start elsewhere.`,
      'offset'
    )
  }
  return { after, offset: place.offset }
}

/**
 * The cursor of a list: the position of a page's last row and, for a filtered list, the number of
 * matches and the name of the filters that they match.
 */
export const cursorSchema = <S extends z.ZodRawShape>(position: S) =>
  z.object({ ...position, counted: Counted.optional() })

const Counted = z.object({ count: z.int().min(0), filters: z.string() })

type Cursor = { counted?: z.output<typeof Counted> | undefined }

/** Returns a name for the filters of a project's list; equal filters have the same name. */
export const nameFilters = (projectId: number, filters: unknown): string =>
  sha256(JSON.stringify([projectId, filters]))

/** The cursor of a list whose pages are found by their offset alone. */
export const NO_CURSOR = cursorSchema({})

/** A page that a request asks for. */
export type AskedPage<After> = {
  /** The request's URL. */
  url: string
  size: number
  offset: number
  /** The rows to read: one more than the page shows, which says whether there is a next page. */
  rows: { limit: number; offset: number; after: After | undefined }
  /** Returns the name of the filters; undefined for a list without any. */
  nameOf: (() => string) | undefined
  /** The number of matches, if an earlier page has counted them. */
  knownCount: number | undefined
}

type PageParameters = { limit?: number | undefined; offset: number; cursor?: string | undefined }

/**
 * Reads which page a request asks for.
 * @param query the parameters, and the maximum of `limit` if it is another than 1000
 * @throws invalid_input, attr `cursor` or `offset`
 */
export function readPage<S extends z.ZodType<Cursor>>(
  url: string,
  cursor: S,
  query: PageParameters & { maximum?: number },
  nameOf?: () => string
): AskedPage<z.output<S>> {
  const size = pageSize(query.limit, query.maximum)
  const { after, offset } = readPosition(url, cursor, query)
  const counted = after?.counted
  return {
    url,
    size,
    offset,
    rows: { limit: size + 1, offset: after ? 0 : offset, after },
    nameOf,
    knownCount: counted && counted.filters === nameOf?.() ? counted.count : undefined
  }
}

/** Returns the rows that a page shows, and `place`, the other arguments of `pageOf`. */
export function cutPage<Row>(
  { size, offset, nameOf }: AskedPage<unknown>,
  { rows, count }: PageRows<Row>,
  positionOf?: (last: Row) => object
) {
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  const hasMore = rows.length > size
  const counted = hasMore && nameOf ? { count, filters: nameOf() } : undefined
  const cursor =
    hasMore && last && positionOf
      ? encodeCursor({ ...positionOf(last), counted }, offset + size)
      : undefined
  return { shown, place: { count, size, offset, hasMore, cursor } }
}

type Shown<Row, Item> = {
  toJson: (row: Row) => Item | Promise<Item>
  /** The position of a row, for the next page's cursor; without it, an offset does. */
  positionOf?: (last: Row) => object
}

/**
 * Answers with a page of a list.
 * @param found the rows that `page.rows` asks for, and the number of all that match
 */
export async function answerList<Row, Item>(
  c: Context<AppEnv>,
  page: AskedPage<unknown>,
  found: PageRows<Row>,
  { toJson, positionOf }: Shown<Row, Item>
): Promise<Response> {
  const { shown, place } = cutPage(page, found, positionOf)
  const results = await Promise.all(shown.map(toJson))
  return c.json(pageOf(page.url, { ...place, results }))
}

/** Returns the rows of a whole list that a page asks for. */
export const rowsOf = <Row>({ rows }: AskedPage<unknown>, all: readonly Row[]): PageRows<Row> => ({
  rows: all.slice(rows.offset, rows.offset + rows.limit),
  count: all.length
})

/** Refuses a cursor for CSV, which has no pages. @throws invalid_input, attr `cursor` */
export function expectNoCursor(cursor: string | undefined): void {
  if (cursor !== undefined) {
    throw new AppError(
      'invalid_input',
      'CSV has no pages: select a part with `offset` and `limit` instead of `cursor`.',
      'cursor'
    )
  }
}

function decodeCursor<S extends z.ZodType>(schema: z.ZodTuple<[S, typeof Place]>, cursor: string) {
  try {
    const json = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')))
    // Each of the two schemas takes its own members from the same object.
    return schema.parse([json, json])
  } catch {
    throw new AppError(
      'invalid_input',
      'This cursor is not valid: take it from the answer of an earlier request.',
      'cursor'
    )
  }
}

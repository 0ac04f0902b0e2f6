import type { Context } from 'hono'
import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { AppError, NotFoundError } from '../../errors.ts'
import { csvResponse, expectAffordable, FormatQuery, flatten, wantsCsv } from '../../http/csv.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import {
  answerList,
  CsvPageQuery,
  cursorSchema,
  expectNoCursor,
  pageSize,
  readPage
} from '../../http/page.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { wholeFrom } from '../../input/parameters.ts'
import { hasParameter } from '../../input/url.ts'
import { PersonPath } from '../path.ts'
import type { PersonId } from '../store.ts'
import { OF_ALL, OF_ONE } from './reference.ts'
import { ACTIVITY_EXAMPLE, type ActivityRow, activityToJson } from './schemas.ts'
import { exportActivity, listActivity, MAX_PAGE_ROWS } from './store.ts'

const ActivityQuery = z.object({
  ...CsvPageQuery.shape,
  page: wholeFrom(1)
    .meta({
      description:
        'The number of the page, from 1; an alternative to `offset`. In CSV, it needs a `limit`.'
    })
    .optional(),
  ...FormatQuery.shape
})
type ActivityQuery = z.output<typeof ActivityQuery>

/** The id of a page's last entry. For a list of one person, the cursor also has the count. */
const Cursor = cursorSchema({ id: z.int() })

export const activityRoutes = createRouter()
  .get('/persons/activity', OF_ALL, allow('activity_log:read'), validateQuery(ActivityQuery), (c) =>
    answerActivity(c, c.req.valid('query'))
  )
  .get(
    '/persons/:id/activity',
    OF_ONE,
    allow('activity_log:read'),
    validatePath(PersonPath),
    validateQuery(ActivityQuery),
    (c) => answerActivity(c, c.req.valid('query'), c.req.valid('param').id)
  )

async function answerActivity(
  c: Context<AppEnv>,
  query: ActivityQuery,
  person?: PersonId
): Promise<Response> {
  const { limit, format } = query
  const isCsv = wantsCsv(c, format)
  if (isCsv) {
    expectNoCursor(query.cursor)
  }
  const page = readPage(
    c.req.url,
    Cursor,
    query.page === undefined
      ? query
      : { limit, offset: toOffset(c.req.url, query.page, isCsv ? limit : pageSize(limit)) },
    person && (() => JSON.stringify(person))
  )
  // For CSV, this reads no rows and only checks that the person exists: `exportActivity` reads the
  // rows.
  const list = await listActivity(c.var, person, {
    page: { ...page.rows, limit: isCsv ? 0 : page.rows.limit, after: page.rows.after?.id },
    knownCount: page.knownCount
  })
  if (!list) {
    throw new NotFoundError()
  }
  if (isCsv) {
    const rows = Math.min(limit ?? Number.POSITIVE_INFINITY, list.count - page.offset)
    expectAffordable(c.var.usage, Math.ceil(rows / MAX_PAGE_ROWS))
    const columns = [...flatten(ACTIVITY_EXAMPLE).keys()].sort()
    return csvResponse(
      c,
      'activity',
      columns,
      toJsonPages(exportActivity(c.var, person, { limit, offset: page.offset }))
    )
  }

  return answerList(c, page, list, { toJson: activityToJson, positionOf: ({ id }) => ({ id }) })
}

/**
 * Returns the offset of a page of `size` entries; `size` is undefined for CSV without a limit.
 * @throws invalid_input, attr `page`, if the URL has `offset` or `cursor` as well, or if there is
 * no size
 */
function toOffset(url: string, page: number, size: number | undefined): number {
  if (hasParameter(url, 'offset') || hasParameter(url, 'cursor')) {
    throw new AppError('invalid_input', 'Send only one of `page`, `offset` and `cursor`.', 'page')
  }
  if (size === undefined) {
    throw new AppError('invalid_input', 'In CSV, `page` needs a `limit`.', 'page')
  }
  return (page - 1) * size
}

async function* toJsonPages(pages: AsyncIterable<ActivityRow[]>) {
  for await (const rows of pages) {
    yield rows.map(activityToJson)
  }
}

import type { Context } from 'hono'
import * as z from 'zod'
import { AppError, NotFoundError } from '../../errors.ts'
import { allow } from '../../http/auth.ts'
import { csvResponse, FormatQuery, flatten, wantsCsv } from '../../http/csv.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import {
  encodeCursor,
  expectNoCursor,
  PageQuery,
  pageOf,
  pageSchema,
  pageSize,
  readPosition
} from '../../http/page.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { wholeFrom } from '../../input/parameters.ts'
import { PersonPath } from '../path.ts'
import type { PersonId } from '../store.ts'
import { ACTIVITY_EXAMPLE, ActivityJson, type ActivityRow, activityToJson } from './schemas.ts'
import { exportActivity, listActivity } from './store.ts'

const ActivityQuery = z.object({
  ...PageQuery.shape,
  page: wholeFrom(1)
    .meta({ description: 'The number of the page, from 1; an alternative to `offset`.' })
    .optional(),
  ...FormatQuery.shape
})
type ActivityQuery = z.output<typeof ActivityQuery>

/** The last entry of the previous page, and the number of entries of the person `of`. */
const Cursor = z.object({
  id: z.int(),
  counted: z.object({ count: z.int().min(0), of: z.string() }).optional()
})

const ActivityPage = pageSchema('ActivityPage', ActivityJson)

const OF_ALL = describe({
  id: 'persons_activity_list',
  tag: 'Persons',
  summary: 'List the activity of all persons',
  description:
    'Newest first. Includes the entries of deleted persons, without the values of their properties.',
  answers: { 200: { text: 'A page of entries.', schema: ActivityPage } }
})

const OF_ONE = describe({
  id: 'persons_activity',
  mayBeEmpty: true,
  tag: 'Persons',
  summary: 'List the activity of a person',
  description:
    'Newest first: changes through the API, with the user and the key, and merges caused by events.',
  answers: { 200: { text: 'A page of entries.', schema: ActivityPage } }
})

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
  const { db, project } = c.var
  const { limit, format } = query
  const isCsv = wantsCsv(c, format)
  if (isCsv) {
    expectNoCursor(query.cursor)
  }
  const size = pageSize(limit)
  const { after, offset } =
    query.page === undefined
      ? readPosition(c.req.url, Cursor, query)
      : { after: undefined, offset: toOffset(c.req.url, query.page, size) }
  const of = person && ('id' in person ? String(person.id) : person.uuid)
  const list = await listActivity(
    db,
    project.id,
    person,
    { limit: isCsv ? 0 : size + 1, offset: after ? 0 : offset, after: after?.id },
    after?.counted && after.counted.of === of ? after.counted.count : undefined
  )
  if (!list) {
    throw new NotFoundError()
  }
  if (isCsv) {
    const columns = [...flatten(ACTIVITY_EXAMPLE).keys()].sort()
    return csvResponse(
      c,
      'activity',
      columns,
      toJsonPages(exportActivity(db, project.id, person, { limit, offset }))
    )
  }

  const rows = list.rows.slice(0, size)
  const last = rows.at(-1)
  return c.json(
    pageOf(c.req.url, {
      results: rows.map(activityToJson),
      count: list.count,
      size,
      offset,
      hasMore: list.rows.length > size,
      cursor:
        last &&
        encodeCursor({ id: last.id, counted: of && { count: list.count, of } }, offset + size)
    })
  )
}

/** Returns the offset of a page. @throws invalid_input, attr `page`, if the URL has `offset` or `cursor` as well */
function toOffset(url: string, page: number, size: number): number {
  const { searchParams } = new URL(url)
  if (searchParams.has('offset') || searchParams.has('cursor')) {
    throw new AppError('invalid_input', 'Send only one of `page`, `offset` and `cursor`.', 'page')
  }
  return (page - 1) * size
}

async function* toJsonPages(pages: AsyncIterable<ActivityRow[]>) {
  for await (const rows of pages) {
    yield rows.map(activityToJson)
  }
}

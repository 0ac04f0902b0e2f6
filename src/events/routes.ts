import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { toIso } from '../calendar/clock.ts'
import { AppError } from '../errors.ts'
import { createRouter } from '../http/env.ts'
import { encodeCursor, PageQuery, pageLink, readPage } from '../http/page.ts'
import { streamTexts } from '../http/stream.ts'
import { validateQuery } from '../http/validation.ts'
import { IdentifyingText } from '../input/parameters.ts'
import { parametersOf } from '../input/url.ts'
import { clean } from '../persons/distinct-id.ts'
import { PersonPath } from '../persons/path.ts'
import { EVENT_FILTER_TYPES } from '../properties/filter.ts'
import { readPropertyParameters } from '../properties/parameters.ts'
import { readFilters } from '../properties/read-filters.ts'
import type { EventOrder } from './key.ts'
import { MAX_PAGE, type PageEnd, readEventPage } from './list.ts'
import { readRange } from './range.ts'
import { EventCursor, LIST } from './reference.ts'
import { eventToJson } from './schemas.ts'
import type { EventRow } from './store.ts'

/** The orders of a list, as PostHog's `orderBy` names them. */
const ORDERS: ReadonlyMap<string, EventOrder> = new Map([
  ['timestamp', 'asc'],
  ['-timestamp', 'desc'],
  ['timestamp asc', 'asc'],
  ['timestamp desc', 'desc']
])

const OrderBy = z
  .string()
  .transform((text, ctx) => {
    const name = text.trim().replace(/^\[\s*"(.*)"\s*\]$/, '$1')
    const order = ORDERS.get(name.toLowerCase())
    if (order === undefined) {
      const message = 'Events are ordered by `timestamp`, or descending by `-timestamp`.'
      ctx.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    return order
  })
  .optional()

const ListQuery = z.object({
  ...PageQuery.shape,
  limit: PageQuery.shape.limit.meta({
    description: `Events per page: 100 by default. A higher \`limit\` than ${MAX_PAGE} counts as ${MAX_PAGE}.`
  }),
  offset: PageQuery.shape.offset.meta({
    description:
      'The index of the first event, 0 by default. All events before it are passed over, so following `next` is faster.'
  }),
  order: z
    .enum(['asc', 'desc'])
    .optional()
    .meta({ description: '`desc`, the newest first, by default; `asc` for the oldest first.' }),
  orderBy: OrderBy.meta({
    type: 'string',
    description: 'The same as `order`, as `["timestamp"]` or `["-timestamp"]`.'
  }),
  event: IdentifyingText.optional().meta({ description: 'Only events with this name.' }),
  person_id: PersonPath.shape.id.optional().meta({
    description: 'Only events of this person: an integer id or a UUID.'
  }),
  distinct_id: IdentifyingText.transform(clean).optional().meta({
    description:
      'Only events with this distinct id, not those with other distinct ids of the same person.'
  }),
  session_id: IdentifyingText.optional().meta({ description: 'Only events of this session.' }),
  after: IdentifyingText.optional().meta({ description: 'Only events at this time or later.' }),
  before: IdentifyingText.optional().meta({ description: 'Only events before this time.' })
})

export const eventRoutes = createRouter().get(
  '/events',
  LIST,
  allow('query:read'),
  validateQuery(ListQuery),
  async (c) => {
    const { project, db, now } = c.var
    const query = c.req.valid('query')
    const properties = readPropertyParameters(parametersOf(c.req.url))
    const filters = {
      events: query.event === undefined ? undefined : [query.event],
      person: query.person_id,
      distinctId: query.distinct_id,
      session: query.session_id,
      ...readRange(query, project, now),
      properties: readFilters(properties ?? [], {
        timezone: project.timezone,
        now,
        types: EVENT_FILTER_TYPES,
        needsValues: true
      })
    }
    const order = readOrder(query)
    const { size, offset, rows } = readPage(c.req.url, EventCursor, { ...query, maximum: MAX_PAGE })
    const pieces = readEventPage(db, project, filters, {
      size,
      offset: rows.offset,
      order,
      after: rows.after,
      now,
      usage: c.var.usage
    })
    const linkTo = ({ count, next }: PageEnd) => {
      const to = { size, offset: offset + count }
      return next ? pageLink(c.req.url, { ...to, cursor: encodeCursor(next, to.offset) }) : null
    }
    c.header('Content-Type', 'application/json')
    // An error in the first piece is answered as such; a later one breaks the response off.
    return streamTexts(c, pageTexts(await pieces.next(), pieces, linkTo))
  }
)

/** @throws invalid_input, attr `order`, for two different orders */
function readOrder({ order, orderBy }: z.output<typeof ListQuery>): EventOrder {
  if (order !== undefined && orderBy !== undefined && order !== orderBy) {
    throw new AppError(
      'invalid_input',
      '`order` and `orderBy` contradict each other: send only one of them.',
      'order'
    )
  }
  return order ?? orderBy ?? 'desc'
}

/** Yields the JSON of a page, piece by piece. */
async function* pageTexts(
  first: IteratorResult<EventRow[], PageEnd>,
  pieces: AsyncGenerator<EventRow[], PageEnd>,
  linkTo: (end: PageEnd) => string | null
): AsyncGenerator<string, void> {
  let piece = first
  let beginning = '{"results":['
  while (!piece.done) {
    yield beginning + piece.value.map((row) => JSON.stringify(eventToJson(row))).join(',')
    beginning = ','
    piece = await pieces.next()
  }
  const { next, isCut } = piece.value
  const rest = {
    next: linkTo(piece.value),
    searched_until: next && isCut ? toIso(next.at) : null
  }
  const empty = beginning === ',' ? '' : beginning
  yield `${empty}],${JSON.stringify(rest).slice(1)}`
}

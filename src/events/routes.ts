import * as z from 'zod'
import { allow } from '../access/auth.ts'
import { toIso } from '../calendar/clock.ts'
import { createRouter } from '../http/env.ts'
import { encodeCursor, PageQuery, readPage } from '../http/page.ts'
import { validateQuery } from '../http/validation.ts'
import { parametersOf } from '../input/url.ts'
import { clean } from '../persons/distinct-id.ts'
import { PersonPath } from '../persons/path.ts'
import { PROPERTY_TYPES } from '../properties/filter.ts'
import { readPropertyParameters } from '../properties/parameters.ts'
import { readFilters } from '../properties/read-filters.ts'
import { listEvents } from './list.ts'
import { readRange } from './range.ts'
import { EventCursor, LIST } from './reference.ts'
import { eventToJson } from './schemas.ts'

const Filter = z
  .string()
  .max(1000)
  .refine((text) => !text.includes('\0'), 'Null characters are not allowed.')
  .transform((text) => text || undefined)
  .optional()

const ListQuery = z.object({
  ...PageQuery.omit({ offset: true, limit: true }).shape,
  limit: PageQuery.shape.limit.meta({
    description: 'Events per page: 100 by default, at most 1000.'
  }),
  event: Filter.meta({ description: 'Only events with this name.' }),
  person_id: PersonPath.shape.id.optional().meta({
    description: 'Only events of this person: an integer id or a UUID.'
  }),
  distinct_id: Filter.transform((id) => id && clean(id)).meta({
    description:
      'Only events with this distinct id, not those with other distinct ids of the same person.'
  }),
  session_id: Filter.meta({ description: 'Only events of this session.' }),
  after: Filter.meta({ description: 'Only events at this time or later.' }),
  before: Filter.meta({ description: 'Only events before this time.' })
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
        types: PROPERTY_TYPES
      })
    }
    const { size, rows } = readPage(c.req.url, EventCursor, { ...query, offset: 0 })
    const { events, next, isCut } = await listEvents(db, project, filters, {
      size,
      after: rows.after,
      now
    })
    const url = new URL(c.req.url)
    url.searchParams.set('cursor', next ? encodeCursor(next, 0) : '')
    return c.json({
      next: next ? url.href : null,
      searched_until: next && isCut ? toIso(next.at) : null,
      results: events.map(eventToJson)
    })
  }
)

import * as z from 'zod'
import { DATE_GRAMMAR } from '../calendar/dates.ts'
import { describe } from '../http/openapi.ts'
import { cursorSchema } from '../http/page.ts'
import { PropertyParameters } from '../properties/parameters.ts'
import { TOO_MUCH_WORK } from '../properties/work.ts'
import { MAX_EXAMINED } from './list.ts'
import { MAX_SOURCES } from './scan.ts'
import { EventPageJson } from './schemas.ts'

/** The cursor of a list of events: the last event of the page. */
export const EventCursor = cursorSchema({
  at: z.int(),
  uuid: z.string().regex(/^[0-9A-F]{32}$/)
})

export const LIST = describe({
  id: 'events_list',
  tag: 'Events',
  summary: 'List events',
  description: `Events appear within seconds of their capture. An event must match all given filters. The default \
\`type\` of a filter in \`properties\` is \`event\`; \`person\` means the person as of the event, \`session\` the whole session.

Every page but the last has \`limit\` events, and the last has no \`next\`. With filters by \`properties\`, a session, a person \
or a distinct id, a page examines at most ${MAX_EXAMINED} events; a page that ends there, or after 900 queries of the database, may have \
fewer events or none: \`searched_until\` says how far the search came, and \`next\` continues there.

\`after\` and \`before\`: ${DATE_GRAMMAR} Relative dates are rounded down: \`s\`, \`M\` and \`h\` to the second, minute or hour, \
longer units to the start of the day.`,
  query: PropertyParameters,
  answers: { 200: { text: 'A page of events.', schema: EventPageJson } },
  refusals: [
    ['invalid_input', 'The operator "like" is not supported.', 'properties'],
    ['query_too_large', TOO_MUCH_WORK, 'properties'],
    [
      'query_too_large',
      `More than ${MAX_SOURCES} distinct ids would have to be searched: filter by \`distinct_id\`.`,
      'distinct_id'
    ]
  ]
})

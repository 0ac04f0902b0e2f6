import * as z from 'zod'
import { allow } from '../../access/auth.ts'
import { DATE_GRAMMAR } from '../../calendar/dates.ts'
import { csvResponse, FormatQuery, flatten, wantsCsv } from '../../http/csv.ts'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { validatePath, validateQuery } from '../../http/validation.ts'
import { parametersOf } from '../../input/url.ts'
import { readPropertyParameters } from '../../properties/parameters.ts'
import { PersonPath } from '../path.ts'
import { computeTimeline, MAX_BYTES, MAX_EVENTS } from './compute.ts'
import { readTimelineQuery, TimelineParameters } from './query.ts'
import { pointToJson, TimelineJson, timelineToJson } from './schemas.ts'

const TIMELINE = describe({
  id: 'persons_properties_timeline',
  mayBeEmpty: true,
  tag: 'Persons',
  summary: "Follow a person's properties over time",
  description: `Returns the person's properties **at the time of their events** in the range. A new point begins at the first event, \
and at each event whose crucial properties differ from the previous event's. The crucial properties are the person properties named in \`properties\`, \
in the filters of \`events\` and, with \`breakdown_type=person\`, in \`breakdown\`; without crucial properties, there is at most one point.

Dates: ${DATE_GRAMMAR}

A range may have at most ${MAX_EVENTS} events of the person, whatever their names, and the properties of all points together may take at most ${MAX_BYTES} bytes. \
A larger range gets a 400 \`query_too_large\` whose \`attr\` is \`events\` or \`points\`.`,
  query: z.object({
    properties: z.array(z.string()).optional().meta({
      description:
        'Property filters as JSON text, as in the list of persons, except that the default `type` is `event`. They do not filter the events: they only name crucial properties.'
    })
  }),
  answers: {
    200: {
      text: 'The points, in order of time.',
      schema: TimelineJson,
      csv: 'properties.plan,relevant_event_count,timestamp\r\nfree,2,2026-10-01T00:00:00Z\r\npro,1,2026-10-02T08:00:00Z\r\n'
    }
  },
  refusals: [
    [
      'invalid_input',
      '`date_from` must be an ISO date or a relative date such as `-7d`; got "soon".',
      'date_from'
    ],
    ['required', 'This field is required.', 'events__0__id'],
    ['null', 'This field may not be null.', 'events__0'],
    ['blank', 'This field may not be blank.', 'events__0__id'],
    [
      'query_too_large',
      `A timeline reads at most ${MAX_EVENTS} events: choose a shorter range.`,
      'events'
    ]
  ]
})

export const timelineRoutes = createRouter().get(
  '/persons/:id/properties_timeline',
  TIMELINE,
  allow('person:read'),
  validatePath(PersonPath),
  validateQuery(TimelineParameters.extend(FormatQuery.shape)),
  async (c) => {
    const { project, db, now } = c.var
    const { format, ...asked } = c.req.valid('query')
    const properties = readPropertyParameters(parametersOf(c.req.url))
    const query = readTimelineQuery(asked, properties, project, now)
    const points = await computeTimeline({ db, project }, c.req.valid('param').id, query)
    if (!wantsCsv(c, format)) {
      return c.json(timelineToJson(points, query))
    }
    const rows = points.map(pointToJson)
    const columns = new Set([
      'relevant_event_count',
      'timestamp',
      ...rows.flatMap((row) => [...flatten(row).keys()])
    ])
    return csvResponse(c, 'properties_timeline', [...columns].sort(), [rows])
  }
)

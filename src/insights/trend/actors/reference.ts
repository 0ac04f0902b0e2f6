import { describe } from '../../../http/openapi.ts'
import { pageSchema } from '../../../http/page.ts'
import { MAX_SUBJECTS } from '../../../trends/maths/limits.ts'
import { MAX_TREND_ROWS } from '../../../trends/query.ts'
import { ActorJson } from './schemas.ts'

const ActorPage = pageSchema('TrendActorPage', ActorJson)

export const ACTORS = describe({
  id: 'insights_trend_actors',
  tag: 'Insights',
  summary: 'List the persons behind a point of a trend',
  description: `Send the trend's request unchanged, in any of its forms, and name the point in the URL: \`series\`, \
\`bucket\` and, if the trend has them, \`breakdown_value\` and \`compare_label\`. Send the trend's \`offset\` as \
\`breakdown_offset\`. The answer lists the persons that the point counts, each with the number of events that count, \
most events first.

- For \`dau\`, \`weekly_active\`, \`monthly_active\` and first events, the point's value before smoothing is the number of persons: \
the \`count\` beside \`results\`. For \`total\`, it is the number of their events: the sum of each person's \`count\` on all pages.
- For other maths, only the events from which the point's value is computed are counted: for maths of a property, the events \
where the property is a number; for \`unique_session\`, the events with a session.
- For weekly and monthly actives, the events of all days in the window count. In a cumulative display, a point includes the \
events of all earlier points.
- An identity without a person is listed by its distinct id. An erased person whose events were kept is listed as \
"Erased person", because the chart counts that person, too.
- A request with a formula gets a 400: ask for one of its series instead.

The limits are those of the trend: among them ${MAX_TREND_ROWS} events read and ${MAX_SUBJECTS} persons behind a point.`,
  answers: { 200: { text: 'A page of persons.', schema: ActorPage } },
  refusals: [
    ['required', 'This field is required.', 'bucket'],
    [
      'invalid_input',
      '`series` must be less than 1, because the trend has 1 series; got 2.',
      'series'
    ],
    [
      'invalid_input',
      'The trend has no breakdown: leave `breakdown_value` out.',
      'breakdown_value'
    ],
    [
      'query_too_large',
      `The query would read 12000000 events, counting ten events in columns as one, and at most ${MAX_TREND_ROWS} are allowed: ask for a shorter range.`,
      'rows'
    ]
  ]
})

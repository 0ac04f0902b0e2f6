import { describe, type Operation, type Refusal } from '../../http/openapi.ts'
import { SCHEMA_REFUSALS } from '../../http/validation.ts'
import { LegacyFunnel, LegacyRetention } from './schemas.ts'

const SAME = 'The same as the `POST` operation, with all fields in the URL.'

/** Describes the operation with all fields in the body, and the one with all fields in the URL. */
const describeBoth = ({
  id,
  summary,
  description,
  answers,
  refusals
}: Pick<Operation, 'id' | 'summary' | 'answers'> & {
  description: string
  refusals: Refusal[]
}) => ({
  byBody: describe({ id, tag: 'Insights', summary, description, answers, refusals }),
  byUrl: describe({
    id: `${id}_by_url`,
    tag: 'Insights',
    summary: `${summary} with GET`,
    description: SAME,
    answers,
    refusals: [...SCHEMA_REFUSALS, ...refusals]
  })
})

export const FUNNEL = describeBoth({
  id: 'insights_funnel',
  summary: 'Compute a funnel',
  description: `Computes a funnel that is described by a filter object, and stores nothing. \`POST query/\` with a \
\`FunnelsQuery\` has the same numbers and is the form for new code.

The steps are the \`events\`, sorted by \`order\` if all have one. \`funnel_window_days\` is the same as a \
\`funnel_window_interval\` in days. Without a \`funnel_viz_type\`, the \`display\` \`ActionsLineGraph\` asks for the trend of \
the conversion.`,
  answers: { 200: { text: 'The funnel.', schema: LegacyFunnel } },
  refusals: [
    ['invalid_input', 'A funnel has at least two steps; got 1.', 'events'],
    ['invalid_input', 'This is not a field of this insight.', 'breakdown_by'],
    ['query_too_large', 'A funnel has at most 26 steps and exclusions together; got 30.', 'events']
  ]
})

export const RETENTION = describeBoth({
  id: 'insights_retention',
  summary: 'Compute retention',
  description: `Computes a retention table that is described by a filter object, and stores nothing. \`POST query/\` with a \
\`RetentionQuery\` has the same numbers and is the form for new code. Without \`total_intervals\`, the table has 11 columns.`,
  answers: { 200: { text: 'The rows of the table.', schema: LegacyRetention } },
  refusals: [
    ['invalid_choice', '"Year" is not a valid choice. Choices: Hour, Day, Week, Month.', 'period'],
    ['query_too_large', 'The answer would have up to 250000 numbers.', 'points']
  ]
})

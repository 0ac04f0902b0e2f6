import * as z from 'zod'
import { closed, sameReason } from '../input/fields.ts'
import { Text, Unsupported } from '../trends/shared-fields.ts'

/** When an answer may come from a cache, and when it is computed in the background. */
export const REFRESHES = [
  'blocking',
  'force_blocking',
  'force_cache',
  'async',
  'lazy_async',
  'force_async',
  'async_except_on_cache_miss'
] as const

const NODE = 'Send the whole node as `query`: `{"query": {"kind": …}}`.'

/** Characters of the id of a run, which is in URLs. */
const MAX_ID = 100

export const QueryRequest = closed(
  z
    .object({
      query: z.record(z.string(), z.unknown()).meta({
        description:
          'A node such as `TrendsQuery`, alone or inside an `InsightVizNode`, `DataTableNode` or, for statements, `DataVisualizationNode`.'
      }),
      refresh: z
        .union(
          [z.enum(REFRESHES), z.boolean()],
          `Send true, false, or one of ${REFRESHES.join(', ')}.`
        )
        .nullish()
        .meta({
          description:
            'Every answer is computed at once. With `async` and the other values that have `async` in their name, the answer is also kept for `GET query/{id}/`.'
        }),
      async: z.boolean().nullish().meta({ description: '`true` is the same as `refresh: async`.' }),
      client_query_id: z
        .string()
        .regex(/^[\w.:-]+$/, 'Use letters, digits, and the characters - _ . and : only.')
        .max(MAX_ID)
        .nullish()
        .meta({ description: 'The id under which an asynchronous answer is kept.' }),
      name: z
        .string()
        .max(128)
        .nullish()
        .meta({ description: 'A name for the query. Has no effect.' }),
      filters_override: z
        .strictObject({
          date_from: Text,
          date_to: Text,
          explicitDate: Unsupported,
          properties: z.unknown().optional(),
          breakdown_filter: z.record(z.string(), z.unknown()).nullish()
        })
        .nullish()
        .meta({
          description:
            'The filters of a dashboard: dates and breakdown replace those of the query, and all properties have to match.'
        }),
      variables_override: Unsupported,
      limit_context: Unsupported
    })
    .meta({
      id: 'QueryRequest',
      examples: [
        {
          query: {
            kind: 'TrendsQuery',
            series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }],
            dateRange: { date_from: '-7d' }
          }
        }
      ]
    }),
  sameReason(
    ['kind', 'series', 'source', 'dateRange', 'select', 'funnelsFilter', 'retentionFilter'],
    { always: NODE }
  )
)

const STATUS_EXAMPLE = {
  id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
  query_async: true,
  team_id: 1,
  insight_id: null,
  dashboard_id: null,
  complete: true,
  error: false,
  error_message: null,
  results: { results: [] },
  start_time: '2026-11-27T09:00:00Z',
  pickup_time: '2026-11-27T09:00:00Z',
  end_time: '2026-11-27T09:00:00Z',
  expiration_time: '2026-11-27T09:10:00Z',
  task_id: null,
  labels: null,
  query_progress: null
}

/** An asynchronous query, which is always complete. */
const QueryStatus = z
  .object({
    id: z.string(),
    query_async: z.literal(true),
    team_id: z.int(),
    insight_id: z.null(),
    dashboard_id: z.null(),
    complete: z.literal(true),
    error: z.literal(false),
    error_message: z.null(),
    results: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The whole answer, as `POST query/` gives it.' }),
    start_time: z.iso.datetime(),
    pickup_time: z.iso.datetime(),
    end_time: z.iso.datetime(),
    expiration_time: z.iso.datetime().meta({ description: 'When the id becomes unknown.' }),
    task_id: z.null(),
    labels: z.null(),
    query_progress: z.null()
  })
  .meta({ id: 'QueryStatus', examples: [STATUS_EXAMPLE] })
export type QueryStatus = z.infer<typeof QueryStatus>

export const QueryRunJson = z
  .object({ query_status: QueryStatus })
  .meta({ id: 'QueryRun', examples: [{ query_status: STATUS_EXAMPLE }] })

/** The members that the answers of all kinds have. */
export const QueryAnswer = z
  .looseObject({
    results: z.unknown().meta({ description: 'The answer, in a shape of its own for each kind.' }),
    is_cached: z.literal(false),
    last_refresh: z.iso.datetime(),
    timezone: z.string(),
    cache_key: z.string().meta({ description: 'Equal queries of a project have the same.' }),
    query_status: QueryStatus.nullable().meta({
      description: 'The status of an asynchronous query; null otherwise.'
    }),
    hogql: z.null(),
    error: z.null(),
    timings: z.array(z.unknown()).max(0)
  })
  .meta({
    id: 'QueryAnswer',
    examples: [
      {
        results: [],
        hasMore: false,
        resolved_date_range: {
          date_from: '2026-11-20T00:00:00Z',
          date_to: '2026-11-27T23:59:59.999Z'
        },
        is_cached: false,
        last_refresh: '2026-11-27T09:00:00Z',
        timezone: 'UTC',
        cache_key: 'f1c3c2f0a0a5f0c1d2e3b4a5968778695a4b3c2d1e0f9e8d7c6b5a4938271605',
        query_status: null,
        hogql: null,
        error: null,
        timings: []
      }
    ]
  })
export type QueryAnswer = z.infer<typeof QueryAnswer>

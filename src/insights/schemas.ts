import * as z from 'zod'
import { USER_EXAMPLE, UserJson } from '../access/user.ts'
import { refusing } from '../input/fields.ts'
import { TrendSeries } from '../trends/answer.ts'
import { INSIGHT_FIELDS, MISPLACED } from '../trends/fields.ts'

/** The writable fields of an insight. Fields that are left out stay as they are. */
export const InsightInput = refusing(
  z
    .object({
      ...INSIGHT_FIELDS,
      dashboards: z.array(z.int().min(1).max(Number.MAX_SAFE_INTEGER)).max(100).optional().meta({
        deprecated: true,
        description:
          'The ids of all dashboards that show the insight. Read them from `dashboard_tiles`.'
      })
    })
    .meta({
      id: 'InsightInput',
      examples: [
        { name: 'Weekly actives', filters: { events: [{ id: '$pageview', math: 'dau' }] } }
      ]
    }),
  MISPLACED
)
export type InsightInput = z.infer<typeof InsightInput>

export const INSIGHT_EXAMPLE = {
  id: 44,
  short_id: '3f9c1a7be204',
  name: 'Weekly actives',
  derived_name: null,
  description: null,
  filters: { events: [{ id: '$pageview', math: 'dau' }] },
  query: null,
  order: null,
  deleted: false,
  dashboards: [12],
  dashboard_tiles: [{ id: 3, dashboard_id: 12 }],
  tags: [],
  favorited: false,
  saved: true,
  created_by: USER_EXAMPLE,
  created_at: '2026-10-02T10:11:12.345Z',
  last_modified_at: '2026-10-02T10:11:12.345Z',
  result: null,
  last_refresh: null,
  is_cached: false
}

/** The members of an answer with rows. */
export const RowsAnswer = z.object({
  columns: z
    .array(z.string())
    .optional()
    .meta({ description: 'The names of the columns, if the result has rows.' }),
  types: z
    .array(z.union([z.string(), z.array(z.string())]))
    .optional()
    .meta({ description: 'The types of the columns, as `POST query/` gives them.' }),
  hasMore: z
    .boolean()
    .optional()
    .meta({ description: 'Whether there are more rows than those of the result.' })
})

export const InsightJson = z
  .object({
    id: z.int(),
    short_id: z.string(),
    name: z.string().nullable(),
    derived_name: z.string().nullable(),
    description: z.string().nullable(),
    filters: z.record(z.string(), z.unknown()),
    query: z.union([z.string(), z.record(z.string(), z.unknown())]).nullable(),
    order: z.int().nullable(),
    deleted: z.boolean(),
    dashboards: z.array(z.int()).meta({ deprecated: true }),
    dashboard_tiles: z.array(z.object({ id: z.int(), dashboard_id: z.int() })),
    tags: z.array(z.string()),
    favorited: z.boolean(),
    saved: z.boolean(),
    created_by: UserJson,
    created_at: z.iso.datetime(),
    last_modified_at: z.iso.datetime(),
    result: z
      .union([z.array(TrendSeries), z.array(z.unknown()), z.record(z.string(), z.unknown())])
      .nullable()
      .meta({
        description:
          'The lines of the trend as of now, or the `results` of another kind of query, if a GET of the insight asks for them with `refresh`; otherwise null.'
      }),
    ...RowsAnswer.shape,
    last_refresh: z.iso.datetime().nullable(),
    is_cached: z.boolean()
  })
  .meta({ id: 'Insight', examples: [INSIGHT_EXAMPLE] })
export type InsightJson = z.infer<typeof InsightJson>

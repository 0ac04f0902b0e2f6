import * as z from 'zod'
import { USER_EXAMPLE, UserJson } from '../../access/user.ts'
import { refusing, sameReason } from '../../input/fields.ts'
import { INSIGHT_EXAMPLE, InsightJson } from '../schemas.ts'

/** The writable fields of a dashboard. Fields that are left out stay as they are. */
export const DashboardInput = refusing(
  z
    .object({
      name: z.string().max(400).nullish(),
      description: z.string().max(10_000).optional(),
      pinned: z.boolean().optional(),
      tags: z.array(z.string().max(400)).max(1_000).optional(),
      deleted: z.boolean().optional()
    })
    .meta({ id: 'DashboardInput', examples: [{ name: 'Weekly review' }] }),
  {
    ...sameReason(
      ['filters', 'variables', 'breakdown_colors'],
      'Dashboards have no filters of their own: set the filters of their insights.'
    ),
    ...sameReason(
      ['use_template', 'use_dashboard'],
      'Dashboards cannot be copied or made from templates.'
    ),
    delete_insights: 'Deleting a dashboard keeps its insights: delete them one by one.',
    ...sameReason(
      ['insights', 'items'],
      'To put an insight on a dashboard, set the `dashboards` of the insight.'
    )
  }
)
export type DashboardInput = z.infer<typeof DashboardInput>

const fields = {
  id: z.int(),
  name: z.string().nullable(),
  description: z.string(),
  pinned: z.boolean(),
  tags: z.array(z.string()),
  deleted: z.boolean(),
  created_by: UserJson,
  created_at: z.iso.datetime()
}

const EXAMPLE = {
  id: 12,
  name: 'Weekly review',
  description: '',
  pinned: false,
  tags: [],
  deleted: false,
  created_by: USER_EXAMPLE,
  created_at: '2026-10-02T10:11:12.345Z'
}

/** A dashboard without its tiles, as in lists. */
export const DashboardSummary = z
  .object(fields)
  .meta({ id: 'DashboardSummary', examples: [EXAMPLE] })

/** A dashboard with its tiles, oldest first. */
export const DashboardJson = z
  .object({ ...fields, tiles: z.array(z.object({ id: z.int(), insight: InsightJson })) })
  .meta({
    id: 'Dashboard',
    examples: [{ ...EXAMPLE, tiles: [{ id: 3, insight: INSIGHT_EXAMPLE }] }]
  })

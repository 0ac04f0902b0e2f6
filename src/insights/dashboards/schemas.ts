import * as z from 'zod'
import { refusing, sameReason } from '../../input/fields.ts'
import { USER_EXAMPLE, UserJson } from '../../projects/user.ts'
import { INSIGHT_EXAMPLE, InsightJson } from '../schemas.ts'

/** What a client may say of a dashboard; what it leaves out is as it was. */
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
      'A dashboard has no filters of its own.'
    ),
    ...sameReason(['use_template', 'use_dashboard'], 'Dashboards are not copied.'),
    delete_insights: 'The insights of a deleted dashboard stay.',
    ...sameReason(['insights', 'items'], 'Insights are put on a dashboard by their `dashboards`.')
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

/** A dashboard in a list. */
export const DashboardSummary = z
  .object(fields)
  .meta({ id: 'DashboardSummary', examples: [EXAMPLE] })

/** A dashboard with its tiles, the oldest first. */
export const DashboardJson = z
  .object({ ...fields, tiles: z.array(z.object({ id: z.int(), insight: InsightJson })) })
  .meta({
    id: 'Dashboard',
    examples: [{ ...EXAMPLE, tiles: [{ id: 3, insight: INSIGHT_EXAMPLE }] }]
  })

import * as z from 'zod'
import { USER_EXAMPLE, UserJson } from '../../access/user.ts'
import { TILE_WIDTHS } from '../../db/schema.ts'
import { refusing, sameReason } from '../../input/fields.ts'
import { INSIGHT_EXAMPLE, InsightJson } from '../schemas.ts'

const UNSUPPORTED = {
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

const fieldsOfInput = {
  name: z.string().max(400).nullish(),
  description: z.string().max(10_000).optional(),
  pinned: z.boolean().optional(),
  tags: z.array(z.string().max(400)).max(1_000).optional(),
  deleted: z.boolean().optional()
}

/** The fields of a new dashboard. */
export const DashboardInput = refusing(
  z.object(fieldsOfInput).meta({ id: 'DashboardInput', examples: [{ name: 'Weekly review' }] }),
  UNSUPPORTED
)
export type DashboardInput = z.infer<typeof DashboardInput>

const Width = z.enum(TILE_WIDTHS).meta({
  description: 'Whether the tile stands beside another, or alone in its row. An extra.'
})

const TileInput = refusing(
  z.object({ id: z.int().min(1).max(Number.MAX_SAFE_INTEGER), width: Width.optional() }),
  {
    ...sameReason(
      ['layouts', 'color', 'show_description', 'order'],
      'Tiles have an order, that of the list, and a `width`: `half` or `full`.'
    ),
    deleted: 'To take an insight off a dashboard, set the `dashboards` of the insight.'
  },
  ['insight']
)

/** The writable fields of a dashboard. Fields that are left out stay as they are. */
export const DashboardChange = refusing(
  z
    .object({
      ...fieldsOfInput,
      tiles: z.array(TileInput).max(10_000).optional().meta({
        description: 'All tiles of the dashboard, in their new order.'
      })
    })
    .meta({ id: 'DashboardChange', examples: [{ name: 'Weekly review' }] }),
  UNSUPPORTED
)
export type DashboardChange = z.infer<typeof DashboardChange>

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

/** A dashboard with its tiles, in their order. */
export const DashboardJson = z
  .object({
    ...fields,
    tiles: z.array(z.object({ id: z.int(), width: Width, insight: InsightJson }))
  })
  .meta({
    id: 'Dashboard',
    examples: [{ ...EXAMPLE, tiles: [{ id: 3, width: 'half', insight: INSIGHT_EXAMPLE }] }]
  })

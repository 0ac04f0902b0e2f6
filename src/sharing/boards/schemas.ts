import * as z from 'zod'
import { CHART_EXAMPLE, ChartJson } from '../../insights/charts/schemas.ts'

/** A shared insight, as an example. */
export const SHARED_BOARD = {
  title: 'Sign-ups',
  description: 'Per week',
  timezone: 'Europe/Berlin',
  computed_at: '2026-11-23T08:45:00Z',
  tiles: [
    {
      title: 'Sign-ups',
      chart: CHART_EXAMPLE,
      failure: null
    }
  ]
}

/** An insight or a dashboard as anyone with the link sees it. */
export const SharedBoardJson = z
  .object({
    title: z.string(),
    description: z.string(),
    timezone: z.string(),
    computed_at: z.iso.datetime(),
    tiles: z
      .array(
        z.object({
          title: z.string(),
          chart: ChartJson.nullable(),
          failure: z
            .string()
            .nullable()
            .meta({ description: 'Why there is no chart; null if there is one.' })
        })
      )
      .meta({ description: 'The insight, or the first ten insights of the dashboard.' })
  })
  .meta({
    id: 'SharedBoard',
    examples: [SHARED_BOARD]
  })
export type SharedBoardJson = z.infer<typeof SharedBoardJson>

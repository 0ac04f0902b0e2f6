import type { Context } from 'hono'
import * as z from 'zod'
import type { Chart } from '../charts/chart.ts'
import { drawChart, SIZES } from '../charts/draw.ts'
import { THEMES } from '../charts/theme.ts'
import { AppError } from '../errors.ts'
import { wholeFrom } from '../input/parameters.ts'
import type { AppEnv } from './env.ts'

const Pixels = wholeFrom(SIZES.least)
  .refine(
    (value) => value <= SIZES.most,
    `Ensure this value is less than or equal to ${SIZES.most}.`
  )
  .optional()

/** The parameters of a chart. */
export const ChartQuery = z.object({
  width: Pixels.meta({
    type: 'integer',
    minimum: SIZES.least,
    maximum: SIZES.most,
    description: `Width of the chart in pixels, ${SIZES.width} by default.`
  }),
  height: Pixels.meta({
    type: 'integer',
    minimum: SIZES.least,
    maximum: SIZES.most,
    description: `Height of the chart in pixels, ${SIZES.height} by default.`
  }),
  theme: z
    .enum(THEMES)
    .optional()
    .meta({ description: 'Colours of the chart, `light` by default.' })
})
export type ChartQuery = z.output<typeof ChartQuery>

/** Whether to send a chart: `format` decides; without it, an `Accept` header that begins with `image/svg+xml`. */
export const wantsChart = (c: Context<AppEnv>, format: string | undefined): boolean =>
  format === undefined ? /^image\/svg\+xml\b/i.test(c.req.header('Accept') ?? '') : format === 'svg'

/** @throws invalid_input for a parameter of charts where the answer is none */
export function expectNoChart(query: ChartQuery): void {
  for (const name of ['width', 'height', 'theme'] as const) {
    if (query[name] !== undefined) {
      throw new AppError('invalid_input', `\`${name}\` is for charts: add \`format=svg\`.`, name)
    }
  }
}

/** Answers with a chart as SVG. */
export const chartResponse = (
  c: Context<AppEnv>,
  chart: Chart,
  { width, height, theme }: ChartQuery
): Response =>
  c.body(
    drawChart(chart, {
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
      ...(theme && { theme })
    }),
    200,
    { 'Content-Type': 'image/svg+xml' }
  )

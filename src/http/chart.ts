import type { Context } from 'hono'
import * as z from 'zod'
import { type Look, SIZES } from '../charts/draw.ts'
import { toPng } from '../charts/png.ts'
import { AppError } from '../errors.ts'
import { THEMES } from '../html/tokens.ts'
import { wholeFrom } from '../input/parameters.ts'
import type { AppEnv } from './env.ts'

export const CHART_FORMATS = ['svg', 'png'] as const
export type ChartFormat = (typeof CHART_FORMATS)[number]

/** Media type of each format. */
export const CHART_TYPES = {
  svg: 'image/svg+xml',
  png: 'image/png'
} as const satisfies Record<ChartFormat, string>

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

/**
 * Returns the format of the chart to send, if any: `format` decides; without it, an `Accept` header
 * that begins with the media type of a chart.
 */
export function chartFormat(
  c: Context<AppEnv>,
  format: string | undefined
): ChartFormat | undefined {
  const accept = (c.req.header('Accept') ?? '').toLowerCase()
  return CHART_FORMATS.find((name) =>
    format === undefined ? accept.startsWith(CHART_TYPES[name]) : format === name
  )
}

/** @throws invalid_input, attr the parameter, if it is for charts and the response is none */
export function expectNoChart(query: ChartQuery): void {
  for (const name of ['width', 'height', 'theme'] as const) {
    if (query[name] !== undefined) {
      throw new AppError(
        'invalid_input',
        `\`${name}\` is for charts: add \`format=svg\` or \`format=png\`.`,
        name
      )
    }
  }
}

/** Returns the requested look of a chart. */
export const lookOf = ({ width, height, theme }: ChartQuery): Look => ({
  ...(width !== undefined && { width }),
  ...(height !== undefined && { height }),
  ...(theme && { theme })
})

/** Responds with a chart in this format, made from its SVG. */
export async function chartResponse(
  c: Context<AppEnv>,
  svg: string,
  format: ChartFormat
): Promise<Response> {
  const body = format === 'png' ? await toPng(svg) : svg
  return c.body(body, 200, { 'Content-Type': CHART_TYPES[format] })
}

import * as z from 'zod'
import { KINDS } from '../../charts/chart.ts'
import { UNITS } from '../../charts/format.ts'

const Series = z.object({
  name: z.string(),
  data: z.array(z.number()).meta({
    description:
      'A number for each bucket, or one. With `columns`, the last ones may be missing: they are not known, such as the bounce rate of no sessions.'
  }),
  cells: z
    .array(z.union([z.string(), z.number(), z.null()]))
    .optional()
    .meta({
      description:
        'Of a table of a statement: what stands in its columns after the first, which is the `name`.'
    }),
  previous: z
    .array(z.number())
    .optional()
    .meta({ description: 'The numbers of the compared period, if there is one.' }),
  isRest: z
    .boolean()
    .optional()
    .meta({ description: 'True if the series stands for all values that are not listed.' }),
  times: z
    .array(z.object({ average: z.number().nullable(), median: z.number().nullable() }))
    .optional()
    .meta({
      description:
        'Of a funnel: the seconds that each step took from the step before; null if nobody took it.'
    }),
  cohort: z
    .object({
      day: z.string(),
      value: z.string().optional(),
      finished: z.int(),
      begun: z.int()
    })
    .optional()
    .meta({
      description:
        'Of retention: the row. `day` is the start of its period and `value` the value of the breakdown; `finished` columns are over, and `begun` columns have begun.'
    })
})

const Annotation = z.object({
  bucket: z.int().meta({ description: 'The index of the bucket that contains its time.' }),
  text: z.string()
})

/** The content of a chart; see `charts/chart.ts`. */
export const ChartJson = z.object({
  title: z.string(),
  subtitle: z.string().meta({ description: 'The range and the time zone.' }),
  counted: z.string().meta({
    description:
      'What the numbers are, such as `unique persons by day`; with a comparison, also how the chart shows the earlier period, with its dates.'
  }),
  kind: z.enum(KINDS),
  buckets: z.array(z.string()).meta({
    description:
      'The start of each bucket, such as `9 Nov`; the steps of a funnel; the columns of retention and of some tables; the names of numbers. Empty for charts without an axis.'
  }),
  days: z.array(z.string()).meta({
    description:
      'The start of each bucket in the time zone, such as `2026-11-09` or `2026-11-09 14:00:00`; empty without a time axis.'
  }),
  series: z.array(Series),
  finished: z.int().meta({
    description:
      'The number of buckets that are over. One more may have begun; those after it lie in the future.'
  }),
  total: z.number().nullable().meta({
    description:
      'The sum of the series of a chart without a time axis; null if they cannot be added up, like unique persons.'
  }),
  warning: z.string().nullable().meta({
    description:
      'Names the events that do not exist, and what was probably meant; null if all exist.'
  }),
  unit: z
    .enum(UNITS)
    .optional()
    .meta({ description: 'The unit of the numbers, if they are no counts.' }),
  columns: z
    .array(z.object({ unit: z.enum(UNITS).optional(), isIncreaseBad: z.literal(true).optional() }))
    .optional()
    .meta({
      description:
        'Of a table with buckets, and of numbers: the unit of the numbers in each bucket, if they are no counts, and whether less is better.'
    }),
  annotations: z
    .array(Annotation)
    .optional()
    .meta({ description: 'The annotations that the chart shows, in the order of the buckets.' })
})

export const CHART_EXAMPLE = {
  title: 'Sign-ups',
  subtitle: '9 – 22 Nov 2026 · Europe/Berlin',
  counted: 'signed up, events by week',
  kind: 'line' as const,
  buckets: ['9 Nov', '16 Nov'],
  days: ['2026-11-09', '2026-11-16'],
  series: [{ name: 'signed up', data: [40, 52] }],
  finished: 2,
  total: null,
  warning: null,
  annotations: [{ bucket: 1, text: 'v2.1 released' }]
}

/** The charts of a part of a dashboard's tiles. */
export const DashboardChartsJson = z
  .object({
    computed_at: z.iso.datetime(),
    timezone: z.string(),
    count: z.int().meta({ description: 'The number of all insights of the dashboard.' }),
    results: z.array(
      z.object({
        insight: z.int().meta({ description: 'The id of the insight.' }),
        title: z.string(),
        chart: ChartJson.nullable(),
        failure: z
          .string()
          .nullable()
          .meta({ description: 'Why there is no chart; null if there is one.' })
      })
    )
  })
  .meta({
    id: 'DashboardCharts',
    examples: [
      {
        computed_at: '2026-11-23T08:45:00Z',
        timezone: 'Europe/Berlin',
        count: 1,
        results: [{ insight: 44, title: 'Sign-ups', chart: CHART_EXAMPLE, failure: null }]
      }
    ]
  })
export type DashboardChartsJson = z.infer<typeof DashboardChartsJson>

import * as z from 'zod'
import { AppError } from '../errors.ts'
import { refusing, sameReason } from '../input/fields.ts'
import { jsonText } from '../input/parameters.ts'
import { LegacyFilter } from '../trends/fields.ts'
import type { LegacyForm } from '../trends/legacy-form.ts'
import { ignored } from '../trends/node-fields.ts'
import { NODE_PATHS } from '../trends/node-paths.ts'
import { EventName, Text, unlessNeutral, whole } from '../trends/shared-fields.ts'

/*
 * Filter objects, in which PostHog's clients have long described funnels, retention, stickiness and
 * lifecycles. They become nodes, and only nodes are checked.
 */

const SHARED = LegacyFilter.pick({
  insight: true,
  shown_as: true,
  actions: true,
  date_from: true,
  date_to: true,
  explicit_date: true,
  properties: true,
  filter_test_accounts: true,
  display: true,
  sampling_factor: true,
  aggregation_group_type_index: true
})

const OF_SERIES = LegacyFilter.pick({ events: true, interval: true })

const OF_BREAKDOWN = LegacyFilter.pick({
  breakdown: true,
  breakdown_type: true,
  breakdowns: true,
  breakdown_limit: true,
  breakdown_hide_other_aggregation: true,
  breakdown_histogram_bin_count: true,
  breakdown_normalize_url: true
})

const OTHER_FORMS = {
  ...sameReason(['query', 'source', 'kind', 'series'], 'Send a node to `POST query/`.'),
  filters: 'Send the fields of `filters` at the top level.'
}

/** Makes a schema that refuses every unknown field that carries a value. */
const fieldsOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape, meta: z.GlobalMeta = {}) =>
  refusing(z.object(shape).meta(meta), OTHER_FORMS, [], 'This is not a field of this insight.')

/** `display` says how the answer is drawn: each form with a place for it has its own path. */
const { display: _, ...PATHS } = NODE_PATHS

const text = unlessNeutral(Text)
const count = unlessNeutral(whole(z.int().min(1)))
const place = unlessNeutral(whole(z.int()))

const Exclusion = z.strictObject({
  id: EventName,
  type: z.literal('events').nullish(),
  funnel_from_step: whole(z.int()),
  funnel_to_step: whole(z.int()),
  name: Text,
  custom_name: Text,
  properties: z.unknown().optional(),
  ...ignored('index', 'order', 'uuid')
})

const toNodeExclusion = ({
  id,
  funnel_from_step: funnelFromStep,
  funnel_to_step: funnelToStep,
  name,
  custom_name,
  properties
}: z.output<typeof Exclusion>) => ({
  kind: 'EventsNode',
  event: id,
  funnelFromStep,
  funnelToStep,
  name,
  custom_name,
  properties
})

/** The display of a funnel's trend, without a `funnel_viz_type`. */
const LINES = 'ActionsLineGraph'

/** The fields of a funnel. */
export const FunnelFields = fieldsOf(
  {
    ...SHARED.shape,
    ...OF_SERIES.shape,
    ...OF_BREAKDOWN.shape,
    funnel_viz_type: text,
    funnel_order_type: text,
    funnel_window_interval: count,
    funnel_window_interval_unit: text,
    funnel_window_days: count,
    funnel_from_step: place,
    funnel_to_step: place,
    funnel_step_reference: text,
    funnel_aggregate_by_hogql: text,
    breakdown_attribution_type: text,
    breakdown_attribution_value: place,
    bin_count: z.preprocess((value) => (value === 'auto' ? undefined : value), count).optional(),
    exclusions: unlessNeutral(jsonText(z.array(Exclusion).nullish()))
  },
  {
    id: 'FunnelFields',
    description: 'A funnel as a filter object.',
    examples: [
      {
        events: [
          { id: 'signup', order: 0 },
          { id: 'pay', order: 1 }
        ],
        date_from: '-30d',
        funnel_window_interval: 14,
        funnel_window_interval_unit: 'day'
      }
    ]
  }
)

export const FUNNEL: LegacyForm<z.output<typeof FunnelFields>> = {
  kind: 'FunnelsQuery',
  insights: ['FUNNELS'],
  shownAs: 'Volume',
  fields: FunnelFields,
  complete({ display, exclusions, funnel_window_days: days, ...filter }, pathOf) {
    if (days && filter.funnel_window_interval) {
      throw new AppError(
        'invalid_input',
        'Send the window as `funnel_window_interval` or as `funnel_window_days`, not both.',
        pathOf('funnel_window_days')
      )
    }
    return {
      ...filter,
      funnel_viz_type: filter.funnel_viz_type ?? (display === LINES ? 'trends' : undefined),
      exclusions: exclusions?.map(toNodeExclusion),
      ...(days && { funnel_window_interval: days, funnel_window_interval_unit: 'day' })
    }
  },
  paths: {
    ...PATHS,
    funnel_viz_type: 'funnelsFilter__funnelVizType',
    funnel_order_type: 'funnelsFilter__funnelOrderType',
    funnel_window_interval: 'funnelsFilter__funnelWindowInterval',
    funnel_window_interval_unit: 'funnelsFilter__funnelWindowIntervalUnit',
    funnel_from_step: 'funnelsFilter__funnelFromStep',
    funnel_to_step: 'funnelsFilter__funnelToStep',
    funnel_step_reference: 'funnelsFilter__funnelStepReference',
    funnel_aggregate_by_hogql: 'funnelsFilter__funnelAggregateByHogQL',
    breakdown_attribution_type: 'funnelsFilter__breakdownAttributionType',
    breakdown_attribution_value: 'funnelsFilter__breakdownAttributionValue',
    bin_count: 'funnelsFilter__binCount',
    exclusions: 'funnelsFilter__exclusions'
  }
}

/** The columns of a retention table without `total_intervals`; the number is PostHog's. */
const RETENTION_COLUMNS = 11

const object = unlessNeutral(jsonText(z.record(z.string(), z.unknown()).nullish()))

/** The fields of retention. */
export const RetentionFields = fieldsOf(
  {
    ...SHARED.shape,
    ...OF_BREAKDOWN.shape,
    retention_type: text,
    retention_reference: text,
    total_intervals: count,
    period: text,
    target_entity: object,
    returning_entity: object
  },
  {
    id: 'RetentionFields',
    description: 'A retention table as a filter object.',
    examples: [
      {
        target_entity: { id: 'signup', type: 'events' },
        returning_entity: { id: '$pageview', type: 'events' },
        retention_type: 'retention_first_time',
        period: 'Week',
        total_intervals: 8
      }
    ]
  }
)

export const RETENTION: LegacyForm<z.output<typeof RetentionFields>> = {
  kind: 'RetentionQuery',
  insights: ['RETENTION'],
  shownAs: 'Volume',
  fields: RetentionFields,
  complete: (filter) => ({
    ...filter,
    total_intervals: filter.total_intervals ?? RETENTION_COLUMNS
  }),
  paths: {
    ...PATHS,
    display: 'retentionFilter__display',
    retention_type: 'retentionFilter__retentionType',
    retention_reference: 'retentionFilter__retentionReference',
    total_intervals: 'retentionFilter__totalIntervals',
    period: 'retentionFilter__period',
    target_entity: 'retentionFilter__targetEntity',
    returning_entity: 'retentionFilter__returningEntity'
  }
}

const STICKINESS: LegacyForm = {
  kind: 'StickinessQuery',
  insights: ['STICKINESS', 'TRENDS'],
  shownAs: 'Stickiness',
  fields: fieldsOf({
    ...SHARED.shape,
    ...OF_SERIES.shape,
    ...LegacyFilter.pick({ compare: true, compare_to: true }).shape
  }),
  paths: { ...PATHS, display: 'stickinessFilter__display' }
}

const LIFECYCLE: LegacyForm = {
  kind: 'LifecycleQuery',
  insights: ['LIFECYCLE', 'TRENDS'],
  shownAs: 'Lifecycle',
  fields: fieldsOf({ ...SHARED.shape, ...OF_SERIES.shape }),
  paths: PATHS
}

const BY_INSIGHT = new Map<unknown, LegacyForm>([
  ['FUNNELS', FUNNEL],
  ['RETENTION', RETENTION],
  ['STICKINESS', STICKINESS],
  ['LIFECYCLE', LIFECYCLE]
])

const BY_SHOWN_AS = new Map<unknown, LegacyForm>([
  ['Stickiness', STICKINESS],
  ['Lifecycle', LIFECYCLE]
])

/** Returns the form of a filter object; undefined for that of a trend, or an unknown one. */
export const findLegacyForm = ({
  insight,
  shown_as: shownAs
}: Record<string, unknown>): LegacyForm | undefined =>
  BY_SHOWN_AS.get(shownAs) ?? BY_INSIGHT.get(insight)

import * as z from 'zod'
import { DAY, HOUR, MINUTE } from '../../calendar/units.ts'
import { AppError, renaming } from '../../errors.ts'
import { isObject, type JsonObject } from '../../input/json.ts'
import { parseInput } from '../../input/parse.ts'
import { ignored, section } from '../../trends/node-fields.ts'
import { unsupported } from '../../trends/property.ts'
import { MAX_SERIES, type TrendQuery } from '../../trends/query.ts'
import { readTrendsNode, type Settings } from '../../trends/request.ts'
import { Unsupported } from '../../trends/shared-fields.ts'
import { FUNNEL_ORDERS, type FunnelRules } from './rules.ts'
import { ATTRIBUTIONS, type Attribution } from './runs.ts'

/** Lengths of the units of a window, ms. A month has 31 days, as in PostHog. */
const WINDOW_UNITS = {
  second: 1_000,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 31 * DAY
}

/** Units that a window may last: three years of seconds. */
const MAX_WINDOW = 100_000_000

const StepPlace = z.int().min(0).nullish()

const MathName = z.string().nullish()

const Exclusion = z.looseObject({
  funnelFromStep: StepPlace,
  funnelToStep: StepPlace,
  math: MathName
})

const FunnelsNode = z.strictObject({
  kind: z.string(),
  series: z.array(z.looseObject({ optionalInFunnel: Unsupported, math: MathName })).nullish(),
  funnelsFilter: section({
    funnelVizType: z.enum(['steps', 'time_to_convert', 'trends', 'flow']).nullish(),
    funnelOrderType: z.enum(FUNNEL_ORDERS).nullish(),
    funnelWindowInterval: z.int().min(1).max(MAX_WINDOW).nullish(),
    // The cast is safe: the object has no other keys.
    funnelWindowIntervalUnit: z
      .enum(Object.keys(WINDOW_UNITS) as (keyof typeof WINDOW_UNITS)[])
      .nullish(),
    exclusions: z.array(Exclusion).nullish(),
    funnelFromStep: StepPlace,
    funnelToStep: StepPlace,
    breakdownAttributionType: z.enum(ATTRIBUTIONS).nullish(),
    breakdownAttributionValue: StepPlace,
    binCount: z.int().min(1).max(90).nullish(),
    hideIncompleteConversionWindowPeriods: z.boolean().nullish(),
    funnelAggregateByHogQL: z.string().nullish(),
    customAggregationTarget: Unsupported,
    ...ignored(
      'breakdownSorting',
      'funnelStepReference',
      'goalLines',
      'hiddenLegendBreakdowns',
      'layout',
      'resultCustomizations',
      'showAnnotations',
      'showLegend',
      'showTrendLines',
      'showValuesOnSeries',
      'useUdf'
    )
  }),
  ...ignored('version', 'response', 'tags', 'modifiers', 'dataColorTheme'),
  // `readTrendsNode` checks these.
  ...ignored(
    'interval',
    'dateRange',
    'properties',
    'filterTestAccounts',
    'breakdownFilter',
    'compareFilter',
    'samplingFactor',
    'aggregation_group_type_index'
  )
})
type FunnelsNode = z.infer<typeof FunnelsNode>
type FunnelsFilter = FunnelsNode['funnelsFilter']

/** Expressions by which clients ask for a funnel of sessions. */
const SESSIONS = ['properties.$session_id', '$session_id']

export type FunnelQuery = {
  /** The series are the steps, then the events that are excluded. */
  trend: TrendQuery
  rules: FunnelRules
  /** Who takes the steps. */
  subjects: 'actors' | 'sessions'
  attribution: Attribution
  view: 'steps' | 'time_to_convert' | 'trends'
  /** The steps, from 0 on, between which conversion is measured. */
  from: number
  to: number
  binCount: number | undefined
  hidesIncomplete: boolean
}

/** The maths that clients send with steps, although steps count no events. */
const MATHS: readonly unknown[] = [undefined, null, '', 'total', 'dau']

/**
 * Reads a `FunnelsQuery`.
 * @throws errors of input whose attr is a path in the node; query_too_large, attr the limit
 */
export function readFunnels(node: JsonObject, settings: Settings, now: Date): FunnelQuery {
  const { series, funnelsFilter: filter, ...shared } = parseInput(FunnelsNode, node)
  const steps = series ?? []
  const exclusions = filter.exclusions ?? []
  expectFewSteps(steps.length, exclusions.length)
  expectNoMath(steps, 'series')
  expectNoMath(exclusions, 'funnelsFilter__exclusions')
  const view = viewOf(filter)
  const trend = readSeries(
    {
      ...shared,
      series: [
        ...steps.map(({ optionalInFunnel: _, ...step }) => ({ ...step, math: undefined })),
        ...exclusions.map(({ funnelFromStep: _, funnelToStep: __, ...event }) => ({
          ...event,
          math: undefined
        }))
      ],
      trendsFilter: { display: view === 'trends' ? 'ActionsLineGraph' : 'BoldNumber' }
    },
    steps.length,
    settings,
    now
  )
  const order = filter.funnelOrderType ?? 'ordered'
  const ranges = exclusions.map((one, i) => {
    const at = `funnelsFilter__exclusions__${i}`
    const range = readRange(one, steps.length, at)
    expectOther(trend, steps.length, { ...range, exclusion: i, at })
    return range
  })
  if (order === 'unordered') {
    expectUnordered(view, ranges, steps.length)
  }
  const attribution = filter.breakdownAttributionType ?? 'first_touch'
  const { from, to } = readRange(filter, steps.length, 'funnelsFilter')
  expectNoBreakdown(trend, view)
  return {
    trend,
    rules: {
      order,
      steps: steps.length,
      window:
        (filter.funnelWindowInterval ?? 14) *
        WINDOW_UNITS[filter.funnelWindowIntervalUnit ?? 'day'],
      exclusions: ranges,
      groupStep: attribution === 'step' ? readGroupStep(filter, order, steps.length) : undefined
    },
    subjects: readSubjects(filter),
    attribution,
    view,
    from,
    to,
    binCount: filter.binCount ?? undefined,
    hidesIncomplete: filter.hideIncompleteConversionWindowPeriods ?? false
  }
}

function readSubjects({ funnelAggregateByHogQL: by }: FunnelsFilter): FunnelQuery['subjects'] {
  if (by && !SESSIONS.includes(by)) {
    const attr = 'funnelsFilter__funnelAggregateByHogQL'
    throw unsupported('expression that a funnel counts', by, attr, SESSIONS)
  }
  return by ? 'sessions' : 'actors'
}

/** @param at the path of the list of events */
function expectNoMath(events: readonly { math?: string | null | undefined }[], at: string): void {
  for (const [i, { math }] of events.entries()) {
    if (!MATHS.includes(math)) {
      throw unsupported('math of a funnel', math, `${at}__${i}__math`, ['total', 'dau'])
    }
  }
}

/** A flow is a drawing of the steps. */
function viewOf({ funnelVizType }: FunnelsFilter): FunnelQuery['view'] {
  const view = funnelVizType ?? 'steps'
  return view === 'flow' ? 'steps' : view
}

/** Reads the members that a funnel shares with a trend. */
function readSeries(node: object, steps: number, settings: Settings, now: Date): TrendQuery {
  // The cast is safe: the node was parsed from JSON.
  const trend = withKinds({ ...node, kind: 'TrendsQuery' } as unknown as JsonObject)
  const query = renaming(
    () => readTrendsNode(trend, settings, now),
    ({ attr }) => inFunnel(attr, steps)
  )
  if (query.compare) {
    throw new AppError(
      'invalid_input',
      'Comparing funnels is not supported.',
      'compareFilter__compare'
    )
  }
  return query
}

/** Reads a member of the series without a kind as an event, because clients leave it out. */
const withKinds = ({ series, ...node }: JsonObject): JsonObject => ({
  ...node,
  series: Array.isArray(series)
    ? series.map((one) => (isObject(one) && 'event' in one ? { kind: 'EventsNode', ...one } : one))
    : (series ?? null)
})

/** `series__3__event` → `funnelsFilter__exclusions__1__event`, in a funnel with two steps */
const inFunnel = (attr: string | null, steps: number): string | null =>
  attr?.replace(/^series__(\d+)/, (all, place) =>
    Number(place) < steps ? all : `funnelsFilter__exclusions__${Number(place) - steps}`
  ) ?? null

function expectFewSteps(steps: number, exclusions: number): void {
  if (steps < 2) {
    throw new AppError('invalid_input', `A funnel has at least two steps; got ${steps}.`, 'series')
  }
  if (steps + exclusions > MAX_SERIES) {
    throw new AppError(
      'query_too_large',
      `A funnel has at most ${MAX_SERIES} steps and exclusions together; got ${steps + exclusions}.`,
      'series'
    )
  }
}

/**
 * Reads the steps between which something lies; the first and the last one by default.
 * @param at the path of the object that has them
 */
function readRange(
  { funnelFromStep, funnelToStep }: Pick<FunnelsFilter, 'funnelFromStep' | 'funnelToStep'>,
  steps: number,
  at: string
): { from: number; to: number } {
  const from = funnelFromStep ?? 0
  const to = funnelToStep ?? steps - 1
  if (from > steps - 2) {
    throw new AppError(
      'invalid_input',
      `\`funnelFromStep\` must be a step from 0 to ${steps - 2}; got ${from}.`,
      `${at}__funnelFromStep`
    )
  }
  if (to <= from || to >= steps) {
    throw new AppError(
      'invalid_input',
      `\`funnelToStep\` must be a step after \`funnelFromStep\`, from ${from + 1} to ${steps - 1}; got ${to}.`,
      `${at}__funnelToStep`
    )
  }
  return { from, to }
}

/** Refuses an exclusion of an event that is a step between which it is excluded. */
function expectOther(
  { series }: TrendQuery,
  steps: number,
  { from, to, exclusion, at }: { from: number; to: number; exclusion: number; at: string }
): void {
  const keyOf = (place: number) => JSON.stringify([series[place]?.event, series[place]?.filters])
  const own = keyOf(steps + exclusion)
  for (let step = from; step <= to; step += 1) {
    if (keyOf(step) === own) {
      throw new AppError(
        'invalid_input',
        `An exclusion must not be one of the steps between which it is excluded; this one is step ${step}.`,
        at
      )
    }
  }
}

function expectUnordered(
  view: FunnelQuery['view'],
  exclusions: readonly { from: number; to: number }[],
  steps: number
): void {
  const partial = exclusions.findIndex(({ from, to }) => from !== 0 || to !== steps - 1)
  if (partial >= 0) {
    throw new AppError(
      'invalid_input',
      `In a funnel without an order, an exclusion is for all steps: send \`funnelFromStep\` 0 and \`funnelToStep\` ${steps - 1}.`,
      `funnelsFilter__exclusions__${partial}`
    )
  }
  if (view === 'trends') {
    throw new AppError(
      'invalid_input',
      'Trends of a funnel without an order are not supported: it has no first step whose day could count.',
      'funnelsFilter__funnelVizType'
    )
  }
}

function readGroupStep(
  { breakdownAttributionValue }: FunnelsFilter,
  order: FunnelRules['order'],
  steps: number
): number {
  const step = breakdownAttributionValue ?? 0
  const last = order === 'unordered' ? 0 : steps - 1
  if (step > last) {
    throw new AppError(
      'invalid_input',
      order === 'unordered'
        ? `In a funnel without an order, only step 0 can have the value of the breakdown; got ${step}.`
        : `\`breakdownAttributionValue\` must be a step from 0 to ${last}; got ${step}.`,
      'funnelsFilter__breakdownAttributionValue'
    )
  }
  return step
}

function expectNoBreakdown({ breakdowns }: TrendQuery, view: FunnelQuery['view']): void {
  if (view === 'time_to_convert' && breakdowns.length > 0) {
    throw new AppError(
      'invalid_input',
      'The time to convert cannot be broken down: filter by the value instead.',
      'breakdownFilter'
    )
  }
}

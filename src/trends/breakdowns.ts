import { AppError } from '../errors.ts'
import { isOneOf, PROPERTY_TYPES } from '../properties/filter.ts'
import type { TrendsNode } from './node-fields.ts'
import { readProperty, unsupported } from './property.ts'
import { type Breakdown, MAX_BREAKDOWN_LIMIT, MAX_BREAKDOWNS, type TrendQuery } from './query.ts'

type BreakdownFilter = TrendsNode['breakdownFilter']

const at = (...path: (string | number)[]): string => ['breakdownFilter', ...path].join('__')

/**
 * Reads the breakdowns of a node.
 * @throws invalid_input, attr the field; query_too_large, attr `breakdown_values`
 */
export const readBreakdowns = ({
  breakdownFilter: filter,
  trendsFilter: { display }
}: Pick<TrendsNode, 'breakdownFilter' | 'trendsFilter'>): Pick<
  TrendQuery,
  'breakdowns' | 'listsBreakdowns' | 'breakdownLimit' | 'hidesOther'
> => ({
  breakdowns: listBreakdowns(filter),
  listsBreakdowns: (filter.breakdowns ?? []).length > 0,
  breakdownLimit: readLimit(filter.breakdown_limit ?? (display === 'WorldMap' ? 300 : 25)),
  hidesOther: filter.breakdown_hide_other_aggregation ?? false
})

function listBreakdowns(filter: BreakdownFilter): Breakdown[] {
  const { breakdown, breakdowns, breakdown_histogram_bin_count: binCount } = filter
  expectNoNormalizing(filter.breakdown_normalize_url, at('breakdown_normalize_url'))
  const several = breakdowns ?? []
  if (several.length > MAX_BREAKDOWNS) {
    throw new AppError(
      'invalid_input',
      `At most ${MAX_BREAKDOWNS} breakdowns are allowed.`,
      at('breakdowns')
    )
  }
  if (several.length > 0 || !breakdown) {
    expectNoSettings(filter)
    return several.map((one, i) => {
      const own = (name: string) => at('breakdowns', i, name)
      expectNoNormalizing(one.normalize_url, own('normalize_url'))
      const type = readType(one.type, own('type'))
      const property = readProperty({ type, key: one.property }, own('property'))
      return { ...property, binCount: readBinCount(one.histogram_bin_count) }
    })
  }
  const type = readType(filter.breakdown_type, at('breakdown_type'))
  const property = readProperty({ type, key: breakdown }, at('breakdown'))
  return [{ ...property, binCount: readBinCount(binCount) }]
}

/**
 * Refuses a setting of a single `breakdown` in a request without one, unless each of the
 * `breakdowns` has the setting itself. The default type is accepted, because PostHog's clients send
 * it with every trend.
 * @throws invalid_input, attr the field
 */
function expectNoSettings(filter: BreakdownFilter): void {
  const { breakdown_type: type, breakdown_histogram_bin_count: count } = filter
  const several = filter.breakdowns ?? []
  const settings = [
    {
      name: 'breakdown_type',
      isGiven: type && type !== 'event',
      isOverridden: several.every((one) => one.type)
    },
    {
      name: 'breakdown_histogram_bin_count',
      isGiven: count,
      isOverridden: several.every((one) => one.histogram_bin_count)
    }
  ]
  for (const { name, isGiven, isOverridden } of settings) {
    if (isGiven && several.length === 0) {
      throw new AppError(
        'invalid_input',
        `\`${name}\` needs a \`breakdown\`: the name of a property.`,
        at(name)
      )
    }
    if (isGiven && !isOverridden) {
      throw new AppError(
        'invalid_input',
        `\`${name}\` belongs to \`breakdown\`. Give each of the \`breakdowns\` its own.`,
        at(name)
      )
    }
  }
}

function readLimit(limit: number): number {
  if (limit > MAX_BREAKDOWN_LIMIT) {
    throw new AppError(
      'query_too_large',
      `A breakdown shows at most ${MAX_BREAKDOWN_LIMIT} values.`,
      'breakdown_values'
    )
  }
  return limit
}

function expectNoNormalizing(isWanted: boolean | null | undefined, attr: string): void {
  if (isWanted) {
    throw new AppError('invalid_input', 'Normalising URLs is not supported.', attr)
  }
}

function readBinCount(count: number | null | undefined) {
  if (count && count > MAX_BREAKDOWN_LIMIT) {
    throw new AppError(
      'query_too_large',
      `A breakdown has at most ${MAX_BREAKDOWN_LIMIT} bins.`,
      'breakdown_values'
    )
  }
  return count ?? undefined
}

function readType(given: string | null | undefined, attr: string) {
  const type = given || 'event'
  if (!isOneOf(PROPERTY_TYPES, type)) {
    throw unsupported('type of breakdown', type, attr)
  }
  return type
}

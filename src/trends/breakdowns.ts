import { AppError } from '../errors.ts'
import { isOneOf, PROPERTY_TYPES } from '../properties/filter.ts'
import { readProperty, unsupported } from './property.ts'
import { type Breakdown, MAX_BREAKDOWN_LIMIT, MAX_BREAKDOWNS } from './query.ts'
import type { BreakdownFilter } from './shared-fields.ts'

/**
 * Reads the breakdowns of a request in either form; `pathOf` returns a field's path in the request.
 * @throws invalid_input, attr the field; query_too_large, attr `breakdown_values`
 */
export function readBreakdowns(
  breakdown: BreakdownFilter,
  pathOf: (name: string) => string
): Breakdown[] {
  expectNoNormalizing(breakdown.breakdown_normalize_url, pathOf('breakdown_normalize_url'))
  const several = breakdown.breakdowns ?? []
  if (several.length > MAX_BREAKDOWNS) {
    throw new AppError(
      'invalid_input',
      `At most ${MAX_BREAKDOWNS} breakdowns are allowed.`,
      pathOf('breakdowns')
    )
  }
  if (several.length === 0) {
    if (!breakdown.breakdown) {
      expectNoSettings(breakdown, pathOf)
      return []
    }
    const type = readBreakdownType(breakdown.breakdown_type, pathOf('breakdown_type'))
    const binCount = readBinCount(breakdown.breakdown_histogram_bin_count)
    return [{ ...readProperty({ type, key: breakdown.breakdown }, pathOf('breakdown')), binCount }]
  }
  expectOwn(breakdown, pathOf)
  return several.map(({ property, type, histogram_bin_count, normalize_url }, i) => {
    const place = `${pathOf('breakdowns')}__${i}`
    expectNoNormalizing(normalize_url, `${place}__normalize_url`)
    const own = readProperty(
      { type: readBreakdownType(type, `${place}__type`), key: property },
      `${place}__property`
    )
    return { ...own, binCount: readBinCount(histogram_bin_count) }
  })
}

/**
 * Refuses a setting of a `breakdown` in a request without one. The default type is accepted, because PostHog's clients send it
 * with every trend.
 * @throws invalid_input, attr the field
 */
function expectNoSettings(breakdown: BreakdownFilter, pathOf: (name: string) => string): void {
  const { breakdown_type: type, breakdown_histogram_bin_count: count } = breakdown
  const isIgnored = {
    breakdown_type: type && type !== 'event',
    breakdown_histogram_bin_count: count
  }
  for (const [name, ignored] of Object.entries(isIgnored)) {
    if (ignored) {
      throw new AppError(
        'invalid_input',
        `\`${name}\` needs a \`breakdown\`: the name of a property.`,
        pathOf(name)
      )
    }
  }
}

/**
 * Refuses a setting of a single `breakdown` in a request with `breakdowns`, unless each of these has the setting itself. The
 * default type is accepted, because PostHog's clients send it with every trend.
 * @throws invalid_input, attr the field
 */
function expectOwn(breakdown: BreakdownFilter, pathOf: (name: string) => string): void {
  const { breakdowns, breakdown_type: type, breakdown_histogram_bin_count: count } = breakdown
  const several = breakdowns ?? []
  const isIgnored = {
    breakdown_type: type && type !== 'event' && several.some((one) => !one.type),
    breakdown_histogram_bin_count: count && several.some((one) => !one.histogram_bin_count)
  }
  for (const [name, ignored] of Object.entries(isIgnored)) {
    if (ignored) {
      throw new AppError(
        'invalid_input',
        `\`${name}\` belongs to \`breakdown\`. Give each of the \`breakdowns\` its own.`,
        pathOf(name)
      )
    }
  }
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

function readBreakdownType(given: string | null | undefined, attr: string) {
  const type = given || 'event'
  if (!isOneOf(PROPERTY_TYPES, type)) {
    throw unsupported('type of breakdown', type, attr)
  }
  return type
}

import type * as z from 'zod'
import { AppError } from '../errors.ts'
import { parseInput } from '../input/parse.ts'
import { LegacyFilter } from './fields.ts'
import type { Draft } from './forms.ts'
import { unsupported } from './property.ts'

type LegacyFields = z.infer<typeof LegacyFilter>

/** @throws invalid_input, attr the field, for a value that only other insights have */
function expectTrend(filter: LegacyFields, pathOf: Draft['pathOf']): void {
  if (filter.insight && filter.insight !== 'TRENDS') {
    throw unsupported('insight', filter.insight, pathOf('insight'))
  }
  if (filter.shown_as && filter.shown_as !== 'Volume') {
    throw unsupported('form of an insight', filter.shown_as, pathOf('shown_as'))
  }
  if (filter.actions && filter.actions.length > 0) {
    throw new AppError(
      'invalid_input',
      'Actions are not supported: only events are.',
      pathOf('actions')
    )
  }
  for (const [i, { type }] of (filter.events ?? []).entries()) {
    if (type && type !== 'events') {
      throw unsupported('type of series', type, `${pathOf('events')}__${i}__type`)
    }
  }
}

/** Reads the legacy form, which is at `path` of a request. */
export function readLegacy(
  input: Record<string, unknown>,
  path: string[],
  ignoredFields: string[]
): Draft {
  const filter = parseInput(LegacyFilter, input, path, ignoredFields)
  const pathOf = (name: string) => [...path, name].join('__')
  expectTrend(filter, pathOf)
  return {
    pathOf,
    series: inOrder(filter.events ?? []).map(({ id, order, i, ...rest }) => ({
      ...rest,
      at: `${pathOf('events')}__${i}`,
      event: id,
      order: order ?? i,
      filters: [rest.properties]
    })),
    dateFrom: filter.date_from || '-7d',
    dateTo: filter.date_to || undefined,
    interval: filter.interval ?? 'day',
    properties: filter.properties,
    filtersTestAccounts: filter.filter_test_accounts ?? false,
    display: filter.display || 'ActionsLineGraph',
    breakdown: filter,
    compare: filter.compare ?? false,
    compareTo: filter.compare_to || undefined,
    formulas: filter.formula
      ? [{ at: pathOf('formula'), text: filter.formula, name: undefined }]
      : [],
    smoothing: filter.smoothing_intervals ?? 1,
    unsupported: {
      sampling_factor: filter.sampling_factor,
      aggregation_group_type_index: filter.aggregation_group_type_index
    }
  }
}

/** Sorts events by `order` if all have one; `i` is the place of an event in the request. */
function inOrder<T extends { order?: number | null | undefined }>(
  events: readonly T[]
): (T & { i: number })[] {
  const placed = events.map((event, i) => ({ ...event, i }))
  const isOrdered = placed.every(({ order }) => typeof order === 'number')
  return isOrdered ? placed.sort((a, b) => (a.order ?? 0) - (b.order ?? 0)) : placed
}

import type { Calendar } from '../calendar/buckets.ts'
import { AppError } from '../errors.ts'
import { isEmpty, type Json, type JsonObject } from '../input/json.ts'
import { parseInput } from '../input/parse.ts'
import { type FilterGroup, isOneOf, leavesOf, PROPERTY_TYPES } from '../properties/filter.ts'
import { Patterns } from '../properties/pattern.ts'
import { type Reading, readFilters } from '../properties/read-filters.ts'
import { readBreakdowns } from './breakdowns.ts'
import { LegacyFilter, UrlFields } from './fields.ts'
import type { Draft, Entity } from './forms.ts'
import { type Formula, FormulaError, readFormula } from './formula.ts'
import { readLegacy } from './legacy-form.ts'
import { readMathProperty } from './math-property.ts'
import { MATH_NAMES } from './maths/table.ts'
import { readQuery } from './node-form.ts'
import { unsupported } from './property.ts'
import {
  DISPLAYS,
  MAX_BREAKDOWN_LIMIT,
  MAX_FORMULAS,
  MAX_SERIES,
  MAX_SERIES_FILTERS,
  type Series,
  type TrendQuery
} from './query.ts'
import { readCompare, readRange } from './range.ts'

/** The settings of a project on which the meaning of a request depends. */
export type Settings = Calendar & { testAccountFilters: unknown[] }

/**
 * Reads the trend of a request from the first of `query`, `filters` and the flat form that has series; undefined if none has.
 * @param ignoredFields receives the names of the fields that have no effect
 * @throws invalid_input and other errors of input, attr the field, for a field or value that would change the trend and is not
 * understood
 */
export function readTrend(
  fields: JsonObject,
  settings: Settings,
  now: Date,
  ignoredFields: string[] = []
): TrendQuery | undefined {
  const draft = readDraft(fields, ignoredFields)
  return draft && finish(draft, settings, now)
}

/**
 * Like `readTrend`, but leaves out property filters, breakdowns and formulas. The rest tells in which range a trend needs
 * events, and of which names.
 */
export function readOutline(
  fields: JsonObject,
  calendar: Calendar,
  now: Date
): TrendQuery | undefined {
  const draft = readDraft(fields, [])
  const outline = draft && {
    ...draft,
    series: draft.series.map((entity) => ({ ...entity, filters: [] })),
    properties: undefined,
    filtersTestAccounts: false,
    breakdown: {},
    formulas: []
  }
  return outline && finish(outline, { ...calendar, testAccountFilters: [] }, now)
}

function readDraft(fields: JsonObject, ignoredFields: string[]): Draft | undefined {
  const filters = parseInput(UrlFields.shape.filters, fields.filters, ['filters'])
  return (
    withSeries(readQuery(fields.query)) ??
    withSeries(filters ? readLegacy(filters, ['filters'], ignoredFields) : undefined) ??
    withSeries(readLegacy(pickFlat(fields), [], ignoredFields))
  )
}

/** Returns only the fields of the flat form. The schema of the route has checked the others, such as an insight's `name`. */
const pickFlat = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => Object.hasOwn(LegacyFilter.shape, name))
  )

const withSeries = (draft: Draft | undefined) =>
  draft && draft.series.length > 0 ? draft : undefined

/** Values of unsupported fields, besides null, that change nothing. */
const WITHOUT_EFFECT: Record<string, readonly unknown[]> = { sampling_factor: [1, '1'] }

/** @throws query_too_large and invalid_input, attr the field, for a value that no trend can have */
function expectPossible({ pathOf, series, formulas, breakdown, unsupported: others }: Draft): void {
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined && value !== null && !WITHOUT_EFFECT[name]?.includes(value)) {
      throw unsupported(name, value, pathOf(name))
    }
  }
  if (series.length > MAX_SERIES) {
    throw new AppError('query_too_large', `A trend has at most ${MAX_SERIES} series.`, 'series')
  }
  if (formulas.length > MAX_FORMULAS) {
    throw new AppError(
      'query_too_large',
      `A trend has at most ${MAX_FORMULAS} formulas.`,
      'formulas'
    )
  }
  if (breakdown.breakdown && breakdown.breakdowns?.length) {
    throw new AppError(
      'invalid_input',
      'A trend has one `breakdown` or several `breakdowns`, not both.',
      pathOf('breakdown')
    )
  }
}

/** Returns the property filters that all series share, and the series with their own filters. */
function readAllFilters(
  draft: Draft,
  settings: Settings,
  now: Date
): { filters: FilterGroup; series: Series[] } {
  const reading = {
    timezone: settings.timezone,
    now,
    types: PROPERTY_TYPES,
    patterns: new Patterns()
  }
  const read = (filters: unknown, attr: string) => readGroup(filters, attr, reading)
  const testAccounts = draft.filtersTestAccounts ? settings.testAccountFilters : []
  const filters: FilterGroup = {
    type: 'AND',
    values: [
      read(draft.properties, draft.pathOf('properties')),
      read(testAccounts, draft.pathOf('filter_test_accounts'))
    ]
  }
  const series = draft.series.map((entity) => readSeries(entity, read))
  const most = Math.max(...series.map((one) => leavesOf(one.filters).length))
  if (most + leavesOf(filters).length > MAX_SERIES_FILTERS) {
    throw new AppError(
      'query_too_large',
      `A series has at most ${MAX_SERIES_FILTERS} property filters.`,
      'filters'
    )
  }
  return { filters, series }
}

/** Returns the number of breakdown values to show. @throws query_too_large */
function readBreakdownLimit({ breakdown, display }: Draft): number {
  const limit = breakdown.breakdown_limit ?? (display === 'WorldMap' ? 300 : 25)
  if (limit > MAX_BREAKDOWN_LIMIT) {
    throw new AppError(
      'query_too_large',
      `A breakdown shows at most ${MAX_BREAKDOWN_LIMIT} values.`,
      'breakdown_values'
    )
  }
  return limit
}

function finish(draft: Draft, settings: Settings, now: Date): TrendQuery {
  const { interval, breakdown, display } = draft
  expectPossible(draft)
  if (!isOneOf(DISPLAYS, display)) {
    throw unsupported('display', display, draft.pathOf('display'), DISPLAYS)
  }
  const { filters, series } = readAllFilters(draft, settings, now)
  return {
    series,
    ...readRange(draft, settings, now),
    interval,
    filters,
    display,
    breakdowns: readBreakdowns(breakdown, draft.pathOf),
    listsBreakdowns: (breakdown.breakdowns ?? []).length > 0,
    breakdownLimit: readBreakdownLimit(draft),
    hidesOther: breakdown.breakdown_hide_other_aggregation ?? false,
    compare: readCompare(draft),
    formulas: draft.formulas.map(({ at, text, name }) => ({
      at,
      text,
      name,
      calculate: readFormulaAt(at, text, series.length)
    })),
    smoothing: draft.smoothing,
    shown: {
      insight: 'TRENDS',
      interval,
      date_from: draft.dateFrom,
      date_to: draft.dateTo ?? null,
      display
    }
  }
}

function readSeries(entity: Entity, read: (filters: unknown, attr: string) => FilterGroup): Series {
  const { at, event, order, name, custom_name, properties } = entity
  const math = entity.math || 'total'
  if (!isOneOf(MATH_NAMES, math)) {
    throw unsupported('math', math, `${at}__math`, MATH_NAMES)
  }
  return {
    event,
    name: name || (event ?? 'All events'),
    customName: custom_name || null,
    order,
    math,
    property: readMathProperty(entity, math),
    filters: {
      type: 'AND',
      values: entity.filters.map((filters) => read(filters, `${at}__properties`))
    },
    // Only for the answer, which repeats them.
    properties: properties ?? {}
  }
}

/** @throws invalid_input, attr the place of the formula */
function readFormulaAt(at: string, text: string, series: number): Formula {
  try {
    return readFormula(text, series)
  } catch (error) {
    if (error instanceof FormulaError) {
      throw new AppError('invalid_input', error.message, at)
    }
    throw error
  }
}

/** Reads filters in any form. Without filters, returns an empty group. */
function readGroup(filters: unknown, attr: string, reading: Reading): FilterGroup {
  if (filters === undefined || filters === null || isEmpty(filters)) {
    return { type: 'AND', values: [] }
  }
  try {
    // The cast is safe: the filters were parsed from JSON.
    return readFilters(filters as Json, reading)
  } catch (error) {
    if (error instanceof AppError) {
      throw new AppError(error.code, error.message, attr)
    }
    throw error
  }
}

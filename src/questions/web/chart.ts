import type { FigureForm, Series } from '../../charts/chart.ts'
import type { ProjectCalendar } from '../../trends/periods.ts'
import { comparisonOf, type TrendQuery } from '../../trends/query.ts'
import { NONE, nameOfValues } from '../../trends/value-names.ts'
import type { ResolvedRange } from '../date-range.ts'
import {
  type DrawingPlace,
  type DrawnQuestion,
  type QuestionFigure,
  rangeOfAnswer,
  subtitleOf
} from '../drawing.ts'
import type { WebBreakdownName } from './breakdowns.ts'
import type { WebOverviewAnswer } from './overview.ts'
import type { WebOverviewQuery, WebTable, WebTableQuery } from './query.ts'
import type { WebTableAnswer } from './stats-table.ts'

/** Returns a query whose answer also has the numbers of the period before. */
export const compareWeb = <Query extends { trend: TrendQuery }>(query: Query): Query => ({
  ...query,
  trend: { ...query.trend, compare: comparisonOf(query.trend) }
})

const NAMES = {
  visitors: 'Visitors',
  views: 'Views',
  sessions: 'Sessions',
  'session duration': 'Session duration',
  'bounce rate': 'Bounce rate'
} as const

const RATE: FigureForm = { unit: 'percent', isIncreaseBad: true }

/** How the numbers of an overview are shown, by their `kind`. */
const COLUMNS: Record<WebOverviewAnswer['results'][number]['kind'], FigureForm> = {
  unit: {},
  duration_s: { unit: 'seconds' },
  percentage: RATE
}

/** Draws an overview: five numbers beside each other. */
export function drawWebOverview(
  { trend }: WebOverviewQuery,
  { results, resolved_date_range }: WebOverviewAnswer,
  { project }: DrawingPlace
): DrawnQuestion {
  const columns = results.map(({ kind }) => COLUMNS[kind])
  const figures = results.flatMap(({ key, value, previous }, i): QuestionFigure[] =>
    value === null ? [] : [{ label: NAMES[key], value, previous, ...columns[i] }]
  )
  const series = {
    name: 'All visits',
    ...cellsOf(results.map(({ value, previous }) => [value, previous]))
  }
  return {
    chart: {
      ...commonOf(trend, resolved_date_range, project),
      title: 'Visitors, views and sessions',
      counted: 'Sessions that began in the range',
      kind: 'numbers',
      buckets: results.map(({ key }) => NAMES[key]),
      columns,
      series: [series],
      finished: results.length
    },
    ...placeOf(trend, resolved_date_range),
    figures
  }
}

/** Draws a table: a row for each value of the breakdown. */
export function drawWebTable(
  { trend, table }: WebTableQuery,
  { results, hasMore, resolved_date_range }: WebTableAnswer,
  { project }: DrawingPlace
): DrawnQuestion {
  const { breakdownBy, hasBounceRate } = table
  const buckets = ['Visitors', 'Views', ...(hasBounceRate ? ['Bounce rate'] : [])]
  const series = results.map(([value, ...cells]): Series => {
    // The casts are safe: they are the types of the cells in the answer.
    const [visitors, views, rate] = cells as WebCell[]
    const shown = [visitors, views, rate?.map((share) => share && 100 * share)]
    return {
      name: nameOfRow(table, value as RowValue),
      ...cellsOf(shown.filter((cell) => cell !== undefined) as WebCell[])
    }
  })
  const rows = `Visitors, views${hasBounceRate ? ' and bounce rate' : ''} by ${WORDS[breakdownBy]}`
  return {
    chart: {
      ...commonOf(trend, resolved_date_range, project),
      title: `Visitors by ${WORDS[breakdownBy]}`,
      counted: hasMore ? `${rows}; there are more rows` : rows,
      kind: 'table',
      buckets,
      columns: [{}, {}, ...(hasBounceRate ? [RATE] : [])],
      series,
      finished: buckets.length
    },
    ...placeOf(trend, resolved_date_range),
    figures: series.map(({ name, data, previous }) => ({
      label: name,
      value: data[0] ?? 0,
      previous: previous?.[0] ?? null
    }))
  }
}

/** A number, and the number of the compared period. */
type WebCell = (number | null)[]

/** The value of a row in an answer; a list by several properties. */
type RowValue = string | null | (string | null)[]

const commonOf = (trend: TrendQuery, resolved: ResolvedRange | null, project: ProjectCalendar) => ({
  subtitle: subtitleOf(rangeOfAnswer(resolved, trend), project),
  days: [],
  total: null
})

const placeOf = (trend: TrendQuery, resolved: ResolvedRange | null) => ({
  buckets: [],
  range: rangeOfAnswer(resolved, trend),
  uncounted: []
})

/** Returns the numbers of cells, up to the first that is not known, and those before. */
function cellsOf(cells: WebCell[]): Pick<Series, 'data' | 'previous'> {
  const data = known(cells.map(([value]) => value))
  const previous = known(cells.map(([, before]) => before))
  return { data, ...(previous.length > 0 && { previous }) }
}

function known(numbers: (number | null | undefined)[]): number[] {
  const first = numbers.findIndex((number) => typeof number !== 'number')
  // The cast is safe: all numbers before the first missing one are there.
  return (first < 0 ? numbers : numbers.slice(0, first)) as number[]
}

function nameOfRow({ breakdown }: WebTable, value: RowValue): string {
  const breakdowns = breakdown.properties.map((property) => ({
    ...property,
    binCount: undefined,
    bins: undefined
  }))
  return nameOfValues(
    breakdowns,
    [value].flat().map((one) => one ?? NONE)
  )
}

/** What the rows of a table are, in words. */
const WORDS: Record<WebBreakdownName, string> = {
  Page: 'page',
  InitialPage: 'entry page',
  ExitPage: 'exit page',
  ExitClick: 'link out of the site',
  ScreenName: 'screen',
  InitialChannelType: 'channel',
  InitialReferringDomain: 'referring domain',
  InitialReferringURL: 'referrer',
  InitialUTMSource: 'UTM source',
  InitialUTMMedium: 'UTM medium',
  InitialUTMCampaign: 'UTM campaign',
  InitialUTMTerm: 'UTM term',
  InitialUTMContent: 'UTM content',
  Browser: 'browser',
  OS: 'system',
  DeviceType: 'device',
  Country: 'country',
  Region: 'region',
  City: 'city',
  Language: 'language'
}

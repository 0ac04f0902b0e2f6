import { hasBuckets, type Kind } from '../../src/charts/chart.ts'
import { KIND_OF } from '../../src/questions/sql/displays.ts'
import type { QuestionNode } from '../chart/answer.ts'
import { columnsOf } from './cells.ts'
import type { SqlAnswer } from './statement.ts'

/** How an answer is drawn, as a `DataVisualizationNode` says it. Without a display, it is a table. */
export type View = {
  display?: string
  chartSettings?: {
    xAxis?: { column: string }
    yAxis?: { column: string }[]
    seriesBreakdownColumn?: string
  }
}

/** The displays among which one chooses, and what they are called. */
export const DISPLAYS = [
  ['ActionsLineGraph', 'Line'],
  ['ActionsAreaGraph', 'Area'],
  ['ActionsBar', 'Bars'],
  ['ActionsStackedBar', 'Stacked bars'],
  ['ActionsBarValue', 'Ranked bars'],
  ['ActionsPie', 'Pie'],
  ['BoldNumber', 'Numbers']
] as const satisfies readonly (readonly [keyof typeof KIND_OF, string])[]

/** Returns what draws a view; undefined for a table. */
export function kindOfView({ display = '' }: View): Kind | undefined {
  const kind = Object.hasOwn(KIND_OF, display)
    ? KIND_OF[display as keyof typeof KIND_OF]
    : undefined
  return kind === 'table' ? undefined : kind
}

/** Returns the display in the list of choices that is drawn like that of a view. */
export const displayOf = (view: View): string =>
  DISPLAYS.find(([display]) => kindOfView({ display }) === kindOfView(view))?.[0] ?? ''

/** Whether a chart has an axis, over which several series can be drawn. */
export function hasAxis(view: View): boolean {
  const kind = kindOfView(view)
  return kind !== undefined && hasBuckets(kind)
}

/** Returns the chart that suits an answer: a line over times, its numbers, or ranked bars. */
export function firstDisplay(answer: SqlAnswer): string {
  const kinds = columnsOf(answer).map(({ kind }) => kind)
  if (kinds.includes('time') || kinds.includes('date')) {
    return 'ActionsLineGraph'
  }
  const isOneRow = answer.results.length === 1 && kinds.every((kind) => kind === 'number')
  return isOneRow ? 'BoldNumber' : 'ActionsBarValue'
}

/** Leaves settings of the chart out of a view. */
export function without(view: View, ...names: (keyof NonNullable<View['chartSettings']>)[]): View {
  const others = Object.entries(view.chartSettings ?? {}).filter(
    ([name]) => !(names as string[]).includes(name)
  )
  return { ...view, chartSettings: Object.fromEntries(others) }
}

/** Chooses the column whose numbers are drawn; all numbers without one, each as a series. */
export const withNumbers = (view: View, column: string): View =>
  column === ''
    ? without(view, 'yAxis', 'seriesBreakdownColumn')
    : { ...view, chartSettings: { ...view.chartSettings, yAxis: [{ column }] } }

/** Leaves out of a view the columns that an answer does not have. */
export function fitting({ display, chartSettings = {} }: View, { columns }: SqlAnswer): View {
  const { xAxis, yAxis, seriesBreakdownColumn: by, ...others } = chartSettings
  const isThere = (name: unknown): boolean => typeof name === 'string' && columns.includes(name)
  // An address may have anything in place of the list.
  const numbers = (Array.isArray(yAxis) ? yAxis : []).filter(({ column }) => isThere(column))
  const settings = {
    ...others,
    ...(xAxis && isThere(xAxis.column) && { xAxis }),
    ...(numbers.length > 0 && { yAxis: numbers }),
    ...(by && isThere(by) && { seriesBreakdownColumn: by })
  }
  return {
    ...(display && { display }),
    ...(Object.keys(settings).length > 0 && { chartSettings: settings })
  }
}

/** Wraps a statement for an insight. `beside` has what other clients have said in the node. */
export const toNode = (query: QuestionNode, view: View, beside: object = {}): QuestionNode => ({
  ...beside,
  kind: 'DataVisualizationNode',
  source: query,
  ...view
})

/** A statement of a saved insight, how it is drawn, and what else its node says. */
export type SavedStatement = { statement: string; view: View; beside: object }

/** Reads the statement of an insight; undefined for one with another question. */
export function statementIn(query: QuestionNode | string | null): SavedStatement | undefined {
  if (query === null || typeof query === 'string') {
    return undefined
  }
  const source = (query.source as QuestionNode | undefined) ?? query
  if (source.kind !== 'HogQLQuery' || typeof source.query !== 'string') {
    return undefined
  }
  const { kind, source: _, display, chartSettings, ...beside } = query
  const isView = kind === 'DataVisualizationNode'
  return { statement: source.query, view: viewOf(query), beside: isView ? beside : {} }
}

/** Reads the view of an address; a table without one that can be read. */
export function viewIn(text: string | null): View {
  try {
    return viewOf(JSON.parse(text ?? ''))
  } catch {
    return {}
  }
}

function viewOf(node: unknown): View {
  const { display, chartSettings } = Object(node) as Record<string, unknown>
  return {
    ...(typeof display === 'string' && { display }),
    ...(typeof chartSettings === 'object' &&
      chartSettings !== null && { chartSettings: chartSettings as View['chartSettings'] })
  } as View
}

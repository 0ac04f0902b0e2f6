import { formulasOf, type QuestionNode, questionIn } from '../chart/answer.ts'
import { nameOf } from '../words.ts'
import type { Subject } from './subject.ts'

/** A saved insight in the answers of the API. */
export type SavedInsight = {
  id: number
  short_id: string
  name: string | null
  derived_name: string | null
  description: string | null
  filters: Record<string, unknown>
  query: QuestionNode | string | null
  dashboards: number[]
  created_at: string
  last_modified_at: string
}

export const titleOfInsight = ({ id, name, derived_name }: SavedInsight): string =>
  name || derived_name || `Insight ${id}`

/** Displays that show one number for the whole range, so that there is no interval to watch. */
const WHOLE = ['ActionsPie', 'BoldNumber', 'ActionsBarValue', 'ActionsTable', 'WorldMap']

type Named = {
  custom_name?: string | null
  name?: string | null
  event?: string | null
  id?: unknown
}

const nameOfSeries = ({ custom_name, event, id }: Named): string => {
  const named = event ?? id
  return custom_name || (typeof named === 'string' && named !== '' ? nameOf(named) : 'Any event')
}

/** Returns the series of an insight that an alert can watch; none of what is no trend over time. */
export function seriesOf({ query, filters }: SavedInsight): string[] {
  const isNode = query !== null && typeof query === 'object' && Object.keys(query).length > 0
  const node = isNode ? questionIn(query) : undefined
  const kind = node?.kind ?? 'TrendsQuery'
  const display = node ? node.trendsFilter?.display : filters.display
  const isOther = !node && !['TRENDS', undefined, ''].includes(filters.insight as string)
  if (kind !== 'TrendsQuery' || isOther || WHOLE.includes(String(display))) {
    return []
  }
  const formulas = node ? formulasOf(node).map(({ formula }) => formula) : textsIn(filters.formula)
  const series = node ? node.series : (filters.events as Named[] | undefined)
  return formulas.length > 0 ? formulas : (Array.isArray(series) ? series : []).map(nameOfSeries)
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' && value !== '' ? [value] : []

/** What one shares, subscribes to, watches and annotates of a saved insight. */
export const subjectOf = (insight: SavedInsight): Subject => ({
  kind: 'insight',
  id: insight.id,
  name: titleOfInsight(insight),
  series: seriesOf(insight)
})

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

const namesOf = (formulas: string[], series: Named[] | undefined): string[] =>
  formulas.length > 0 ? formulas : (Array.isArray(series) ? series : []).map(nameOfSeries)

/** Returns the series of a question that an alert can watch; none of what is no trend over time. */
export const seriesOfNode = (node: QuestionNode): string[] =>
  node.kind !== 'TrendsQuery' || WHOLE.includes(String(node.trendsFilter?.display))
    ? []
    : namesOf(
        formulasOf(node).map(({ formula }) => formula),
        node.series
      )

/** Returns the series of an insight that an alert can watch. */
function seriesOf({ query, filters }: SavedInsight): string[] {
  if (query !== null && typeof query === 'object' && Object.keys(query).length > 0) {
    const node = questionIn(query)
    return node ? seriesOfNode(node) : []
  }
  const isOther = !['TRENDS', undefined, ''].includes(filters.insight as string)
  return isOther || WHOLE.includes(String(filters.display))
    ? []
    : namesOf(textsIn(filters.formula), filters.events as Named[] | undefined)
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

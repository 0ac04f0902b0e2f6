import { breakdownsOf, formulasOf, type QuestionNode, questionIn } from '../chart/answer.ts'
import { propertyName } from '../filters/properties.ts'
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

/** Returns the page that shows a saved insight: statements have one of their own. */
export const pageOfInsight = ({ query }: { query: QuestionNode | string | null }): string =>
  query !== null && typeof query === 'object' && questionIn(query).kind === 'HogQLQuery'
    ? 'sql'
    : 'explore'

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
const seriesOfNode = (node: QuestionNode): string[] =>
  node.kind !== 'TrendsQuery' || WHOLE.includes(String(node.trendsFilter?.display))
    ? []
    : namesOf(
        formulasOf(node).map(({ formula }) => formula),
        node.series
      )

/** An end that is a date, not a time ago such as `-1dEnd`. */
const FIXED = /^\d{4}-/

/** Returns what dialogs need to know of a question. */
export function factsOfNode(node: QuestionNode): Pick<Subject, 'series' | 'breakdown' | 'isFixed'> {
  const by = breakdownsOf(node).map(({ key }) => propertyName(key))
  return {
    series: seriesOfNode(node),
    isFixed: FIXED.test(node.dateRange?.date_to ?? ''),
    ...(by.length > 0 && { breakdown: by.join(', ') })
  }
}

/** Returns the same of the question of an insight, which may have an older form. */
function factsOf({ query, filters }: SavedInsight): ReturnType<typeof factsOfNode> {
  if (query !== null && typeof query === 'object' && Object.keys(query).length > 0) {
    return factsOfNode(questionIn(query))
  }
  const isOther = !['TRENDS', undefined, ''].includes(filters.insight as string)
  return {
    series:
      isOther || WHOLE.includes(String(filters.display))
        ? []
        : namesOf(textsIn(filters.formula), filters.events as Named[] | undefined),
    isFixed: FIXED.test(String(filters.date_to)),
    ...(typeof filters.breakdown === 'string' && { breakdown: propertyName(filters.breakdown) })
  }
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' && value !== '' ? [value] : []

/** What one shares, subscribes to, watches and annotates of a saved insight. */
export const subjectOf = (insight: SavedInsight): Subject => ({
  kind: 'insight',
  id: insight.id,
  name: titleOfInsight(insight),
  ...factsOf(insight)
})

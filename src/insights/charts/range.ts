import { isObject, type JsonObject } from '../../input/json.ts'
import { STATEMENT, unwrapQuery } from '../../trends/node-form.ts'
import type { InsightRow } from '../store.ts'

/** A range as it was sent; `end` is the moment at which `to` ends, an ISO 8601 date-time. */
type GivenRange = { from: string | undefined; to: string | undefined; end: string | undefined }

/** Returns an insight with another range; with its own without a beginning and an end. */
export function withRange(insight: InsightRow, range: GivenRange): InsightRow {
  if (range.from === undefined && range.to === undefined) {
    return insight
  }
  const { inner, view } = unwrapQuery(insight.query as Parameters<typeof unwrapQuery>[0]) ?? {}
  if (!isObject(inner)) {
    return { ...insight, filters: { ...insight.filters, ...toDates(range) } }
  }
  const dated = withDates(inner, range)
  return { ...insight, query: view ? { ...view, source: dated } : dated }
}

const toDates = ({ from, to }: GivenRange) => ({ date_from: from ?? null, date_to: to ?? null })

/** Returns a node with another range. Persons who are not those of a question have none. */
function withDates(node: JsonObject, range: GivenRange): JsonObject {
  const { kind, source } = node
  if (kind === STATEMENT) {
    return withFilters(node, toDates(range))
  }
  if (kind === 'EventsQuery') {
    return { ...node, after: range.from ?? null, before: range.end ?? null }
  }
  if (String(kind).endsWith('ActorsQuery')) {
    return isObject(source) ? { ...node, source: withDates(source, range) } : node
  }
  return { ...node, dateRange: toDates(range) }
}

/** A statement has the range where it says `{filters}`; without that, it keeps its own. */
const withFilters = (statement: JsonObject, dateRange: JsonObject): JsonObject => ({
  ...statement,
  filters: { ...(isObject(statement.filters) && statement.filters), dateRange }
})

import { isObject, type JsonObject } from '../../input/json.ts'
import { STATEMENT, unwrapQuery } from '../../trends/node-form.ts'
import type { InsightRow } from '../store.ts'

type GivenRange = { from: string | undefined; to: string | undefined }

/** Returns an insight with another range; with its own without a beginning and an end. */
export function withRange(insight: InsightRow, { from, to }: GivenRange): InsightRow {
  if (from === undefined && to === undefined) {
    return insight
  }
  const range = { date_from: from ?? null, date_to: to ?? null }
  const { inner, view } = unwrapQuery(insight.query as Parameters<typeof unwrapQuery>[0]) ?? {}
  if (!isObject(inner)) {
    return { ...insight, filters: { ...insight.filters, ...range } }
  }
  const dated =
    inner.kind === STATEMENT ? withFilters(inner, range) : { ...inner, dateRange: range }
  return { ...insight, query: view ? { ...view, source: dated } : dated }
}

/** A statement has the range where it says `{filters}`; without that, it keeps its own. */
const withFilters = (statement: JsonObject, dateRange: JsonObject): JsonObject => ({
  ...statement,
  filters: { ...(isObject(statement.filters) && statement.filters), dateRange }
})

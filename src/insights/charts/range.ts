import { isObject } from '../../input/json.ts'
import { unwrapQuery } from '../../trends/node-form.ts'
import type { InsightRow } from '../store.ts'

type GivenRange = { from: string | undefined; to: string | undefined }

/** Returns an insight with another range; with its own without a beginning and an end. */
export function withRange(insight: InsightRow, { from, to }: GivenRange): InsightRow {
  if (from === undefined && to === undefined) {
    return insight
  }
  const range = { date_from: from ?? null, date_to: to ?? null }
  const inner = unwrapQuery(insight.query as Parameters<typeof unwrapQuery>[0])?.inner
  return isObject(inner)
    ? { ...insight, query: { ...inner, dateRange: range } }
    : { ...insight, filters: { ...insight.filters, ...range } }
}

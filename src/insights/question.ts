import { expectScope } from '../access/credentials.ts'
import type { KeyRow } from '../access/store.ts'
import { AppError } from '../errors.ts'
import { isObject } from '../input/json.ts'
import { KINDS, PERSONS, type ReadQuestion } from '../questions/kinds.ts'
import { findLegacyForm } from '../questions/legacy-forms.ts'
import { readLegacyQuestion, readQuestion } from '../questions/question.ts'
import { unwrapQuery } from '../trends/node-form.ts'
import type { TrendQuery } from '../trends/query.ts'
import { readTrend, type Settings } from '../trends/request.ts'
import { fieldsOf } from './insight.ts'
import type { InsightInput } from './schemas.ts'

/** What an insight asks: a trend, or a question of another kind. */
type InsightQuestion = { trend: TrendQuery } | ReadQuestion

/** Who reads an insight: a key, or nobody known, as behind a link and in messages. */
export type InsightReader = { key?: Pick<KeyRow, 'scopes'> }

type Fields = Pick<InsightInput, 'filters' | 'query'>

/**
 * Reads what an insight asks; undefined if it has no series.
 * @param ignoredFields receives the names of the fields that have no effect
 * @throws the errors of `readTrend` and `readQuestion`
 */
export function readInsight(
  insight: Fields,
  settings: Settings,
  now: Date,
  ignoredFields: string[] = []
): InsightQuestion | undefined {
  const fields = fieldsOf(insight)
  const unwrapped = unwrapQuery(fields.query)
  const filters = insight.filters ?? {}
  const form = unwrapped ? undefined : findLegacyForm(filters)
  const kind = isObject(unwrapped?.inner) ? unwrapped.inner.kind : form?.kind
  if (kind === 'TrendsQuery' || typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) {
    const trend = readTrend(fields, settings, now, ignoredFields)
    return trend && { trend }
  }
  return form
    ? readLegacyQuestion(form, filters, ['filters'], settings, now, ignoredFields)
    : readQuestion({ query: fields.query ?? null }, settings, now)
}

/**
 * Lets those who may see persons read an insight that shows them. For all others, `insight:read` is
 * enough: whoever saved the insight had the other scopes that its question needs.
 * @throws permission_denied
 */
export function expectReader({ needs }: Pick<ReadQuestion, 'needs'>, { key }: InsightReader): void {
  if (!needs.includes(PERSONS)) {
    return
  }
  if (!key) {
    throw new AppError('permission_denied', PERSONS_HIDDEN)
  }
  expectScope(key, PERSONS)
}

const PERSONS_HIDDEN =
  'This insight shows persons, so links and messages leave it out. Read it with a key that has `person:read`.'

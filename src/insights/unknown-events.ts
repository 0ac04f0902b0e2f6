import type { Scope } from '../access/open.ts'
import { listNames } from '../events/definitions/store.ts'
import { findSimilarName } from '../input/closest.ts'
import { isolate } from '../input/show.ts'
import type { TrendSeries } from '../trends/answer.ts'
import type { TrendQuery } from '../trends/query.ts'

/** Longest name of an event in a warning, characters. */
const MAX_NAME = 100

/**
 * Says which events of a trend do not exist, with the name that was probably meant; null if all
 * exist. Only looks for the events whose numbers are all 0.
 *
 * `No event is called “signed_up”. Did you mean “signed up”?`
 */
export async function describeUnknown(
  scope: Scope,
  { series }: TrendQuery,
  result: TrendSeries[]
): Promise<string | null> {
  const counted = new Set(
    result.flatMap(({ action, data, aggregated_value: value = 0 }) =>
      action && (value !== 0 || data.some((number) => number !== 0)) ? [action.order] : []
    )
  )
  const isFormula = result.some(({ action }) => action === null)
  const doubtful = series.flatMap(({ event, order }) =>
    event === null || (counted.has(order) && !isFormula) ? [] : [event]
  )
  if (doubtful.length === 0) {
    return null
  }
  const known = (await listNames(scope)).map(({ name }) => name)
  const unknown = [...new Set(doubtful)].filter((name) => !known.includes(name))
  return unknown.length > 0 ? unknown.map((name) => describe(name, known)).join(' ') : null
}

function describe(name: string, known: string[]): string {
  const similar = findSimilarName(name, known)
  const question = similar === undefined ? '' : ` Did you mean ${quote(similar)}?`
  return `No event is called ${quote(name)}.${question}`
}

const quote = (name: string): string => `“${isolate(name.slice(0, MAX_NAME))}”`

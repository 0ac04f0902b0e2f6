import type { Scope } from '../access/open.ts'
import { listNames } from '../events/definitions/store.ts'
import { findSimilarName } from '../input/closest.ts'
import { isolate } from '../input/show.ts'
import type { TrendSeries } from '../trends/answer.ts'
import type { TrendQuery } from '../trends/query.ts'

/** Longest name of an event in a warning, characters. */
const MAX_NAME = 100

/** Returns the events of a trend whose numbers are all 0. */
export function uncountedEvents({ series }: TrendQuery, result: TrendSeries[]): string[] {
  const counted = new Set(
    result.flatMap(({ action, data, aggregated_value: value = 0 }) =>
      action && (value !== 0 || data.some((number) => number !== 0)) ? [action.order] : []
    )
  )
  const isFormula = result.some(({ action }) => action === null)
  return series.flatMap(({ event, order }) =>
    event === null || (counted.has(order) && !isFormula) ? [] : [event]
  )
}

/**
 * Says which of some events do not exist, with the name that was probably meant; null if all exist.
 *
 * `No event is called “signed_up”. Did you mean “signed up”?`
 */
export async function describeUnknown(scope: Scope, names: string[]): Promise<string | null> {
  if (names.length === 0) {
    return null
  }
  const known = (await listNames(scope)).map(({ name }) => name)
  const unknown = [...new Set(names)].filter((name) => !known.includes(name))
  return unknown.length > 0 ? unknown.map((name) => describe(name, known)).join(' ') : null
}

function describe(name: string, known: string[]): string {
  const similar = findSimilarName(name, known)
  const question = similar === undefined ? '' : ` Did you mean ${quote(similar)}?`
  return `No event is called ${quote(name)}.${question}`
}

const quote = (name: string): string => `“${isolate(name.slice(0, MAX_NAME))}”`

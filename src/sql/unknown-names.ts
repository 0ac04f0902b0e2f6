import { findSimilarName } from '../input/closest.ts'
import { AGGREGATE_NAMES } from './aggregates/table.ts'
import { suggest } from './functions/table.ts'
import { StatementError } from './statement-error.ts'

/** Functions of upstream that exist here by another name. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['uniqhll12', 'uniq'],
  ['uniqcombined', 'uniq'],
  ['quantileexact', 'quantile'],
  ['mediantiming', 'median'],
  ['sumdistinct', 'sum(DISTINCT x)'],
  ['stddev', 'stddevSamp'],
  ['variance', 'varSamp'],
  ['max2', 'greatest'],
  ['min2', 'least'],
  ['jsonextract', 'JSONExtractString, JSONExtractFloat or JSONExtractRaw'],
  ['arrayjoin', 'a subquery'],
  ['cast', 'toString, toFloat or toDateTime'],
  ['tofloat64', 'toFloat'],
  ['toint64', 'toInt'],
  ['toint32', 'toInt'],
  ['touint64', 'toInt'],
  ['tofloat64ornull', 'toFloat'],
  ['toint64ornull', 'toInt']
])

/** Returns the error for a function that does not exist. */
export function unknownFunction(name: string, at: number): StatementError {
  const instead = INSTEAD.get(name.toLowerCase())
  return new StatementError(
    at,
    instead === undefined
      ? `Unsupported function: ${name}(). ${suggest(name, AGGREGATE_NAMES)}`
      : `${name}() is not supported here: use ${instead}.`
  )
}

/** Returns the error for a name that is no column. @param known the names that are */
export function unknownField(
  { name, label, at }: { name: string; label: string; at: number },
  known: readonly string[]
): StatementError {
  const similar = findSimilarName(name, known)
  const advice =
    similar === undefined
      ? `Columns here: ${known.slice(0, 20).join(', ') || 'none, since there is no FROM'}.`
      : `Did you mean: ${similar}?`
  return new StatementError(at, `Unable to resolve field: ${label}. ${advice}`)
}

import { compareVersions, satisfies, validate } from 'compare-versions'
import { RE2JS } from 're2js'
import { parseDate, parseTimestamp } from '../time.ts'
import type { PropertyFilter } from './filter.ts'

/** Whether a property's text fulfils the filter. Undefined: SQL can tell, and nothing has to be read. */
export type Matcher = (text: string) => boolean

/**
 * For the operators that SQL lacks, what to ask of each distinct value of the key: regular expressions (RE2, linear
 * time), case folding beyond ASCII, dates, versions. The opposite operators (`not_…`, `is_not…`) get the matcher of what
 * they negate.
 */
export function matcherOf(
  { operator, values }: PropertyFilter,
  timezone: string,
  now: Date
): Matcher | undefined {
  switch (operator) {
    case 'icontains':
    case 'icontains_multi':
    case 'not_icontains':
    case 'not_icontains_multi':
      return values.every(isAscii) ? undefined : contains(values)
    case 'regex':
    case 'not_regex': {
      const patterns = values.map((value) => RE2JS.compile(value))
      return (text) => patterns.some((pattern) => pattern.matcher(text).find())
    }
    case 'is_date_exact':
      return onDates(values, timezone, now, (date, wanted) => date === wanted)
    case 'is_date_before':
      return onDates(values, timezone, now, (date, wanted) => date < wanted)
    case 'is_date_after':
      return onDates(values, timezone, now, (date, wanted) => date > wanted)
    case 'semver_eq':
      return onVersions(values, (version, wanted) => compareVersions(version, wanted) === 0)
    case 'semver_neq':
      return onVersions(values, (version, wanted) => compareVersions(version, wanted) !== 0)
    case 'semver_gt':
      return onVersions(values, (version, wanted) => compareVersions(version, wanted) > 0)
    case 'semver_gte':
      return onVersions(values, (version, wanted) => compareVersions(version, wanted) >= 0)
    case 'semver_lt':
      return onVersions(values, (version, wanted) => compareVersions(version, wanted) < 0)
    case 'semver_lte':
      return onVersions(values, (version, wanted) => compareVersions(version, wanted) <= 0)
    case 'semver_tilde':
      return onVersions(values, (version, wanted) => satisfies(version, `~${wanted}`))
    case 'semver_caret':
      return onVersions(values, (version, wanted) => satisfies(version, `^${wanted}`))
    case 'semver_wildcard':
      return onVersions(
        values,
        (version, wanted) => isAnyVersion(wanted) || satisfies(version, toPattern(wanted))
      )
    default:
      return undefined
  }
}

const isAscii = (text: string): boolean => [...text].every((char) => char <= '\x7f')

function contains(values: string[]): Matcher {
  const terms = values.map((value) => value.toLowerCase())
  return (text) => terms.some((term) => text.toLowerCase().includes(term))
}

function onDates(
  values: string[],
  timezone: string,
  now: Date,
  compare: (date: number, wanted: number) => boolean
): Matcher {
  const wanted = values.flatMap((value) => parseDate(value, timezone, now) ?? [])
  return (text) => {
    const date = parseTimestamp(text, timezone)
    return date !== undefined && wanted.some((one) => compare(date, one))
  }
}

/** `*`, which the library does not take. */
const isAnyVersion = (wanted: string): boolean => /^[*x]$/i.test(wanted)

/** `1.*` as the library wants it: `1.x.x`. */
const toPattern = (wanted: string): string => {
  const parts = wanted.replaceAll('*', 'x').split('.')
  return [...parts, 'x', 'x'].slice(0, Math.max(3, parts.length)).join('.')
}

/** Also without all its parts: `1.2` is `1.2.0`. */
const VERSION = /^v?\d{1,15}(\.\d{1,15}){0,3}(-[0-9a-z.-]{1,100})?(\+[0-9a-z.-]{1,100})?$/i

const onVersions =
  (values: string[], compare: (version: string, wanted: string) => boolean): Matcher =>
  (text) =>
    VERSION.test(text) && validate(text) && values.some((wanted) => compare(text, wanted))

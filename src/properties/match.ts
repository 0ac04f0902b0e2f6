import { compareVersions, satisfies, validate } from 'compare-versions'
import { parseDate, parseTimestamp } from '../time.ts'
import type { PropertyFilter } from './filter.ts'
import { charactersOfUnit, searchFor } from './pattern.ts'
import type { Work } from './work.ts'

/**
 * Picks the texts of a property that fulfil the filter.
 * @throws query_too_large, attr `properties`, when that would take too much work for one request
 */
export type Matcher = (texts: readonly string[], work: Work) => Promise<string[]>

/** Whether one text fulfils a filter, and the units of work that it takes to tell. */
type Test = { matches: (text: string) => boolean; unitsOf: (text: string) => number }

/** SQL compares a text with this many values in 3 µs; with more, each different text is compared once instead. */
const MAX_CONTAINED = 5

/**
 * For the operators that SQL lacks or is slow at, what to ask of the distinct values of the key: regular expressions (RE2,
 * linear time), case folding beyond ASCII, dates, versions. The opposite operators (`not_…`, `is_not…`) get the matcher of
 * what they negate. Undefined: SQL can tell, and nothing has to be read.
 */
export function matcherOf(
  filter: PropertyFilter,
  timezone: string,
  now: Date
): Matcher | undefined {
  if (filter.operator === 'regex' || filter.operator === 'not_regex') {
    return (texts, work) => search(filter, texts, work)
  }
  const test = testOf(filter, timezone, now)
  return test && ((texts, work) => select(filter, texts, test, work))
}

/** One pattern after the other, so that only one at a time takes memory for what it has learnt. */
async function search(
  filter: PropertyFilter,
  texts: readonly string[],
  work: Work
): Promise<string[]> {
  const characters = sum(texts, ({ length }) => length)
  const units = filter.values.map(
    (pattern) => texts.length + characters / charactersOfUnit(pattern)
  )
  work.plan(
    units.reduce((total, some) => total + some, 0),
    filter,
    texts.length
  )
  const found = new Set<string>()
  for (const pattern of filter.values) {
    const matches = searchFor(pattern, (more) => work.step(more, pattern))
    const each = charactersOfUnit(pattern)
    for (const text of texts) {
      if (found.has(text)) {
        continue
      }
      if (work.spend(1 + text.length / each)) {
        await work.rest()
      }
      if (matches(text)) {
        found.add(text)
      }
    }
  }
  return [...found]
}

async function select(
  filter: PropertyFilter,
  texts: readonly string[],
  { matches, unitsOf }: Test,
  work: Work
): Promise<string[]> {
  work.plan(sum(texts, unitsOf), filter, texts.length)
  const found: string[] = []
  for (const text of texts) {
    if (work.spend(unitsOf(text))) {
      await work.rest()
    }
    if (matches(text)) {
      found.push(text)
    }
  }
  return found
}

const sum = (texts: readonly string[], unitsOf: (text: string) => number): number =>
  texts.reduce((units, text) => units + unitsOf(text), 0)

function testOf(
  { operator, values }: PropertyFilter,
  timezone: string,
  now: Date
): Test | undefined {
  switch (operator) {
    case 'icontains':
    case 'icontains_multi':
    case 'not_icontains':
    case 'not_icontains_multi':
      return values.length <= MAX_CONTAINED && values.every(isAscii) ? undefined : contains(values)
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

function contains(values: string[]): Test {
  const terms = values.map((value) => value.toLowerCase())
  return {
    matches: (text) => {
      const lower = text.toLowerCase()
      return terms.some((term) => lower.includes(term))
    },
    unitsOf: ({ length }) => 1 + length / 30 + terms.length * (0.1 + length / 500)
  }
}

/** A date with its offset from UTC; one on the clock of a time zone takes 30 times as long to read. */
const HAS_OFFSET = /(?:z|[+-]\d\d:?\d\d)$/i

function onDates(
  values: string[],
  timezone: string,
  now: Date,
  compare: (date: number, wanted: number) => boolean
): Test {
  const wanted = values.flatMap((value) => parseDate(value, timezone, now) ?? [])
  const isSlow = (text: string) => timezone !== 'UTC' && /^\d/.test(text) && !HAS_OFFSET.test(text)
  return {
    matches: (text) => {
      const date = parseTimestamp(text, timezone)
      return date !== undefined && wanted.some((one) => compare(date, one))
    },
    unitsOf: (text) => (isSlow(text) ? 150 : 5) + wanted.length / 30
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

/** Longest text that is compared as a version as quickly as any; a longer one takes 25 times as long. */
const SHORT_VERSION = 30

const onVersions = (
  values: string[],
  compare: (version: string, wanted: string) => boolean
): Test => ({
  matches: (text) =>
    VERSION.test(text) && validate(text) && values.some((wanted) => compare(text, wanted)),
  unitsOf: (text) => {
    const unitsOfOne = text.length > SHORT_VERSION ? 100 : 4
    return VERSION.test(text) ? 2 + values.length * unitsOfOne : 2
  }
})

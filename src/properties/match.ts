import { parseDate, parseTimestamp } from '../calendar/clock.ts'
import type { PropertyFilter } from './filter.ts'
import { charactersOfUnit } from './pattern.ts'
import { parseVersion, versionTest } from './version.ts'
import type { Work } from './work.ts'

/**
 * Returns those values of a property that fulfil a filter.
 * @throws query_too_large, attr `properties`, when comparing them would take too long
 */
export type Matcher = (texts: readonly string[], work: Work) => Promise<string[]>

/** Whether a text fulfils a filter, and how many units of `Work` the test takes, as measured. */
type Test = { matches: (text: string) => boolean; unitsOf: (text: string) => number }

/**
 * Maximum number of values of an `icontains` filter that SQL compares with each row, in about 3 µs.
 * A filter with more values is compared with each distinct value of the property instead.
 */
const MAX_CONTAINED = 5

/**
 * Returns a matcher for a filter that SQL cannot evaluate, or only slowly: regular expressions
 * (RE2, linear time), case folding beyond ASCII, dates, versions. It is applied to the distinct
 * values of the property. A negating operator with a positive counterpart, such as `not_regex`,
 * gets the counterpart's matcher. Undefined when SQL can evaluate the filter.
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

/** Searches all texts for one pattern before the next, so that few patterns cache steps. */
async function search(
  filter: PropertyFilter,
  texts: readonly string[],
  work: Work
): Promise<string[]> {
  const characters = sum(texts, ({ length }) => length)
  let units = 0
  for (const pattern of filter.values) {
    units += texts.length + characters / charactersOfUnit(pattern)
  }
  work.plan(units, filter, texts.length)
  const found = new Set<string>()
  for (const pattern of filter.values) {
    const { matches } = work.searchFor(pattern)
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
    default:
      return onVersions(operator, values)
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
    unitsOf: ({ length }) => {
      const fold = 1 + length / 30
      const lookForTerm = 0.1 + length / 500
      return fold + terms.length * lookForTerm
    }
  }
}

/** Units of `Work` for reading a date that has an offset from UTC or is in UTC. */
const READ_DATE = 5
/** Units of `Work` for reading any other date: the offset of its time zone must be found first. */
const READ_LOCAL_DATE = 150

/** Matches the end of a date with an offset from UTC. */
const HAS_OFFSET = /(?:z|[+-]\d\d:?\d\d)$/i

function onDates(
  values: string[],
  timezone: string,
  now: Date,
  compare: (date: number, wanted: number) => boolean
): Test {
  const wanted = values.flatMap((value) => parseDate(value, timezone, now) ?? [])
  const isLocal = (text: string) => timezone !== 'UTC' && /^\d/.test(text) && !HAS_OFFSET.test(text)
  return {
    matches: (text) => {
      const date = parseTimestamp(text, timezone)
      return date !== undefined && wanted.some((one) => compare(date, one))
    },
    unitsOf: (text) => (isLocal(text) ? READ_LOCAL_DATE : READ_DATE) + wanted.length / 30
  }
}

/** A version passes with one of the values; for `semver_neq`, with each of them. */
function onVersions(operator: string, values: string[]): Test | undefined {
  const tests = values.flatMap((value) => versionTest(operator, value) ?? [])
  return tests.length === 0
    ? undefined
    : {
        matches: (text) => {
          const version = parseVersion(text)
          if (version === undefined) {
            return false
          }
          return operator === 'semver_neq'
            ? tests.every((test) => test(version))
            : tests.some((test) => test(version))
        },
        unitsOf: () => 3 + tests.length / 10
      }
}

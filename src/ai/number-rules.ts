import { NUMBER, readNumber } from './days.ts'
import type { FilterJson as Filter } from './schemas.ts'
import { event, type FilterOperator, filter, recording, session, type Token } from './token.ts'
import type { Rule } from './words.ts'

const COMPARISONS: [pattern: string, operator: FilterOperator][] = [
  ['at least|a minimum of|no(?:t)? (?:less|fewer|shorter) than|>=', 'gte'],
  ['at most|up to|a maximum of|no(?:t)? (?:more|longer) than|<=', 'lte'],
  ['(?:more|longer|greater|bigger|higher) than|over|above|exceeding|>', 'gt'],
  ['(?:less|fewer|shorter|smaller|lower) than|under|below|<', 'lt'],
  ['exactly|precisely|=', 'exact']
]
const COMPARISON = COMPARISONS.map(([pattern]) => pattern).join('|')

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3_600 }
const UNIT = 's(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?'

/** Converts a duration to seconds, rounded to milliseconds: `1.5` and `min` → `90`. */
function toSeconds(number: string, unit: string): string {
  const seconds = readNumber(number) * (SECONDS[unit.charAt(0).toLowerCase()] ?? 1)
  return String(Math.round(seconds * 1000) / 1000)
}

const COUNTS: [pattern: string, key: string][] = [
  ['(?:mouse )?clicks?', 'click_count'],
  ['key ?(?:presses|press|strokes?)', 'keypress_count'],
  ['mouse (?:activity|movements?|moves|events?)', 'mouse_activity_count'],
  ['(?:console |java ?script |js )?errors?', 'console_error_count'],
  ['(?:console )?warnings?', 'console_warn_count'],
  ['console logs?(?: lines?)?|log lines?', 'console_log_count'],
  ['page ?views?', '$pageview_count']
]
const COUNT = COUNTS.map(([pattern]) => pattern).join('|')

/** Returns the meaning of the first pattern in the table that matches all of the words. */
function meaningOf<T>(words: string, table: [pattern: string, meaning: T][]): T | undefined {
  const text = words.replaceAll(/\s+/g, ' ')
  const found = table.find(([pattern]) => new RegExp(`^(?:${pattern})$`, 'i').test(text))
  return found?.[1]
}

const operatorOf = (words: string): FilterOperator => meaningOf(words, COMPARISONS) ?? 'exact'
const countOf = (words: string): string => meaningOf(words, COUNTS) ?? ''

/** Returns a filter on a count: page views are a session's, the others a recording's. */
const counted = (words: string, operator: FilterOperator, ...value: string[]): Filter => {
  const key = countOf(words)
  return (key.startsWith('$') ? session : recording)(key, operator, ...value)
}

/** Words for events that posthog-js captures automatically. */
const EVENTS: [pattern: string, name: string][] = [
  ['rage ?clicks?|rage-clicks?', '$rageclick'],
  ['dead ?clicks?', '$dead_click'],
  ['page ?views?', '$pageview'],
  ['exceptions?', '$exception']
]

/** Words before a duration: `that lasted`, `with a duration of`. */
const LASTING =
  '(?:that )?(?:last(?:s|ed|ing)?|took|takes|taking|are|is|were|with a duration|duration)(?: of)?'

/** Rules for durations: `longer than 5 minutes`, `idle for at least 30s`. */
export const DURATIONS: Rule<Token>[] = [
  filter(
    `(?:(?:that )?(?:are|were|is|was) )?(active|inactive|idle)(?: time)?(?: (?:for|of))? (${COMPARISON}) (${NUMBER}) ?(${UNIT})`,
    ([, what = '', comparison = '', number = '', unit = '']) =>
      recording(
        what.toLowerCase() === 'active' ? 'active_seconds' : 'inactive_seconds',
        operatorOf(comparison),
        toSeconds(number, unit)
      )
  ),
  filter(
    `(?:${LASTING} )?between (${NUMBER}) ?(${UNIT})? and (${NUMBER}) ?(${UNIT})(?: long)?`,
    ([, low = '', lowUnit = '', high = '', unit = '']) =>
      recording('duration', 'between', toSeconds(low, lowUnit || unit), toSeconds(high, unit))
  ),
  filter(
    `(?:${LASTING} )?(${COMPARISON}) (${NUMBER}) ?(${UNIT})(?: long)?`,
    ([, comparison = '', number = '', unit = '']) =>
      recording('duration', operatorOf(comparison), toSeconds(number, unit))
  ),
  filter(
    `(?:${LASTING} )?(${NUMBER}) ?(${UNIT}) or (more|longer|less|shorter)`,
    ([, number = '', unit = '', than = '']) =>
      recording('duration', /more|longer/i.test(than) ? 'gte' : 'lte', toSeconds(number, unit))
  )
]

/** Rules for counts, scores and events: `more than 3 clicks`, `with rage clicks`. */
export const NUMBERS: Rule<Token>[] = [
  filter(`between (${NUMBER}) and (${NUMBER}) (${COUNT})`, ([, low = '', high = '', what = '']) =>
    counted(what, 'between', String(readNumber(low)), String(readNumber(high)))
  ),
  filter(`(${COMPARISON}) (${NUMBER}) (${COUNT})`, ([, comparison = '', number = '', what = '']) =>
    counted(what, operatorOf(comparison), String(readNumber(number)))
  ),
  filter(`(${NUMBER}) or (more|fewer|less) (${COUNT})`, ([, number = '', than = '', what = '']) =>
    counted(what, /more/i.test(than) ? 'gte' : 'lte', String(readNumber(number)))
  ),
  filter(
    `(?:an )?activity score (?:of |is )?(${COMPARISON}) (${NUMBER})`,
    ([, comparison = '', number = '']) =>
      recording('activity_score', operatorOf(comparison), String(readNumber(number)))
  ),
  ...EVENTS.map(([pattern, name]) => filter(pattern, () => event(name))),
  filter('(?:that )?bounced?|bounces', () => session('$is_bounce', 'exact', 'true')),
  filter(`(\\d+) (${COUNT})`, ([, number = '', what = '']) => counted(what, 'exact', number)),
  filter(`(?:(?:some|any|an?) )?(${COUNT})`, ([, what = '']) => counted(what, 'gt', '0'))
]

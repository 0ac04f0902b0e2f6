import type { Calendar } from '../calendar/buckets.ts'
import { isExact } from '../input/exact.ts'
import { FilterReader } from './filter-reader.ts'
import { isNode, NUMERIC, type Tree } from './filter-tree.ts'
import type { GroupJson } from './schemas.ts'
import type { Token } from './token.ts'
import { tokenRules } from './token-rules.ts'
import { listUnknown, readWords, type Word } from './words.ts'

/** Filters of the list of recordings; a date that is not set is an empty text. */
export type ListFilters = {
  date_from: string
  date_to: string
  distinct_ids: string[]
  filter_group: GroupJson
}
export type FilterAnswer = ListFilters | { question: string }

const HELP =
  'You can ask for recordings by duration, days, clicks, key presses, console errors, browser, system, device, country, page, event, e-mail and properties, and combine them with and, or and not.'

/**
 * Turns a request in English into filters. `not` applies to the next condition and its
 * alternatives. `and` binds closer than `or`, except that values of the same property stay
 * together.
 *
 * `not Chrome or Firefox on Windows` → (browser is neither) and (system is Windows)
 * @returns a question that names the words that were not understood, if there are any
 */
export function writeFilters(text: string, calendar: Calendar, now: Date): FilterAnswer {
  const words = readWords<Token>(text, tokenRules(calendar, now), () => ({ is: 'word' }))
  const reader = new FilterReader(words.filter(({ value }) => value.is !== 'noise'))
  const tree = reader.read()
  if (reader.unknown.length > 0) {
    return { question: `Not understood: ${listUnknown(reader.unknown)}. ${HELP}` }
  }
  const inexact = words.flatMap(inexactNumbers)[0]
  if (inexact !== undefined) {
    return {
      question: `${inexact} has too many digits to be compared exactly. Which number with fewer digits do you mean?`
    }
  }
  return toAnswer(tree ?? { type: 'AND', values: [] })
}

/** Returns the numbers in a comparison that a double cannot hold exactly. */
function inexactNumbers({ text, value }: Word<Token>): string[] {
  if (value.is !== 'filter' || !NUMERIC.includes(value.filter.operator)) {
    return []
  }
  return (text.match(/\d+(?:\.\d+)?/g) ?? []).filter((number) => !isExact(number, Number(number)))
}

function toAnswer(tree: Tree): FilterAnswer {
  const all = 'values' in tree && tree.type === 'AND' ? tree.values : [tree]
  const days = all.flatMap((one) => ('days' in one ? [one.days] : []))
  const ids = all.flatMap((one) => ('distinctId' in one ? [one.distinctId] : []))
  const nodes = all.filter((one) => !('days' in one) && !('distinctId' in one))
  if (!nodes.every(isNode)) {
    return {
      question:
        'Days and distinct ids apply to the whole request: they cannot be combined with or and not.'
    }
  }
  const from = days.flatMap((one) => one.from ?? [])
  const to = days.flatMap((one) => one.to ?? [])
  if (from.length > 1 || to.length > 1 || ids.length > 1) {
    return { question: 'Days and distinct ids apply to the whole request: give only one of each.' }
  }
  const [only] = nodes
  const inner: GroupJson =
    nodes.length === 1 && only && 'values' in only ? only : { type: 'AND', values: nodes }
  return {
    date_from: from[0] ?? '',
    date_to: to[0] ?? '',
    distinct_ids: ids,
    filter_group: { type: 'AND', values: [inner] }
  }
}

import type { Calendar } from '../calendar/buckets.ts'
import { isExact } from '../input/exact.ts'
import type { Days } from './days.ts'
import type { FilterJson, GroupJson } from './schemas.ts'
import { type Token, tokenRules } from './tokens.ts'
import { listUnknown, readWords, type Word } from './words.ts'

/** Filters of the list of recordings; a date that is not set is an empty text. */
export type ListFilters = {
  date_from: string
  date_to: string
  distinct_ids: string[]
  filter_group: GroupJson
}
export type FilterAnswer = ListFilters | { question: string }

/**
 * A part of a request. Days and distinct ids are allowed only at the top level; `toAnswer` checks
 * this.
 */
type Tree =
  | FilterJson
  | { days: Days }
  | { distinctId: string }
  | { type: 'AND' | 'OR'; values: Tree[] }

const HELP =
  'You can ask for recordings by duration, days, clicks, key presses, console errors, browser, system, device, country, page, event, e-mail and properties, and combine them with and, or and not.'

/** Deepest nesting of parentheses that is read. */
const MAX_NESTED = 20

/** Properties that have one value per session, so that `Chrome and Firefox` means either of them. */
const SINGLE = ['$browser', '$os', '$device_type', '$geoip_country_code', 'email']

type Operator = FilterJson['operator']

/** Pairs of operators that negate each other. */
const OPPOSITES: [Operator, Operator][] = [
  ['exact', 'is_not'],
  ['icontains', 'not_icontains'],
  ['regex', 'not_regex'],
  ['is_set', 'is_not_set'],
  ['gt', 'lte'],
  ['gte', 'lt'],
  ['between', 'not_between']
]
const NUMERIC: Operator[] = ['gt', 'gte', 'lt', 'lte', 'between', 'not_between']

/**
 * Turns a request in English into filters. `not` applies to the next condition and its alternatives. `and` binds closer
 * than `or`, except that values of the same property stay together.
 *
 * `not Chrome or Firefox on Windows` → (browser is neither) and (system is Windows)
 * @returns a question that names the words that were not understood, if there are any
 */
export function writeFilters(text: string, calendar: Calendar, now: Date): FilterAnswer {
  const words = readWords<Token>(text, tokenRules(calendar, now), () => ({ is: 'word' }))
  const reader = new Reader(words.filter(({ value }) => value.is !== 'noise'))
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
  return tree ? toAnswer(tree) : toAnswer({ type: 'AND', values: [] })
}

/** Returns the numbers in a comparison that a double cannot hold exactly. */
function inexactNumbers({ text, value }: Word<Token>): string[] {
  if (value.is !== 'filter' || !NUMERIC.includes(value.filter.operator)) {
    return []
  }
  return (text.match(/\d+(?:\.\d+)?/g) ?? []).filter((number) => !isExact(number, Number(number)))
}

class Reader {
  readonly unknown: string[] = []
  readonly #words: Word<Token>[]
  #at = 0
  #nested = 0
  #repeat: ((text: string) => FilterJson) | undefined

  constructor(words: Word<Token>[]) {
    this.#words = words
  }

  read(): Tree | undefined {
    const trees: Tree[] = []
    while (this.#at < this.#words.length) {
      const tree = this.#readOr()
      if (tree) {
        trees.push(tree)
      } else {
        this.#skip()
      }
    }
    return join('AND', trees)
  }

  #next(): Word<Token> | undefined {
    return this.#words[this.#at]
  }

  #advance(): Word<Token> | undefined {
    const word = this.#next()
    this.#at += 1
    return word
  }

  /** Notes that a word was not understood. */
  #skip(): void {
    const word = this.#advance()
    if (word) {
      this.unknown.push(word.text)
    }
  }

  #take(...kinds: Token['is'][]): boolean {
    const word = this.#next()
    if (!word || !kinds.includes(word.value.is)) {
      return false
    }
    this.#at += 1
    return true
  }

  #readOr(): Tree | undefined {
    const first = this.#readAnd()
    if (!first) {
      return undefined
    }
    const all = [first]
    while (this.#next()?.value.is === 'or') {
      all.push(...this.#operand(() => this.#readAnd()))
    }
    return join('OR', all)
  }

  #readAnd(): Tree | undefined {
    const first = this.#readNot()
    if (!first) {
      return undefined
    }
    const all = [first]
    let word = this.#next()
    while (word && !['or', 'close'].includes(word.value.is)) {
      all.push(...this.#readConjunct(word.value.is))
      word = this.#next()
    }
    return join('AND', all)
  }

  /** Reads the tree at the next token, which is of kind `is`. Skips a comma before `and`, `or` and `nor`. */
  #readConjunct(is: Token['is']): Tree[] {
    if (is === 'nor') {
      return this.#operand(() => this.#readOpposite())
    }
    const following = this.#words[this.#at + 1]?.value.is ?? ''
    if (is === 'comma' && ['and', 'or', 'nor'].includes(following)) {
      this.#at += 1
      return []
    }
    if (is === 'and' || is === 'comma') {
      return this.#operand(() => this.#readNot())
    }
    const tree = this.#readNot()
    if (!tree) {
      this.#skip()
    }
    return tree ? [tree] : []
  }

  /** Reads the tree after a conjunction. If there is none, the conjunction counts as not understood. */
  #operand(read: () => Tree | undefined): Tree[] {
    const word = this.#advance()
    const tree = read()
    if (!tree) {
      this.unknown.push(word?.text ?? '')
    }
    return tree ? [tree] : []
  }

  #readNot(): Tree | undefined {
    if (this.#next()?.value.is !== 'not') {
      return this.#readOne()
    }
    return this.#operand(() => this.#readOpposite())[0]
  }

  #readOpposite(): Tree | undefined {
    const tree = this.#readNot()
    if (tree && !canNegate(tree)) {
      this.unknown.push('not')
    }
    return tree && negate(tree)
  }

  #readOne(): Tree | undefined {
    if (this.#nested < MAX_NESTED && this.#take('open')) {
      this.#nested += 1
      const tree = this.#readOr()
      this.#nested -= 1
      if (!tree || !this.#take('close')) {
        this.unknown.push('(')
      }
      return tree
    }
    const word = this.#next()
    if (!word) {
      return undefined
    }
    this.#at += 1
    const { value } = word
    if (value.is === 'days') {
      return { days: value.days }
    }
    if (value.is === 'distinct id') {
      return { distinctId: value.distinctId }
    }
    const filter = this.#filterOf(value)
    if (filter) {
      return this.#readAlternatives(filter)
    }
    this.#at -= 1
    return undefined
  }

  #filterOf(token: Token): FilterJson | undefined {
    if (token.is === 'text') {
      return this.#repeat?.(token.text)
    }
    if (token.is !== 'filter') {
      return undefined
    }
    this.#repeat = token.repeat
    return token.filter
  }

  /** Adds further values of the same property to a filter: `Chrome, Firefox or Safari`. */
  #readAlternatives(first: FilterJson): FilterJson {
    let filter = first
    let more = this.#readMoreValues(filter)
    while (more) {
      filter = { ...filter, value: [...filter.value, ...more] }
      more = this.#readMoreValues(filter)
    }
    return filter
  }

  /** Reads a conjunction and another filter of the same property and operator. @returns its values, or undefined */
  #readMoreValues(filter: FilterJson): string[] | undefined {
    const conjunctions = this.#conjunctionsAhead()
    const ahead = this.#at + conjunctions.length
    const token = this.#words[ahead]?.value
    const repeat = this.#repeat
    const other = token && this.#filterOf(token)
    const isJoined =
      conjunctions.includes('or') ||
      (conjunctions.length > 0 && SINGLE.includes(filter.key)) ||
      (conjunctions.includes('comma') && this.#isListUntilOr(ahead, filter))
    if (!other || !isJoined || !canJoin(filter, other)) {
      this.#repeat = repeat
      return undefined
    }
    this.#at = ahead + 1
    return other.value
  }

  #conjunctionsAhead(): Token['is'][] {
    const ahead = this.#words.slice(this.#at).map(({ value }) => value.is)
    const count = ahead.findIndex((is) => !['and', 'or', 'comma'].includes(is))
    return count < 0 ? ahead : ahead.slice(0, count)
  }

  /** Whether a list with commas reaches an `or` through nothing but values of the same property. */
  #isListUntilOr(from: number, { key }: FilterJson): boolean {
    for (let at = from; at < this.#words.length; at += 1) {
      const value = this.#words[at]?.value
      if (value?.is === 'or') {
        return true
      }
      const belongsToList =
        value?.is === 'comma' ||
        value?.is === 'text' ||
        (value?.is === 'filter' && value.filter.key === key)
      if (!belongsToList) {
        return false
      }
    }
    return false
  }
}

/** Whether the values of two filters can be alternatives in one filter. */
const canJoin = (a: FilterJson, b: FilterJson): boolean =>
  a.key === b.key &&
  a.type === b.type &&
  a.operator === b.operator &&
  ['exact', 'icontains'].includes(a.operator)

function join(type: 'AND' | 'OR', trees: Tree[]): Tree | undefined {
  if (trees.length < 2) {
    return trees[0]
  }
  return {
    type,
    values: trees.flatMap((tree) => ('values' in tree && tree.type === type ? tree.values : [tree]))
  }
}

/**
 * Whether a tree can be negated by negating its operators. Numeric filters on events, persons and
 * sessions cannot: a missing number is neither greater nor less, and a recording may have events
 * with greater and events with smaller numbers.
 */
function canNegate(tree: Tree): boolean {
  if ('values' in tree) {
    return tree.values.every(canNegate)
  }
  return !('operator' in tree) || tree.type === 'recording' || !NUMERIC.includes(tree.operator)
}

/** Negates a tree. Wraps days and distinct ids in an OR group, which `toAnswer` refuses. */
function negate(tree: Tree): Tree {
  if ('values' in tree) {
    return { type: tree.type === 'AND' ? 'OR' : 'AND', values: tree.values.map(negate) }
  }
  return 'operator' in tree
    ? { ...tree, operator: oppositeOf(tree.operator) }
    : { type: 'OR', values: [tree, tree] }
}

function oppositeOf(operator: Operator): Operator {
  const pair = OPPOSITES.find((one) => one.includes(operator))
  const other = pair?.find((one) => one !== operator)
  if (!other) {
    throw new Error(`${operator} has no opposite`)
  }
  return other
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

function isNode(tree: Tree): tree is GroupJson | FilterJson {
  return 'operator' in tree || ('values' in tree && tree.values.every(isNode))
}

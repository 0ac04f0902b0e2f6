import type { Calendar } from '../calendar/buckets.ts'
import { type Ask, askRules } from './asks.ts'
import type { Days } from './days.ts'
import type { FilterJson, GroupJson } from './schemas.ts'
import { listUnknown, readWords, type Word } from './words.ts'

/** What a list of recordings is to be asked; dates as `date_from` and `date_to` take them, empty for none. */
export type ListFilters = {
  date_from: string
  date_to: string
  distinct_ids: string[]
  filter_group: GroupJson
}
export type FilterAnswer = ListFilters | { question: string }

/** A part of the request before it is known what holds for all of it. */
type Tree =
  | FilterJson
  | { days: Days }
  | { distinctId: string }
  | { type: 'AND' | 'OR'; values: Tree[] }

const HELP =
  'Recordings can be asked for by duration, days, clicks, key presses, console errors, browser, system, device, country, page, event, e-mail and properties, with and, or and not.'

/** More parentheses inside each other are not read. */
const MAX_NESTED = 20

/** A session has one of these; two of them are both meant, whatever stands between them. */
const SINGLE = ['$browser', '$os', '$device_type', '$geoip_country_code', 'email']

type Operator = FilterJson['operator']

/** True of one thing exactly where the other is not. */
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
 * The filters that a request in English asks for. `not` holds for what follows at once, with all of its alternatives; of
 * `and` and `or` the first binds closer, but values of one kind stay together: `Chrome or Firefox on Windows`.
 * @returns a question when anything of it was not understood: it names the words
 */
export function writeFilters(text: string, calendar: Calendar, now: Date): FilterAnswer {
  const words = readWords<Ask>(text, askRules(calendar, now), () => ({ is: 'word' }))
  const reader = new Reader(words.filter(({ value }) => value.is !== 'noise'))
  const tree = reader.read()
  if (reader.unknown.length > 0) {
    return { question: `Not understood: ${listUnknown(reader.unknown)}. ${HELP}` }
  }
  return tree ? toAnswer(tree) : toAnswer({ type: 'AND', values: [] })
}

class Reader {
  readonly unknown: string[] = []
  readonly #words: Word<Ask>[]
  #at = 0
  #nested = 0
  #again: ((text: string) => FilterJson) | undefined

  constructor(words: Word<Ask>[]) {
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

  #next(): Word<Ask> | undefined {
    return this.#words[this.#at]
  }

  /** Notes that a word was not understood. */
  #skip(): void {
    const word = this.#words[this.#at++]
    if (word) {
      this.unknown.push(word.text)
    }
  }

  #take(...kinds: Ask['is'][]): boolean {
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

  /** Reads the tree at the next word, whose kind is `is`; skips a comma before `and`, `or` or `nor`. */
  #readConjunct(is: Ask['is']): Tree[] {
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

  /** What stands behind a word that joins; without it the word is not understood. */
  #operand(read: () => Tree | undefined): Tree[] {
    const word = this.#words[this.#at++]
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

  #filterOf(ask: Ask): FilterJson | undefined {
    if (ask.is === 'text') {
      return this.#again?.(ask.text)
    }
    if (ask.is !== 'filter') {
      return undefined
    }
    this.#again = ask.again
    return ask.filter
  }

  /** `Chrome, Firefox or Safari`: more values of the same thing. */
  #readAlternatives(first: FilterJson): FilterJson {
    const filter = { ...first, value: [...first.value] }
    for (;;) {
      let ahead = this.#at
      const links: string[] = []
      for (
        let is = this.#words[ahead]?.value.is;
        is === 'or' || is === 'and' || is === 'comma';
        is = this.#words[++ahead]?.value.is
      ) {
        links.push(is)
      }
      const ask = this.#words[ahead]?.value
      const again = this.#again
      const other = ask && this.#filterOf(ask)
      const isJoined =
        links.includes('or') ||
        (links.length > 0 && SINGLE.includes(filter.key)) ||
        (links.includes('comma') && this.#isListUntilOr(ahead, filter))
      const isSame =
        other &&
        other.key === filter.key &&
        other.type === filter.type &&
        other.operator === filter.operator
      if (!isJoined || !isSame || !['exact', 'icontains'].includes(filter.operator)) {
        this.#again = again
        return filter
      }
      filter.value.push(...other.value)
      this.#at = ahead + 1
    }
  }

  /** Whether a list with commas ends with `or` and the same kind of thing. */
  #isListUntilOr(from: number, { key }: FilterJson): boolean {
    for (let at = from; at < this.#words.length; at += 1) {
      const value = this.#words[at]?.value
      if (value?.is === 'or') {
        return true
      }
      const isOfList =
        value?.is === 'comma' ||
        value?.is === 'text' ||
        (value?.is === 'filter' && value.filter.key === key)
      if (!isOfList) {
        return false
      }
    }
    return false
  }
}

function join(type: 'AND' | 'OR', trees: Tree[]): Tree | undefined {
  if (trees.length < 2) {
    return trees[0]
  }
  return {
    type,
    values: trees.flatMap((tree) => ('values' in tree && tree.type === type ? tree.values : [tree]))
  }
}

/** A number that is missing is neither greater nor less, and of many events some may be greater and others less. */
function canNegate(tree: Tree): boolean {
  if ('values' in tree) {
    return tree.values.every(canNegate)
  }
  return !('operator' in tree) || tree.type === 'recording' || !NUMERIC.includes(tree.operator)
}

/** What holds where the tree does not; days and ids stay, to be refused later. */
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
      question: 'Days and distinct ids hold for the whole request: name them without or and not.'
    }
  }
  const from = days.flatMap((one) => one.from ?? [])
  const to = days.flatMap((one) => one.to ?? [])
  if (from.length > 1 || to.length > 1 || ids.length > 1) {
    return { question: 'Days and distinct ids hold for the whole request: name one of each.' }
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

import {
  canNegate,
  isAnyCount,
  isCount,
  isHappening,
  join,
  negate,
  type Tree
} from './filter-tree.ts'
import type { FilterJson } from './schemas.ts'
import type { Token } from './token.ts'
import type { Word } from './words.ts'

/** Deepest nesting of parentheses that is read. */
const MAX_NESTED = 20

/** Properties with one value per session: `Chrome and Firefox` means either of them. */
const SINGLE = ['$browser', '$os', '$device_type', '$geoip_country_code', 'email']

/** Reads a request as a tree of conditions. */
export class FilterReader {
  readonly unknown: string[] = []
  readonly #words: Word<Token>[]
  #at = 0
  #nested = 0
  /** The `repeat` of the last filter (see `Token`), for texts in quotes that follow it. */
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

  /** Reads the tree at a token of kind `is`. Skips a comma before `and`, `or` and `nor`. */
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

  /** Reads the tree after a conjunction, which is not understood if there is none. */
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

  /** Reads and negates the tree after `not`: of a whole list, in `no errors or warnings`. */
  #readOpposite(): Tree | undefined {
    const first = this.#readNot()
    const others = first && isHappening(first) ? this.#listAhead(isHappening) : []
    this.#at += others.flat().length
    const tree = first && join('OR', [first, ...others.flatMap(filtersOf)])
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
      this.#expectNoBareCounts(filter)
      return this.#readAlternatives(filter)
    }
    this.#at -= 1
    return undefined
  }

  /** Notes words that a comparison may cover: `or warnings` after `more than 5 errors`. */
  #expectNoBareCounts(filter: FilterJson): void {
    if (!isCount(filter) || isAnyCount(filter)) {
      return
    }
    for (const words of this.#listAhead(isAnyCount)) {
      const text = words.map((word) => word.text).join(' ')
      if (!/\b(?:an?|any|some)\s/i.test(text)) {
        this.unknown.push(text)
      }
    }
  }

  /**
   * Returns the words of a list that continues with matching filters and has an `or`: a group for
   * each filter, with the conjunctions before it. Empty if there is no such list.
   */
  #listAhead(matches: (filter: FilterJson) => boolean): Word<Token>[][] {
    const groups: Word<Token>[][] = []
    let at = this.#at
    let group = this.#groupAt(at)
    while (group.length > 1 && filtersOf(group).some(matches)) {
      groups.push(group)
      at += group.length
      group = this.#groupAt(at)
    }
    return groups.flat().some(({ value }) => value.is === 'or') ? groups : []
  }

  /** Returns the commas and `or` at a position, and the next word; empty before an `and`. */
  #groupAt(at: number): Word<Token>[] {
    const conjunctions = this.#conjunctionsAt(at)
    const end = at + conjunctions.length + 1
    return conjunctions.includes('and') ? [] : this.#words.slice(at, end)
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

  /** Reads the values of a conjoined filter of the same property and operator, if it is one. */
  #readMoreValues(filter: FilterJson): string[] | undefined {
    const conjunctions = this.#conjunctionsAt(this.#at)
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

  #conjunctionsAt(at: number): Token['is'][] {
    const ahead = this.#words.slice(at).map(({ value }) => value.is)
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

const filtersOf = (words: Word<Token>[]): FilterJson[] =>
  words.flatMap(({ value }) => (value.is === 'filter' ? [value.filter] : []))

/** Whether the values of two filters can be alternatives in one filter. */
const canJoin = (a: FilterJson, b: FilterJson): boolean =>
  a.key === b.key &&
  a.type === b.type &&
  a.operator === b.operator &&
  ['exact', 'icontains'].includes(a.operator)

import type { TextKind } from './pattern.ts'
import { phrase, QUOTED, quotedText, type Rule, readWords, type Word } from './words.ts'

/** A literal text, or a kind of text such as an e-mail address. */
export type PatternPiece = { text: string } | { kind: TextKind }

/**
 * Where a text must match: `under` a path, `at` a domain, in a query `parameter`, … Without a place
 * word it is `has`.
 */
export type PatternPlace =
  | 'has'
  | 'starts'
  | 'under'
  | 'contains'
  | 'ends'
  | 'is'
  | 'at'
  | 'parameter'

/**
 * Consecutive parts required at a place; each part is matched by any of its pieces.
 *
 * `starts with /a or /b followed by an id` → `{ place: 'starts', parts: [[/a, /b], [id]] }`
 */
export type Condition = { place: PatternPlace; parts: PatternPiece[][] }

/** The parsed description of a pattern. */
export type Description = {
  /** A text matches if it meets all conditions of at least one list. */
  alternatives: Condition[][]
  /** The kind of text that the conditions describe: `email` for `e-mails that end with …`. */
  subject: TextKind | undefined
  ignoresCase: boolean
  examples: string[]
  counter_examples: string[]
  /**
   * Whether the description forbids a match (`not under /admin`). No pattern is written for it,
   * because RE2 has no lookaround.
   */
  negates: boolean
  /** Words of the description that were not understood. */
  unknown: string[]
}

type Meaning =
  | { is: 'place'; place: PatternPlace }
  | { is: 'piece'; piece: PatternPiece }
  | { is: 'then' | 'and' | 'or' | 'comma' | 'such as' | 'not' | 'in any case' | 'noise' }
  | { is: 'word' }

const means = <M extends Meaning>(pattern: RegExp, meaning: M): Rule<Meaning> => [
  pattern,
  () => meaning
]
const place = (source: string, at: PatternPlace) =>
  means(phrase(source), { is: 'place', place: at })
const kind = (source: string, of: TextKind) =>
  means(phrase(source), { is: 'piece', piece: { kind: of } })

const RULES: Rule<Meaning>[] = [
  [QUOTED, (match) => ({ is: 'piece', piece: { text: quotedText(match) } })],
  means(/,/y, { is: 'comma' }),
  // Parentheses around words are noise, but not in `(a|b)c`, where more of the word follows the
  // `)`.
  means(/\((?!\S*\)[^\s,;:.!?)])|\)/y, { is: 'noise' }),
  means(phrase('case[- ]insensitive(?:ly)?|ignoring (?:the )?case|ignore case|in any case'), {
    is: 'in any case'
  }),
  means(phrase('followed by|(?:and )?then'), { is: 'then' }),
  means(
    phrase(
      '(?:but )?(?:do(?:es)? )?(?:not|never|no)(?: (?:match(?:es|ing)?|like))?|(?:do|does)n.t|except(?: for)?|excluding|without|other than'
    ),
    { is: 'not' }
  ),
  means(phrase('for (?:example|instance)|e\\.g\\.?|such as|like|examples?'), { is: 'such as' }),
  place('(?:start|begin)(?:s|ning|ing)?(?: (?:with|in|at))?', 'starts'),
  place('under|below|inside|within', 'under'),
  place('end(?:s|ing)?(?: (?:with|in))?', 'ends'),
  place('(?:exactly|equals?|equal to|one of|any of|either)(?: of)?', 'is'),
  place('at|(?:of|on|from) the domain', 'at'),
  place(
    '(?:with |having |has |have )?(?:the |a )?(?:query |url )?param(?:eter)?s?(?: called| named)?',
    'parameter'
  ),
  place('contain(?:s|ing)?|includ(?:es?|ing)|with|having|has|have|somewhere in', 'contains'),
  kind('e-?mail(?: address)?(?:es|s)?', 'email'),
  kind('urls?|links?|web addresse?s?|pages?', 'url'),
  kind('(?:url )?paths?(?:names?)?', 'path'),
  kind('uuids?|guids?', 'uuid'),
  kind('(?:iso(?: ?8601)? )?dates?', 'date'),
  kind('(?:semantic )?versions?(?: numbers?)?|semvers?', 'version'),
  kind('(?:numeric|number|integer) ids?|numbers?|digits?|integers?', 'number'),
  kind('ids?|identifiers?|slugs?', 'id'),
  kind('domains?|hosts?(?:names?)?', 'domain'),
  kind('anything|something', 'anything'),
  means(phrase('and|but|as well as'), { is: 'and' }),
  means(phrase('or'), { is: 'or' }),
  means(
    phrase(
      'an?|the|any|all|every(?:thing)?|of|for|me|i|we|want|need|give|write|make|create|please|that|which|whose|where|is|are|must|should|' +
        'match(?:es|ing)?|find|finds|pattern|regex|regexp|regular expression|expression|to|in|it|its|they|texts?|strings?|' +
        'words?|values?|only|both|kind|something that|anywhere|the letters?|characters?|by|from'
    ),
    { is: 'noise' }
  )
]

/** Characters that mark a word as literal text to match, such as a path: `/orders/`. */
const LITERAL = /[/@.:?=&#_%\d-]/

/** Reads the description of a pattern. `unknown` lists the words not understood. */
export function readDescription(text: string): Description {
  const reader = new Reader()
  for (const word of readWords<Meaning>(text, RULES, () => ({ is: 'word' }))) {
    reader.read(word)
  }
  return reader.finish()
}

class Reader {
  readonly #description: Description = {
    alternatives: [[]],
    subject: undefined,
    ignoresCase: false,
    examples: [],
    counter_examples: [],
    negates: false,
    unknown: []
  }
  readonly #wordsOf = new Map<Condition, string>()
  #condition: Condition | undefined
  /**
   * The list of examples that the next texts are added to; undefined while texts belong to the
   * pattern.
   */
  #list: string[] | undefined
  /**
   * How the next piece joins the previous one: right after a place word, or by `then`, `and` or
   * `or`. A comma counts as `or`, except right after a place word.
   */
  #link: 'place' | 'then' | 'and' | 'or' | undefined

  read({ value, text: words }: Word<Meaning>): void {
    switch (value.is) {
      case 'place':
        this.#readPlace(value.place, words)
        break
      case 'piece':
        this.#readPiece(value.piece, words)
        break
      case 'comma':
        this.#link = this.#link === 'place' ? 'place' : 'or'
        break
      case 'and':
      case 'or':
      case 'then':
        this.#link = value.is
        break
      case 'such as':
        this.#list = this.#isInCounterExamples() ? this.#list : this.#description.examples
        break
      case 'not':
        this.#list = this.#description.counter_examples
        break
      case 'in any case':
        this.#description.ignoresCase = true
        break
      case 'word':
        this.#readWord(words)
        break
    }
  }

  /** Returns the description. A place word without a piece goes to `unknown`. */
  finish(): Description {
    const { alternatives, unknown } = this.#description
    const bare = alternatives.flat().filter(({ parts }) => parts.length === 0)
    return {
      ...this.#description,
      alternatives: alternatives
        .map((all) => all.filter((condition) => !bare.includes(condition)))
        .filter((all) => all.length > 0),
      unknown: [...unknown, ...bare.map((condition) => this.#wordsOf.get(condition) ?? '')]
    }
  }

  #readPlace(place: PatternPlace, words: string): void {
    const bare = this.#condition?.parts.length === 0 ? this.#condition : undefined
    // `ends with one of …`: `one of` does not change the place. It does after `contains`, which is
    // also the place of `with`: `with exactly "abc"` means `is`.
    if (bare && bare.place !== 'contains' && place === 'is') {
      return
    }
    if (this.#isInCounterExamples() && this.#list?.length === 0) {
      this.#description.negates = true
    }
    this.#list = undefined
    this.#moveSubject()
    if (bare) {
      bare.place = place
    }
    const condition = bare ?? this.#begin(place, this.#link === 'or')
    this.#wordsOf.set(condition, words)
    this.#link = 'place'
  }

  /** Makes the first condition the subject if it only names a kind: `e-mails that …`. */
  #moveSubject(): void {
    const subject = asSubject(this.#condition)
    const { alternatives } = this.#description
    if (subject && !this.#description.subject && alternatives.flat().length === 1) {
      this.#description.subject = subject
      this.#description.alternatives = [[]]
    }
  }

  #begin(place: PatternPlace, isAlternative: boolean): Condition {
    const { alternatives } = this.#description
    const condition = { place, parts: [] }
    if (isAlternative && alternatives.at(-1)?.length) {
      alternatives.push([])
    }
    alternatives.at(-1)?.push(condition)
    this.#condition = condition
    return condition
  }

  #readWord(words: string): void {
    const isText =
      LITERAL.test(words) ||
      this.#list !== undefined ||
      this.#link === 'place' ||
      (this.#link !== undefined && endsWithText(this.#condition))
    if (isText) {
      this.#readPiece({ text: words }, words)
    } else {
      this.#description.unknown.push(words)
    }
  }

  #readPiece(piece: PatternPiece, words: string): void {
    if (this.#list) {
      this.#addToList(this.#list, piece, words)
    } else {
      this.#addToPattern(piece, words)
    }
    this.#link = undefined
  }

  #addToList(list: string[], piece: PatternPiece, words: string): void {
    if ('text' in piece) {
      list.push(piece.text)
    } else if (this.#isInCounterExamples()) {
      this.#description.negates = true
    } else {
      this.#description.unknown.push(words)
    }
  }

  #addToPattern(piece: PatternPiece, words: string): void {
    const condition = this.#condition
    const link = this.#link
    if (!condition || (link === 'and' && condition.place === 'contains')) {
      this.#begin(condition?.place ?? 'has', false).parts.push([piece])
    } else if (link === 'or' || (link === 'and' && condition.place === 'is')) {
      condition.parts.at(-1)?.push(piece)
    } else if (link === 'place' || link === 'then') {
      condition.parts.push([piece])
    } else if (link === undefined && 'kind' in piece && isUrlOrPath(piece.kind)) {
      this.#description.subject ??= piece.kind
    } else {
      this.#description.unknown.push(words)
    }
  }

  #isInCounterExamples(): boolean {
    return this.#list === this.#description.counter_examples
  }
}

const isUrlOrPath = (of: TextKind): boolean => of === 'url' || of === 'path'

/** Returns the kind if a condition names one kind and nothing else. */
function asSubject(condition: Condition | undefined): TextKind | undefined {
  const [part, ...more] = condition?.place === 'has' ? condition.parts : []
  const [piece, ...others] = part ?? []
  return piece && 'kind' in piece && more.length === 0 && others.length === 0
    ? piece.kind
    : undefined
}

const endsWithText = (condition: Condition | undefined): boolean => {
  const last = condition?.parts.at(-1)?.at(-1)
  return last !== undefined && 'text' in last
}

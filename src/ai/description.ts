import type { Kind } from './pattern.ts'
import { phrase, QUOTED, quotedText, type Rule, readWords, type Word } from './words.ts'

/** A literal text, or any text of a kind, such as an e-mail address. */
export type Piece = { text: string } | { kind: Kind }

/** The position in a text at which something is required. */
export type Place = 'has' | 'starts' | 'under' | 'contains' | 'ends' | 'is' | 'at' | 'parameter'

/**
 * A requirement at a place: consecutive parts, each of which is one of several pieces. `starts with /a or /b followed by an
 * id` → `{ place: 'starts', parts: [[/a, /b], [id]] }`
 */
export type Condition = { place: Place; parts: Piece[][] }

/** A description of a pattern, as it was understood. */
export type Description = {
  /** A text has to fulfil all conditions of one of these lists. */
  alternatives: Condition[][]
  /** The kind of text that the conditions are about, if any: `email` for `e-mails that end with …`. */
  subject: Kind | undefined
  ignoresCase: boolean
  examples: string[]
  counter_examples: string[]
  /** Whether it says what a text must not contain, start or end with. */
  negates: boolean
  /** Words of the description that were not understood. */
  unknown: string[]
}

type Meaning =
  | { is: 'place'; place: Place }
  | { is: 'piece'; piece: Piece }
  | { is: 'then' | 'and' | 'or' | 'comma' | 'such as' | 'not' | 'in any case' | 'noise' }
  | { is: 'word' }

const means = <M extends Meaning>(pattern: RegExp, meaning: M): Rule<Meaning> => [
  pattern,
  () => meaning
]
const place = (source: string, at: Place) => means(phrase(source), { is: 'place', place: at })
const kind = (source: string, of: Kind) =>
  means(phrase(source), { is: 'piece', piece: { kind: of } })

const RULES: Rule<Meaning>[] = [
  [QUOTED, (match) => ({ is: 'piece', piece: { text: quotedText(match) } })],
  means(/,/y, { is: 'comma' }),
  // Parentheses around words are noise. Those in a text to match are followed by more of the text.
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

/** A character that makes a word look like text to match, such as a part of a URL. */
const TEXT = /[/@.:?=&#_%\d-]/

/** Reads the description of a pattern. Words that it does not understand are listed in `unknown`, never dropped. */
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
  readonly #saidOf = new Map<Condition, string>()
  #condition: Condition | undefined
  /** The list of examples or counter-examples that texts are added to, if they are not part of the pattern. */
  #list: string[] | undefined
  /** The word that joins the next piece to the previous one. */
  #link: 'place' | 'then' | 'and' | 'or' | undefined

  read({ value, text: said }: Word<Meaning>): void {
    switch (value.is) {
      case 'place':
        this.#readPlace(value.place, said)
        break
      case 'piece':
        this.#readPiece(value.piece, said)
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
        this.#readWord(said)
        break
    }
  }

  /** Returns the description. A place without a piece counts as not understood. */
  finish(): Description {
    const { alternatives, unknown } = this.#description
    const bare = alternatives.flat().filter(({ parts }) => parts.length === 0)
    return {
      ...this.#description,
      alternatives: alternatives
        .map((all) => all.filter((one) => !bare.includes(one)))
        .filter((all) => all.length > 0),
      unknown: [...unknown, ...bare.map((one) => this.#saidOf.get(one) ?? '')]
    }
  }

  #readPlace(place: Place, said: string): void {
    const bare = this.#condition?.parts.length === 0 ? this.#condition : undefined
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
    this.#saidOf.set(condition, said)
    this.#link = 'place'
  }

  /** Turns the only condition so far into the subject of the following ones if it just names a kind. */
  #moveSubject(): void {
    const subject = asSubject(this.#condition)
    const { alternatives } = this.#description
    if (subject && !this.#description.subject && alternatives.flat().length === 1) {
      this.#description.subject = subject
      this.#description.alternatives = [[]]
    }
  }

  #begin(place: Place, isAlternative: boolean): Condition {
    const { alternatives } = this.#description
    const condition = { place, parts: [] }
    if (isAlternative && alternatives.at(-1)?.length) {
      alternatives.push([])
    }
    alternatives.at(-1)?.push(condition)
    this.#condition = condition
    return condition
  }

  #readWord(said: string): void {
    const isText =
      TEXT.test(said) ||
      this.#list !== undefined ||
      this.#link === 'place' ||
      (this.#link !== undefined && endsWithText(this.#condition))
    if (isText) {
      this.#readPiece({ text: said }, said)
    } else {
      this.#description.unknown.push(said)
    }
  }

  #readPiece(piece: Piece, said: string): void {
    if (this.#list) {
      this.#addToList(this.#list, piece, said)
    } else {
      this.#addToPattern(piece, said)
    }
    this.#link = undefined
  }

  #addToList(list: string[], piece: Piece, said: string): void {
    if ('text' in piece) {
      list.push(piece.text)
    } else if (this.#isInCounterExamples()) {
      this.#description.negates = true
    } else {
      this.#description.unknown.push(said)
    }
  }

  #addToPattern(piece: Piece, said: string): void {
    const condition = this.#condition
    const link = this.#link
    if (!condition || (link === 'and' && condition.place === 'contains')) {
      this.#begin(condition?.place ?? 'has', false).parts.push([piece])
    } else if (link === 'or' || (link === 'and' && condition.place === 'is')) {
      condition.parts.at(-1)?.push(piece)
    } else if (link === 'place' || link === 'then') {
      condition.parts.push([piece])
    } else if (link === undefined && 'kind' in piece && isAddress(piece.kind)) {
      this.#description.subject ??= piece.kind
    } else {
      this.#description.unknown.push(said)
    }
  }

  #isInCounterExamples(): boolean {
    return this.#list === this.#description.counter_examples
  }
}

const isAddress = (of: Kind): boolean => of === 'url' || of === 'path'

/** Returns the kind of a condition that could be a subject, such as `e-mails` in `e-mails that end with …`. */
function asSubject(condition: Condition | undefined): Kind | undefined {
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

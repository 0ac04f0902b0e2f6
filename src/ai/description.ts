import type { Kind } from './pattern.ts'
import { phrase, QUOTED, quotedText, type Rule, readWords } from './words.ts'

/** A text as it is, or one of a kind. */
export type Piece = { text: string } | { kind: Kind }

export type Place = 'has' | 'starts' | 'under' | 'contains' | 'ends' | 'is' | 'at' | 'parameter'

/** Something at a place: one part after the other, each any of its pieces. */
export type Condition = { place: Place; parts: Piece[][] }

/** What a description of a pattern says. */
export type Description = {
  /** All conditions of any of these. */
  alternatives: Condition[][]
  /** What the conditions are about, when they are about one kind: e-mails that end with … */
  subject: Kind | undefined
  ignoresCase: boolean
  examples: string[]
  counter_examples: string[]
  /** It says what a text must not contain, start or end with. */
  negates: boolean
  /** What was not understood, in the words of the description. */
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
  // Around words: one that is part of a text to match is followed by more of it.
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

/** What looks like a part of a URL or another text to match, not like a word about it. */
const TEXT = /[/@.:?=&#_%\d-]/

/** Reads what somebody wants a pattern for. What it cannot place is in `unknown`, never left out silently. */
export function readDescription(text: string): Description {
  const words = readWords<Meaning>(text, RULES, () => ({ is: 'word' }))
  const description: Description = {
    alternatives: [[]],
    subject: undefined,
    ignoresCase: false,
    examples: [],
    counter_examples: [],
    negates: false,
    unknown: []
  }
  /** Where texts go that are no part of the pattern. */
  let list: string[] | undefined
  const saidOf = new Map<Condition, string>()
  let condition: Condition | undefined
  /** What joins the next piece to what stands before it. */
  let link: 'place' | 'then' | 'and' | 'or' | undefined

  const begin = (at: Place, isOr: boolean): Condition => {
    const begun = { place: at, parts: [] }
    if (isOr && description.alternatives.at(-1)?.length) {
      description.alternatives.push([])
    }
    description.alternatives.at(-1)?.push(begun)
    return begun
  }
  const put = (piece: Piece, said: string) => {
    if (list && 'text' in piece) {
      list.push(piece.text)
    } else if (list === description.counter_examples) {
      description.negates = true
    } else if (list) {
      description.unknown.push(said)
    } else if (!condition || (link === 'and' && condition.place === 'contains')) {
      condition = begin(condition?.place ?? 'has', false)
      condition.parts.push([piece])
    } else if (link === 'or' || (link === 'and' && condition.place === 'is')) {
      condition.parts.at(-1)?.push(piece)
    } else if (link === 'place' || link === 'then') {
      condition.parts.push([piece])
    } else if ('kind' in piece && isAddress(piece.kind) && link === undefined) {
      description.subject ??= piece.kind
    } else {
      description.unknown.push(said)
    }
    link = undefined
  }

  for (const { value, text: said } of words) {
    switch (value.is) {
      case 'place': {
        const before = condition?.parts.length === 0 ? condition : undefined
        if (before && before.place !== 'contains' && value.place === 'is') {
          break
        }
        if (list === description.counter_examples && list.length === 0) {
          description.negates = true
        }
        list = undefined
        const only = asSubject(condition)
        if (only && !description.subject && description.alternatives.flat().length === 1) {
          description.subject = only
          description.alternatives = [[]]
        }
        if (before) {
          before.place = value.place
        } else {
          condition = begin(value.place, link === 'or')
        }
        if (condition) {
          saidOf.set(condition, said)
        }
        link = 'place'
        break
      }
      case 'piece':
        put(value.piece, said)
        break
      case 'comma':
        link = link === 'place' ? link : 'or'
        break
      case 'and':
      case 'or':
      case 'then':
        link = value.is
        break
      case 'such as':
        list = list === description.counter_examples ? list : description.examples
        break
      case 'not':
        list = description.counter_examples
        break
      case 'in any case':
        description.ignoresCase = true
        break
      case 'word':
        if (
          TEXT.test(said) ||
          list ||
          link === 'place' ||
          (link !== undefined && endsWithText(condition))
        ) {
          put({ text: said }, said)
        } else {
          description.unknown.push(said)
        }
        break
    }
  }
  const bare = description.alternatives.flat().filter(({ parts }) => parts.length === 0)
  description.alternatives = description.alternatives
    .map((all) => all.filter((one) => !bare.includes(one)))
    .filter((all) => all.length > 0)
  description.unknown.push(...bare.map((one) => saidOf.get(one) ?? ''))
  return description
}

const isAddress = (of: Kind): boolean => of === 'url' || of === 'path'

/** `E-mails` in `e-mails that end with …`. */
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

import {
  type Condition,
  type Description,
  type PatternPiece,
  readDescription
} from './description.ts'
import { generalise } from './examples.ts'
import {
  anyOf,
  type Examples,
  KINDS,
  LOCAL_PART,
  type Proof,
  prove,
  quote,
  type TextKind
} from './pattern.ts'
import { listUnknown } from './words.ts'

/** A pattern and its result on the examples, or the reason why there is no pattern. */
export type RegexAnswer = ({ output: string } & Proof) | { fault: string }

const HELP =
  'Describe what the text starts with, contains, ends with or equals: an e-mail, URL, path, id, uuid, date, version or number, or a text in quotes.'

const NO_LOOKAROUND =
  'A pattern without lookaround cannot exclude text: describe what to leave out instead, and filter with not_regex.'

const NOT_TOGETHER = 'These conditions do not fit into one pattern: use fewer conditions.'

/** Texts that a pattern may require anywhere: it lists every order of them, six for three. */
const MAX_CONTAINED = 3
/** Patterns that are tested for one description. */
const MAX_ATTEMPTS = 200

/**
 * Writes a pattern for a description by rules. Tries candidates from the broadest to the narrowest
 * and takes the first that matches every example and no counter-example, including those in the
 * description. RE2 syntax, not anchored.
 *
 * `pages under /orders/ followed by a number` → `^(?:https?://[^/?#]+)?/orders/[0-9]+(?:[/?#]|$)`
 */
export function writeRegex(text: string, given: Examples): RegexAnswer {
  const description = readDescription(text)
  const { alternatives, unknown, ignoresCase, negates } = description
  const proofs = {
    examples: [...given.examples, ...description.examples],
    counter_examples: [...given.counter_examples, ...description.counter_examples]
  }
  if (unknown.length > 0) {
    return { fault: `Not understood: ${listUnknown(unknown)}. ${HELP}` }
  }
  if (negates) {
    return { fault: NO_LOOKAROUND }
  }
  const candidates = alternatives.length > 0 ? readings(description) : generalise(proofs.examples)
  if (candidates.length === 0) {
    return { fault: alternatives.length > 0 ? NOT_TOGETHER : HELP }
  }
  let missed: string[] = []
  for (const candidate of candidates) {
    const output = ignoresCase ? `(?i)${candidate}` : candidate
    const proof = prove(output, proofs)
    if (proof?.missed.length === 0) {
      return { output, matched: proof.matched, rejected: proof.rejected }
    }
    if (missed.length === 0) {
      missed = proof?.missed ?? []
    }
  }
  return { fault: explainMisses(missed, proofs) }
}

function explainMisses([missed]: string[], { examples, counter_examples }: Examples): string {
  if (missed === undefined) {
    return 'The pattern would be longer than 1,000 characters.'
  }
  if (examples.includes(missed) && counter_examples.includes(missed)) {
    return `"${missed}" is both an example and a counter-example.`
  }
  return examples.includes(missed)
    ? `The description does not match the example "${missed}".`
    : `The description also matches "${missed}", which a pattern without lookaround cannot exclude.`
}

/** Returns the patterns that a description may mean, in the order in which they are tried. */
function readings(description: Description): string[] {
  const styles = listStyles()
  const bounds = ['anywhere', 'word', 'whole'] as const
  const all = bounds.flatMap((bound) =>
    styles.flatMap((style) => {
      const patterns = description.alternatives.map((conditions) =>
        writeAll(conditions, description, style, bound)
      )
      return patterns.every((pattern) => pattern !== undefined) ? [patterns.join('|')] : []
    })
  )
  return [...new Set(all)].slice(0, MAX_ATTEMPTS)
}

/** The pattern that one reading of a description uses for each kind of text. */
type Style = Partial<Record<TextKind, string>>

/** Lists all combinations of the kinds' patterns, the broadest first. */
function listStyles(): Style[] {
  let styles: { narrowness: number; style: Style }[] = [{ narrowness: 0, style: {} }]
  for (const [kind, patterns] of Object.entries(KINDS)) {
    styles = styles.flatMap(({ narrowness, style }) =>
      patterns.map((pattern, i) => ({
        narrowness: narrowness + i,
        style: { ...style, [kind]: pattern }
      }))
    )
  }
  return styles.toSorted((a, b) => a.narrowness - b.narrowness).map(({ style }) => style)
}

type Bound = 'anywhere' | 'word' | 'whole'

/**
 * A link in a chain of patterns. `text` is the only text that the link matches; `opens` and
 * `closes` are the only texts that its matches begin and end with. Each is undefined if there are
 * several.
 */
type Link = {
  pattern: string
  text?: string | undefined
  opens?: string | undefined
  closes?: string | undefined
}

/**
 * Writes a pattern that requires all conditions. @returns undefined for a combination that the
 * rules do not cover
 */
function writeAll(
  conditions: Condition[],
  { subject }: Description,
  style: Style,
  bound: Bound
): string | undefined {
  const at = (...places: Condition['place'][]) =>
    conditions
      .filter(({ place }) => places.includes(place))
      .map((condition) => toLink(condition, style))
  const starts = at('starts', 'under')
  const ends = at('ends')
  const contained = at('contains', 'has')
  const parameters = at('parameter').map(toParameter)
  if (
    starts.length > 1 ||
    ends.length > 1 ||
    contained.length + parameters.length > MAX_CONTAINED
  ) {
    return undefined
  }
  const [exact] = at('is')
  if (exact) {
    return conditions.length === 1 ? `^${exact.pattern}$` : undefined
  }
  const [start] = starts
  const [end] = ends
  const hosts = conditions.filter(({ place }) => place === 'at')
  const middles = [...contained, ...parameters]
  if (subject === 'email') {
    return middles.length > 0 ? undefined : writeEmail(starts, ends, hosts)
  }
  if (hosts.length > 0 || !isAboutText(subject)) {
    return undefined
  }
  const isUnder = conditions.some(({ place }) => place === 'under')
  const head = start && toHead(start, subject, isUnder)
  if (!head && !end && middles.length === 1) {
    return wrap(middles[0]?.pattern ?? '', bound)
  }
  const orders = permute(middles).map((order) =>
    writeChain([...(head ? [head] : []), ...order], end)
  )
  return anyOf(orders)
}

function toLink({ parts }: Condition, style: Style): Link {
  const patterns = parts.map((pieces) => anyOf(pieces.map((piece) => writePiece(piece, style))))
  const opens = onlyText(parts[0])
  return {
    pattern: patterns.join(''),
    opens,
    closes: onlyText(parts.at(-1)),
    text: parts.length === 1 ? opens : undefined
  }
}

const toParameter = ({ pattern }: Link): Link => ({ pattern: `[?&]${pattern}(?:[=&#]|$)` })

/**
 * Returns the first link of a chain. With `isUnder`, the match must end with a whole path segment:
 * `/a` does not match `/ab`.
 */
function toHead(start: Link, subject: Description['subject'], isUnder: boolean): Link {
  const pattern = `^${hostBefore(start, subject)}${start.pattern}`
  if (!isUnder) {
    return { pattern, text: start.text }
  }
  return { pattern: start.closes?.endsWith('/') ? pattern : `${pattern}(?:[/?#]|$)` }
}

/**
 * Joins links with any text between them. A link's text may also overlap with the previous text, as
 * `shop/cart` does with `/shop`, or be contained in it.
 */
function writeChain(links: Link[], end: Link | undefined): string {
  const [first, ...others] = end ? [...links, end] : links
  if (!first) {
    return ''
  }
  let before = first
  let pattern = first === end ? `${first.pattern}$` : first.pattern
  for (const link of others) {
    const tail = link === end ? '$' : ''
    const isContained = !tail && link.text !== undefined && before.text?.includes(link.text)
    if (!isContained) {
      const rests = overlaps(before.text, link.text).map((rest) => `${quote(rest)}${tail}`)
      pattern += anyOf([`.*${link.pattern}${tail}`, ...rests])
      before = link
    }
  }
  return pattern
}

/**
 * Returns the second text after each overlap with the first: `/shop`, `shop/cart` → `['/cart']`.
 */
function overlaps(first: string | undefined, second: string | undefined): string[] {
  if (first === undefined || second === undefined) {
    return []
  }
  const lengths = Array.from({ length: second.length }, (_, i) => i + 1)
  return lengths
    .filter((length) => first.endsWith(second.slice(0, length)))
    .map((length) => second.slice(length))
}

function permute(links: Link[]): Link[][] {
  if (links.length < 2) {
    return [links]
  }
  return links.flatMap((link) =>
    permute(links.filter((other) => other !== link)).map((rest) => [link, ...rest])
  )
}

/**
 * Whether conditions on a subject can be written as they are. Other subjects, such as e-mails, need
 * a pattern of their kind.
 */
const isAboutText = (subject: Description['subject']): boolean =>
  subject === undefined || ['url', 'path', 'anything'].includes(subject)

/** Returns an optional scheme and host for a URL that is described by its path. */
function hostBefore({ opens }: Link, subject: Description['subject']): string {
  return subject === 'url' && opens?.startsWith('/') ? '(?:https?://[^/?#]+)?' : ''
}

/**
 * Writes a pattern for e-mails with one start, one end or one host. @returns undefined for any
 * other number of conditions, and for an end or a host that no address has
 */
function writeEmail(starts: Link[], ends: Link[], hosts: Condition[]): string | undefined {
  const [whole] = KINDS.email
  const domain = whole.slice(whole.indexOf('@'))
  if (starts.length + ends.length + hosts.length > 1) {
    return undefined
  }
  const [start] = starts
  if (start) {
    return `^${start.pattern}${LOCAL_PART}*${domain}$`
  }
  const [end] = ends
  const [host] = hosts.map(writeHost)
  const written = host ?? quoteHost(end?.text ?? '')
  if (written === undefined) {
    return undefined
  }
  const isWhole = host !== undefined || end?.text?.startsWith('@')
  return isWhole ? `^${LOCAL_PART}+@${written}$` : `^${LOCAL_PART}+@[A-Za-z0-9.-]*${written}$`
}

/** Writes a pattern for the host of an e-mail address, if it is given as domains and texts. */
function writeHost({ parts }: Condition): string | undefined {
  const [pieces = [], ...more] = parts
  const patterns = pieces.map((piece) => {
    if ('text' in piece) {
      return quoteHost(piece.text)
    }
    return piece.kind === 'domain' ? KINDS.domain[0] : undefined
  })
  const known = patterns.filter((pattern) => pattern !== undefined)
  return more.length === 0 && known.length === patterns.length ? anyOf(known) : undefined
}

/** Escapes a host, with or without an @; undefined for an empty one, or with another @. */
function quoteHost(text: string): string | undefined {
  const host = text.replace(/^@/, '')
  return host === '' || host.includes('@') ? undefined : quote(host)
}

const onlyText = ([piece, ...more]: PatternPiece[] = []): string | undefined =>
  piece && 'text' in piece && more.length === 0 ? piece.text : undefined

function wrap(pattern: string, bound: Bound): string {
  if (bound === 'anywhere') {
    return pattern
  }
  return bound === 'word' ? `\\b${pattern}\\b` : `^${pattern}$`
}

const writePiece = (piece: PatternPiece, style: Style): string =>
  'text' in piece ? quote(piece.text) : (style[piece.kind] ?? '')

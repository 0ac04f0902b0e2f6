import { RE2JS } from 're2js'
import { AppError } from '../errors.ts'
import { sizeOf } from './size.ts'

/** Characters of a regular expression. */
export const MAX_PATTERN = 1_000
/** Size of a regular expression; the library takes about 5 ms to compile this much. */
export const MAX_PATTERN_SIZE = 4_000
/** Regular expressions in one request. */
export const MAX_PATTERNS = 100
/** Size of all regular expressions of one request: 20,000 take about 50 ms to compile. */
export const MAX_PATTERNS_SIZE = 20_000

/** Compiles a pattern in RE2's syntax. @returns undefined when it is not one, or is too long or too large */
export function compilePattern(pattern: string): RE2JS | undefined {
  if (pattern.length > MAX_PATTERN || sizeOf(pattern) > MAX_PATTERN_SIZE) {
    return undefined
  }
  try {
    return RE2JS.compile(pattern)
  } catch {
    return undefined
  }
}

/** Units of a step, beside one for each place in the program that it leads to. */
const UNITS_OF_STEP = 40
/** Once their steps are known; Unicode classes take longer. */
const CHARACTERS_OF_UNIT = 10
const UNICODE_CHARACTERS_OF_UNIT = 3

/** Characters that are searched for a pattern in a unit of work, beside one unit a text and those of new steps. */
export const charactersOfUnit = (pattern: string): number =>
  /\\[pP]/.test(pattern) ? UNICODE_CHARACTERS_OF_UNIT : CHARACTERS_OF_UNIT

/**
 * Returns a search for a pattern, found anywhere in a text. The library takes a constant time for each character whose
 * step it has taken before, and one that grows with the program for a new one: `onStep` hears of each, and may throw. The
 * library's slower engine, for programs with too many different steps, counts as endlessly many.
 */
export function searchFor(
  pattern: string,
  onStep: (units: number) => void
): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern)
  const { dfa } = compiled.re2()
  const closure = dfa.closure.bind(dfa)
  const match = dfa.match.bind(dfa)
  dfa.closure = (places, flag) => {
    const reached = closure(places, flag)
    onStep(UNITS_OF_STEP + reached.pcs.length)
    return reached
  }
  dfa.match = (input, from, anchor) => {
    const matches: boolean | null = match(input, from, anchor)
    if (matches === null) {
      onStep(Number.POSITIVE_INFINITY)
    }
    return matches
  }
  return (text) => compiled.test(text)
}

/** The regular expressions of one request: how many there are, and how large they are together. */
export class Patterns {
  #count = 0
  #size = 0

  /**
   * Checks another pattern, which is compiled only if it is small enough.
   * @throws invalid_input, attr `properties`
   */
  check(pattern: string): void {
    if (pattern.length > MAX_PATTERN) {
      throw invalid(`A regular expression has at most ${MAX_PATTERN} characters.`)
    }
    const size = sizeOf(pattern)
    if (size > MAX_PATTERN_SIZE) {
      throw invalid(
        `The regular expression ${show(pattern)} is too large: with its repeats written out it has about ${size} steps, and at most ${MAX_PATTERN_SIZE} are allowed. Use fewer or lower counts such as {1000}.`
      )
    }
    this.#count += 1
    this.#size += size
    if (this.#count > MAX_PATTERNS) {
      throw invalid(
        `A request has at most ${MAX_PATTERNS} regular expressions: join some of them with |.`
      )
    }
    if (this.#size > MAX_PATTERNS_SIZE) {
      throw invalid(
        `The regular expressions of this request are too large together: with their repeats written out they have more than ${MAX_PATTERNS_SIZE} steps. Use fewer or shorter ones.`
      )
    }
    if (!compilePattern(pattern)) {
      throw invalid(`${show(pattern)} is not a regular expression (RE2 syntax).`)
    }
  }
}

const show = (pattern: string): string => JSON.stringify(pattern.slice(0, 60))

const invalid = (detail: string) => new AppError('invalid_input', detail, 'properties')

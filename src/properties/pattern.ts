import { RE2JS } from 're2js'
import { AppError } from '../errors.ts'
import { sizeOf } from './size.ts'

/** Longest regular expression, characters. */
export const MAX_PATTERN = 1_000
/** Largest regular expression by `sizeOf`. The library compiles a size of 4,000 in about 5 ms. */
export const MAX_PATTERN_SIZE = 4_000
/** Maximum number of regular expressions in one request. */
export const MAX_PATTERNS = 100
/**
 * Largest total size of the regular expressions in one request. A size of 20,000 compiles in about
 * 50 ms.
 */
export const MAX_PATTERNS_SIZE = 20_000

/** Compiles a pattern of RE2; undefined when it is invalid, too long or too large. */
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

/** Units of `Work` for a new step; each instruction that it leads to takes one more. */
const UNITS_OF_STEP = 40
/** Characters searched per unit once all their steps are cached. */
const CHARACTERS_OF_UNIT = 10
/** The same for patterns with Unicode classes. */
const UNICODE_CHARACTERS_OF_UNIT = 3

/**
 * Returns how many characters are searched for a pattern per unit of work. Each text costs one
 * additional unit, and new steps cost extra.
 */
export const charactersOfUnit = (pattern: string): number =>
  /\\[pP]/.test(pattern) ? UNICODE_CHARACTERS_OF_UNIT : CHARACTERS_OF_UNIT

/** A compiled pattern, and the steps of its automaton that are cached. */
export type PatternSearch = {
  matches: (text: string) => boolean
  /** Estimates the memory that the cached steps take, in bytes: at most 8 MB. */
  countBytes: () => number
  forget: () => void
}

/**
 * Compiles a pattern to search for. Cached steps of the library's automaton take constant time; a
 * new step takes longer for larger patterns. `onStep` gets the units of each new step and may
 * throw. It gets Infinity when the library falls back to its slow engine because a pattern has too
 * many steps.
 */
export function searchFor(pattern: string, onStep: (units: number) => void): PatternSearch {
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
  return {
    matches: (text) => compiled.test(text),
    countBytes: () => dfa.stateBudget - dfa.memBudget,
    forget: () => dfa.clearCache()
  }
}

/** Counts the regular expressions of one request and adds up their sizes. */
export class Patterns {
  #count = 0
  #size = 0

  /**
   * Adds a pattern and checks it. A pattern that is too large is refused before it is compiled.
   * @throws invalid_input, attr `properties`
   */
  check(pattern: string): void {
    if (pattern.length > MAX_PATTERN) {
      throw invalid(`A regular expression may have at most ${MAX_PATTERN} characters.`)
    }
    const size = sizeOf(pattern)
    if (size > MAX_PATTERN_SIZE) {
      throw invalid(
        `The regular expression ${show(pattern)} is too large: it would compile to about ${size} instructions, and at most ${MAX_PATTERN_SIZE} are allowed. Use fewer repeats such as {1000}, or lower counts.`
      )
    }
    this.#count += 1
    this.#size += size
    if (this.#count > MAX_PATTERNS) {
      throw invalid(
        `A request may have at most ${MAX_PATTERNS} regular expressions: join some of them with |.`
      )
    }
    if (this.#size > MAX_PATTERNS_SIZE) {
      throw invalid(
        `The regular expressions of this request are too large together: they would compile to more than ${MAX_PATTERNS_SIZE} instructions. Use fewer or shorter expressions.`
      )
    }
    if (!compilePattern(pattern)) {
      throw invalid(`${show(pattern)} is not a regular expression (RE2 syntax).`)
    }
  }
}

const show = (pattern: string): string => JSON.stringify(pattern.slice(0, 60))

const invalid = (detail: string) => new AppError('invalid_input', detail, 'properties')

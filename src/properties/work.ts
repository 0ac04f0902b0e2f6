import { AppError } from '../errors.ts'
import { Turns } from '../turns.ts'
import type { PropertyFilter } from './filter.ts'
import type { PatternSearch } from './pattern.ts'
import { Searches } from './searches.ts'

/** Units per request for operators that SQL lacks, about 150 ns each: a second. */
const MAX_UNITS = 6_000_000
/** Units per request for new steps of regular expressions, not known in advance: 0.2 s. */
const MAX_STEPS = 1_500_000
/** Units of work after which other requests on this thread get a turn: about 0.1 s. */
const STRETCH = 600_000

/** The beginning of the refusal, as an example for the API reference. */
export const TOO_MUCH_WORK =
  'The regular expression "a[ab]{300}$" takes too many steps on these values.'

/** Limits the time of one request for comparing texts, and shares the thread with others. */
export class Work {
  readonly turns = new Turns()
  #units = 0
  #steps = 0
  #stretch = 0
  readonly #searches = new Searches()

  /**
   * Reserves units for comparing a filter's values with `texts` texts, before the comparing begins.
   * @throws query_too_large, attr `properties`
   */
  plan(units: number, { key, operator, values }: PropertyFilter, texts: number): void {
    this.#units += units
    if (this.#units > MAX_UNITS) {
      throw tooLarge(
        `The operator ${operator} would compare ${values.length} values with ${texts} of ${JSON.stringify(key)}, which takes too long. Send fewer values, choose a shorter range, or use a simpler operator such as icontains or exact.`
      )
    }
  }

  /**
   * Returns the search for a pattern. It spends units on each new step of the regular expression:
   * these cannot be counted in advance. It keeps the steps for the next texts.
   * @throws query_too_large, attr `properties`, from the search
   */
  searchFor(pattern: string): PatternSearch {
    return this.#searches.of(pattern, (units) => this.#step(units, pattern))
  }

  /** Spends reserved units. @returns whether it is time to `rest` */
  spend(units: number): boolean {
    this.#stretch += units
    return this.#stretch > STRETCH
  }

  async rest(): Promise<void> {
    this.#stretch = 0
    await this.turns.give()
  }

  #step(units: number, pattern: string): void {
    this.#stretch += units
    this.#steps += units
    if (this.#steps > MAX_STEPS) {
      throw tooLarge(
        `The regular expression ${JSON.stringify(pattern.slice(0, 60))} takes too many steps on these values. Use lower counts than in {100}, fewer of .* and ?, or a simpler operator such as icontains.`
      )
    }
  }
}

const tooLarge = (detail: string) => new AppError('query_too_large', detail, 'properties')

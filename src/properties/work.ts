import { AppError } from '../errors.ts'
import { pause } from '../pause.ts'
import type { PropertyFilter } from './filter.ts'

/** Units that the operators which SQL lacks may cost in one request. A unit is about 150 ns: all together take a second. */
const MAX_UNITS = 6_000_000
/** Of these, units for steps of a regular expression that no text before has led to: 0.2 s. */
const MAX_STEPS = 1_500_000
/** Units until everyone else who waits for this thread gets a turn: 0.1 s. */
const STRETCH = 600_000

/** How the interface's description shows the refusal of what would take more. */
export const TOO_MUCH_WORK =
  'The regular expression "a[ab]{300}$" takes too many steps on these values.'

/** What a request has spent on comparing texts in this thread, which all requests share. */
export class Work {
  #units = 0
  #steps = 0
  #stretch = 0

  /**
   * Plans units before any of them is spent.
   * @throws query_too_large, attr `properties`, which says what to send instead
   */
  plan(units: number, { key, operator, values }: PropertyFilter, texts: number): void {
    this.#units += units
    if (this.#units > MAX_UNITS) {
      throw tooLarge(
        `The operator ${operator} would compare ${values.length} values with ${texts} of ${JSON.stringify(key)}, which takes too long. Send fewer values, ask for a shorter time, or use a simpler operator such as icontains or exact.`
      )
    }
  }

  /**
   * Spends units on a step of a regular expression, of which no one knows before how many there will be.
   * @throws query_too_large, attr `properties`, which says what to send instead
   */
  step(units: number, pattern: string): void {
    this.#stretch += units
    this.#steps += units
    if (this.#steps > MAX_STEPS) {
      throw tooLarge(
        `The regular expression ${JSON.stringify(pattern.slice(0, 60))} takes too many steps on these values. Use lower counts than in {100}, fewer of .* and ?, or a simpler operator such as icontains.`
      )
    }
  }

  /** Spends units that were planned. @returns whether it is time to `rest` */
  spend(units: number): boolean {
    this.#stretch += units
    return this.#stretch > STRETCH
  }

  /** Lets others have a turn. */
  async rest(): Promise<void> {
    this.#stretch = 0
    await pause(0)
  }
}

const tooLarge = (detail: string) => new AppError('query_too_large', detail, 'properties')

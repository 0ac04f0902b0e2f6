import type { Column } from '../columns/column.ts'
import type { Json } from '../input/json.ts'

/** Numbers sessions from 0 on, in the order in which they are seen. */
export class Sessions {
  readonly #numbers = new Map<Json, number>()

  /** Returns the number of each event's session; -1 for none. */
  of({ codes, values }: Column): Int32Array {
    const ofValues = Int32Array.from(values, (id) => (id === null ? -1 : this.numberOf(id)))
    const numbers = new Int32Array(codes.length)
    for (let i = 0; i < numbers.length; i += 1) {
      numbers[i] = ofValues[codes[i] ?? 0] ?? -1
    }
    return numbers
  }

  /** Returns the number of a session. */
  numberOf(id: Json): number {
    const known = this.#numbers.get(id)
    if (known !== undefined) {
      return known
    }
    this.#numbers.set(id, this.#numbers.size)
    return this.#numbers.size - 1
  }
}

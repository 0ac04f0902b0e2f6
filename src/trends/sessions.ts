import type { Column } from '../columns/column.ts'
import type { Json } from '../input/json.ts'
import { UuidNumbers } from './session-ids.ts'

/** Numbers sessions from 0 on, in the order in which they are seen. */
export class Sessions {
  /** The ids that SDKs make. */
  readonly #uuids = new UuidNumbers()
  readonly #others = new Map<Json, number>()
  #size = 0

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
    const uuid = typeof id === 'string' ? this.#uuids.numberOf(id, this.#size) : undefined
    const number = uuid ?? this.#others.get(id) ?? this.#size
    if (number === this.#size) {
      this.#size += 1
      if (uuid === undefined) {
        this.#others.set(id, number)
      }
    }
    return number
  }
}

/** Stands for all values that are not listed. */
export const OTHERS: unique symbol = Symbol('others')

/**
 * With one dimension, the text of a value, or null for events without a value. With several
 * dimensions, a JSON list that has such a member for each of them, or null for events without any
 * value.
 */
export type Value = string | null | typeof OTHERS

/** Returns the value of several dimensions, whose own values are these texts. */
export const joinTexts = (texts: readonly (string | null)[]): string | null =>
  texts.every((text) => text === null) ? null : JSON.stringify(texts)

/** Numbers the values of dimensions. The number of a value is its group. */
export class Grouping {
  readonly #groups = new Map<Value, number>()
  readonly #values: Value[] = []
  readonly #isOpen: boolean

  /**
   * @param listed the values that have a group each. All other values share one group, except null,
   * which has its own. Without a list, each value has its own group
   */
  constructor(listed?: readonly string[]) {
    this.#isOpen = listed === undefined
    for (const value of listed ?? []) {
      this.#add(value)
    }
  }

  /** Returns the group of a value; undefined if it has none yet. */
  find(value: string | null): number | undefined {
    return this.#groups.get(value)
  }

  groupOf(value: string | null): number {
    const known = this.find(value)
    if (known !== undefined) {
      return known
    }
    if (value === null || this.#isOpen) {
      return this.#add(value)
    }
    return this.#groups.get(OTHERS) ?? this.#add(OTHERS)
  }

  valueOf(group: number): Value {
    return this.#values[group] ?? null
  }

  #add(value: Value): number {
    const group = this.#values.length
    this.#values.push(value)
    this.#groups.set(value, group)
    return group
  }
}

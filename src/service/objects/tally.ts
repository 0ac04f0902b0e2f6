/** Maximum number of wrong objects, and of unnamed ones, that are listed; all are counted. */
const MAX_SHOWN = 100

export type ObjectFault = 'missing' | 'damaged' | 'wrong size'

/** An object and its fault; for a wrong size, the key is the prefix of a recording's objects. */
export type WrongObject = { key: string; fault: ObjectFault }

export type VerifiedBucket = {
  objects: number
  /** The number of objects that nothing names. They do no harm. */
  unnamed: number
  first_unnamed: string[]
  wrong: number
  first_wrong: WrongObject[]
}

/** Counts what a verification of the bucket finds. */
export class ObjectTally {
  #objects = 0
  #unnamed = 0
  readonly #firstUnnamed: string[] = []
  #wrong = 0
  readonly #firstWrong: WrongObject[] = []

  addObjects(count: number): void {
    this.#objects += count
  }

  addUnnamed(keys: readonly string[]): void {
    this.#unnamed += keys.length
    this.#firstUnnamed.push(...keys.slice(0, MAX_SHOWN - this.#firstUnnamed.length))
  }

  addWrong(key: string, fault: ObjectFault): void {
    this.#wrong += 1
    if (this.#firstWrong.length < MAX_SHOWN) {
      this.#firstWrong.push({ key, fault })
    }
  }

  get objects(): number {
    return this.#objects
  }

  result(): VerifiedBucket {
    return {
      objects: this.#objects,
      unnamed: this.#unnamed,
      first_unnamed: this.#firstUnnamed,
      wrong: this.#wrong,
      first_wrong: this.#firstWrong
    }
  }
}

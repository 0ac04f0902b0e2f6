const FIRST_SIZE = 16_384

/** The largest mark, as a mark has one byte. */
const LAST_MARK = 255

const UNSEEN = 0

/**
 * The subjects that were seen at the current point. Subjects are integers from 0 with few gaps.
 * Each has one byte, so that those of a large project fit into the processor's cache: they are
 * looked up at random places.
 */
export class Seen {
  /** The mark of the point at which each subject was last seen. */
  #marks = new Uint8Array(FIRST_SIZE)
  /** The mark of the current point. */
  #mark = UNSEEN + 1

  /** Adds a subject. @returns whether it is new */
  add(subject: number): boolean {
    this.#makeRoom(subject)
    const isNew = this.#marks[subject] !== this.#mark
    this.#marks[subject] = this.#mark
    return isNew
  }

  /**
   * Adds the subjects from index `from` up to but not including `until`; skips negative ones.
   * @returns how many are new
   */
  addEach(subjects: Int32Array, from: number, until: number): number {
    const mark = this.#mark
    let marks = this.#marks
    let added = 0
    for (let i = from; i < until; i += 1) {
      const subject = subjects[i] ?? -1
      if (subject >= marks.length) {
        marks = this.#makeRoom(subject)
      }
      if (subject >= 0 && marks[subject] !== mark) {
        marks[subject] = mark
        added += 1
      }
    }
    return added
  }

  /** Forgets all subjects: begins the next point. */
  clear(): void {
    if (this.#mark === LAST_MARK) {
      this.#marks.fill(UNSEEN)
      this.#mark = UNSEEN
    }
    this.#mark += 1
  }

  #makeRoom(subject: number): Uint8Array<ArrayBuffer> {
    const { length } = this.#marks
    if (subject >= length) {
      const larger = new Uint8Array(Math.max(subject + 1, length * 2))
      larger.set(this.#marks)
      this.#marks = larger
    }
    return this.#marks
  }
}

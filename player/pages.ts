import type { Snapshot } from './read.ts'

/** rrweb's numbers. */
const [FULL_SNAPSHOT, INCREMENTAL, META] = [2, 3, 4]
const RESIZE = 4

/** Size of a page until a recording says another, pixels. */
const SIZE = { width: 1280, height: 800 }

export const hasPage = (some: Snapshot[]): boolean =>
  some.some(({ type }) => type === FULL_SNAPSHOT)

/** Longest time from the record of a page's size to the page, ms; mostly it is some milliseconds. */
const NEAR = 1_000

/**
 * Prepares the snapshots of one window for the replay. It begins with the first page: nothing is shown before. rrweb expects
 * the size of a page in front of each page, and only there: it looks for it to find the page at which to begin after a jump.
 */
export class Pages {
  #size = SIZE
  /** When the size was recorded, ms UTC. */
  #sizedAt = Number.NEGATIVE_INFINITY
  #start: number | undefined
  #opening = 0

  /** The earliest time, ms from the start, at which a jump shows the first page. */
  get opening(): number {
    return this.#opening
  }

  /** Start of the first page, ms UTC. */
  get start(): number | undefined {
    return this.#start
  }

  /** Prepares the snapshots that follow those before. */
  prepare(snapshots: Snapshot[]): Snapshot[] {
    return snapshots.flatMap((snapshot) => this.#prepareOne(snapshot))
  }

  #prepareOne(snapshot: Snapshot): Snapshot[] {
    const { type, timestamp, data, ...rest } = snapshot
    if (type === META) {
      this.#size = { width: Number(data.width), height: Number(data.height) }
      this.#sizedAt = timestamp
    }
    if (type === FULL_SNAPSHOT) {
      const begun = timestamp - this.#sizedAt <= NEAR ? this.#sizedAt : timestamp
      this.#opening ||= timestamp - begun + 1
      this.#start ??= begun
      return [
        { ...rest, type: META, timestamp: begun, data: { href: '', ...this.#size } },
        snapshot
      ]
    }
    if (this.#start === undefined) {
      return []
    }
    return type === META
      ? [{ ...rest, type: INCREMENTAL, timestamp, data: { source: RESIZE, ...this.#size } }]
      : [snapshot]
  }
}

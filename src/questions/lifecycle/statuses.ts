import { isPersonNumber } from '../../columns/actor-numbers.ts'
import { NumberMap } from '../../columns/number-map.ts'
import type { Piece, Rows, Sink } from '../../trends/maths/accumulator.ts'

/** What a person can be in a bucket, in the order of the answer. */
export const STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const
export type LifecycleStatus = (typeof STATUSES)[number]

/** Gets the status of a person who is active in a bucket, once for each such bucket. */
export type NoteStatus = (
  status: Exclude<LifecycleStatus, 'dormant'>,
  bucket: number,
  actor: number
) => void

/**
 * Finds the status of each person in each bucket in which the person is active. Leaves out actors
 * without a person.
 *
 * | status | in the bucket before | earlier |
 * |---|---|---|
 * | returning | active | |
 * | new | not active | not active, and not created |
 * | resurrecting | not active | active or created |
 */
export class Statuses implements Sink {
  readonly #creations: NumberMap
  readonly #note: NoteStatus
  /** The last bucket in which each actor was active, counted from 1; 0 for none. */
  readonly #last = new NumberMap()

  /**
   * @param creations the bucket in which each person was created, counted from 1; 0 for a person who
   * was created before all buckets
   */
  constructor(creations: NumberMap, note: NoteStatus) {
    this.#creations = creations
    this.#note = note
  }

  add({ groups, subjects }: Rows, from: number, until: number, { point }: Piece): void {
    for (let i = from; i < until; i += 1) {
      const group = groups ? (groups[i] ?? -1) : 0
      const actor = subjects[i] ?? -1
      if (group >= 0 && isPersonNumber(actor)) {
        this.#see(actor, point)
      }
    }
  }

  #see(actor: number, bucket: number): void {
    const last = this.#last.get(actor)
    if (last === bucket + 1) {
      return
    }
    this.#last.set(actor, bucket + 1)
    if (last === 0) {
      this.#note(this.#creations.get(actor) > bucket ? 'new' : 'resurrecting', bucket, actor)
    } else {
      this.#note(last === bucket ? 'returning' : 'resurrecting', bucket, actor)
    }
  }
}

/** Counts the persons of each status in each bucket; dormant ones are negative. */
export class StatusCounts {
  readonly #counts: Record<'new' | 'returning' | 'resurrecting', Int32Array>

  constructor(buckets: number) {
    this.#counts = {
      new: new Int32Array(buckets),
      returning: new Int32Array(buckets),
      resurrecting: new Int32Array(buckets)
    }
  }

  readonly note: NoteStatus = (status, bucket) => {
    const counts = this.#counts[status]
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }

  /** Returns the numbers of each status from a bucket on. */
  from(first: number): Record<LifecycleStatus, number[]> {
    const { new: fresh, returning, resurrecting } = this.#counts
    // Everybody who was active in the bucket before, and did not return.
    const dormant = Array.from(returning, (stayed, i) => {
      const before = (fresh[i - 1] ?? 0) + (returning[i - 1] ?? 0) + (resurrecting[i - 1] ?? 0)
      return stayed - before
    })
    return {
      new: [...fresh.subarray(first)],
      returning: [...returning.subarray(first)],
      resurrecting: [...resurrecting.subarray(first)],
      dormant: dormant.slice(first)
    }
  }
}

import { SLOT } from '../rollups/store.ts'
import type { Slots } from './codec.ts'
import type { Column } from './column.ts'

/** The events of a project with one name, or with any name if it is null. */
export type Source = { projectId: number; event: string | null }

/** The columns to read of events. */
export type Wanted = {
  /** Times to the millisecond. Without them, only the slot of each event is known. */
  times: boolean
  identities: boolean
  /** The versions of persons. Only with `identities`, because a version may be given as a number within the event's identity. */
  versions: boolean
  sessions: boolean
  /** Names of event properties. */
  properties: readonly string[]
  /** Whether batches must not overlap, so that all events come in the order of time and uuid, whatever their names. */
  inOrder: boolean
}

/** Events in the order of time, as columns. A column that is not wanted is empty. */
export type Batch = {
  length: number
  /** A time at or before the first event, ms UTC. */
  since: number
  place: Place
  /** Keys of the identities. */
  identities: Uint32Array
  /** Ids of rows in `person_versions`, possibly shortened by `toShort`. */
  versions: Column
  /** Ids that SDKs gave the sessions. */
  sessions: Column
  properties: ReadonlyMap<string, Column>
}

/** Returns the index of the first event of a batch at or after a time. */
export type Place = (time: number) => number

/** A column without any value. */
export const emptyColumn = (length: number): Column => ({
  codes: new Uint8Array(length),
  values: [null]
})

/** Finds places among the sorted times of events. */
export const placeByTimes =
  (times: ArrayLike<number>): Place =>
  (time) =>
    lowerBound(times, time)

/** Finds the places of times that begin a slot, from the number of events up to the end of each slot. */
export const placeBySlots =
  ({ slots, ends }: Slots): Place =>
  (time) =>
    ends[lowerBound(slots, time / SLOT) - 1] ?? 0

/** Returns the index of the first of some sorted numbers that is not less than a limit. */
export function lowerBound(sorted: ArrayLike<number>, limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) < limit) {
      low = middle + 1
    } else {
      high = middle
    }
  }
  return low
}

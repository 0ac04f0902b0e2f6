import type { Json } from '../input/json.ts'
import type { Slots } from './codec.ts'
import type { Column } from './column.ts'
import { SLOT } from './slots/store.ts'

/** The events of a project with one name, or with any name if it is null. */
export type EventScope = { projectId: number; event: string | null }

/** A span of time, ms UTC; `until` is not in it. */
export type Span = { since: number; until: number }

/** The columns to read of events. */
export type WantedColumns = {
  /** The names of events. */
  names?: boolean
  /** Times to the millisecond. Without them, only the slot of each event is known. */
  times: boolean
  identities: boolean
  /**
   * The versions of persons. Only with `identities`, because a version may be given as a number
   * within the event's identity.
   */
  versions: boolean
  sessions: boolean
  /** Names of event properties. */
  properties: readonly string[]
  /** The UUIDs of events, which only rows have. */
  uuids?: boolean
  /** All properties of events as JSON texts, which only rows have. */
  bodies?: boolean
  /** Whether all events must come in the order of time and uuid, so that no batches overlap. */
  inOrder: boolean
}

/** Events as columns. A column that is not wanted is empty. */
export type EventColumns = {
  length: number
  /** Ids of the events' names, rows of `event_names`; empty unless wanted. */
  names?: Column
  /** Keys of the identities. */
  identities: Uint32Array
  /** Ids of rows in `person_versions`, possibly shortened by `toShort`. */
  versions: Column
  /** Ids that SDKs gave the sessions. */
  sessions: Column
  properties: ReadonlyMap<string, Column>
  /** The UUIDs of events in hexadecimal; empty unless wanted. */
  uuids?: readonly string[]
  /** All properties of events as JSON texts; empty unless wanted. */
  bodies?: readonly string[]
}

/** Events in the order of time. */
export type Batch = EventColumns & {
  /** A time at or before the first event, ms UTC. */
  since: number
  /** The time of each event, ms UTC; empty unless wanted. */
  times: Float64Array
  place: PlaceOfTime
}

/** Returns the index of the first event of a batch at or after a time. */
export type PlaceOfTime = (time: number) => number

/** A column without any value. */
export const emptyColumn = (length: number): Column => ({
  codes: new Uint8Array(length),
  values: [null]
})

/** Returns those events of a batch that lie in a span of time, with only their values. */
export function clip(batch: Batch, { since, until }: Span): Batch {
  const [from, end] = [batch.place(since), batch.place(until)]
  if (from === 0 && end === batch.length) {
    return batch
  }
  const length = end - from
  const times = batch.times.slice(from, end)
  const cut = (column: Column) => cutColumn(column, from, end)
  return {
    length,
    since: Math.max(batch.since, since),
    times,
    place:
      times.length > 0
        ? placeByTimes(times)
        : (time) => Math.max(0, Math.min(batch.place(time) - from, length)),
    ...(batch.names && { names: cut(batch.names) }),
    identities: batch.identities.slice(from, end),
    versions: cut(batch.versions),
    sessions: cut(batch.sessions),
    properties: new Map([...batch.properties].map(([key, column]) => [key, cut(column)])),
    ...(batch.uuids && { uuids: batch.uuids.slice(from, end) }),
    ...(batch.bodies && { bodies: batch.bodies.slice(from, end) })
  }
}

/** Returns a part of a column's rows; a column that is not wanted stays empty. */
function cutColumn({ codes, values }: Column, from: number, end: number): Column {
  const places = new Map<number, number>()
  const kept: Json[] = []
  const cut = codes.slice(from, end)
  for (const [i, code] of cut.entries()) {
    const place = places.get(code) ?? places.size
    if (place === places.size) {
      places.set(code, place)
      kept.push(values[code] ?? null)
    }
    cut[i] = place
  }
  return { codes: cut, values: kept.length > 0 ? kept : [null] }
}

/** Finds places among the sorted times of events. */
export const placeByTimes =
  (times: ArrayLike<number>): PlaceOfTime =>
  (time) =>
    lowerBound(times, time)

/** Finds the places of times that begin a slot, from the events up to each slot's end. */
export const placeBySlots =
  ({ slots, ends }: Slots): PlaceOfTime =>
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

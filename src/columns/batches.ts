import {
  type Batch,
  clip,
  emptyColumn,
  placeBySlots,
  placeByTimes,
  type Span,
  type WantedColumns
} from './batch.ts'
import type { Slots } from './codec.ts'
import { toColumn } from './dictionary.ts'
import type { Segment } from './overview.ts'
import type { RowColumns } from './read.store.ts'
import type { Columns } from './sealed.ts'
import { SLOT } from './slots/store.ts'

/** Returns the events of a segment that lie in a section. */
export function segmentToBatch(
  { count, since, slots, eventId }: Segment,
  columns: Columns,
  wanted: WantedColumns,
  section: Span
): Batch {
  const column = (name: string) => {
    const found = columns.get(name)
    return found && 'codes' in found ? found : emptyColumn(count)
  }
  const numbers = (name: string) => {
    const found = columns.get(name)
    return found instanceof Uint32Array ? found : new Uint32Array()
  }
  const times = wanted.times ? timesOf(slots, numbers('time')) : new Float64Array()
  const whole = {
    length: count,
    since,
    times,
    place: wanted.times ? placeByTimes(times) : placeBySlots(slots),
    ...(wanted.names && { names: { codes: new Uint8Array(count), values: [eventId] } }),
    identities: wanted.identities ? numbers('identity') : new Uint32Array(),
    versions: wanted.versions ? column('version') : emptyColumn(0),
    sessions: wanted.sessions ? column('session') : emptyColumn(0),
    properties: new Map(wanted.properties.map((key) => [key, column(`event:${key}`)]))
  }
  return clip(whole, section)
}

/** Returns the time of each event, from its distance to the beginning of its slot. */
function timesOf({ slots, ends }: Slots, offsets: Uint32Array): Float64Array {
  const times = new Float64Array(offsets.length)
  let i = 0
  for (const [at, slot] of slots.entries()) {
    for (const end = ends[at] ?? 0; i < end; i += 1) {
      times[i] = slot * SLOT + (offsets[i] ?? 0)
    }
  }
  return times
}

/** Returns rows as a batch; they are in the order of time. */
export const rowsToBatch = (rows: RowColumns, wanted: WantedColumns): Batch => ({
  length: rows.length,
  since: rows.times[0] ?? 0,
  times: wanted.times ? Float64Array.from(rows.times) : new Float64Array(),
  place: placeByTimes(rows.times),
  ...(rows.names && { names: toColumn(rows.names) }),
  identities: Uint32Array.from(rows.identities ?? []),
  versions: rows.versions ? toColumn(rows.versions) : emptyColumn(rows.length),
  sessions: rows.sessions ? toColumn(rows.sessions) : emptyColumn(rows.length),
  properties: new Map(wanted.properties.map((key, i) => [key, toColumn(rows.properties[i] ?? [])])),
  ...(rows.uuids && { uuids: rows.uuids }),
  ...(rows.bodies && { bodies: rows.bodies })
})

/** Sorts rows by their times: those of several names come name by name. */
export function sortRows(rows: RowColumns): RowColumns {
  const { times } = rows
  if (times.every((time, i) => i === 0 || (times[i - 1] ?? 0) <= time)) {
    return rows
  }
  const order = times.map((_, i) => i).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0))
  // The cast is safe, because each list has a value for each time.
  const sort = <Value>(values: readonly Value[]) => order.map((i) => values[i] as Value)
  return {
    length: rows.length,
    times: sort(times),
    names: rows.names && sort(rows.names),
    identities: rows.identities && sort(rows.identities),
    versions: rows.versions && sort(rows.versions),
    sessions: rows.sessions && sort(rows.sessions),
    uuids: rows.uuids && sort(rows.uuids),
    bodies: rows.bodies && sort(rows.bodies),
    properties: rows.properties.map(sort)
  }
}

import type { Db } from '../db/client.ts'
import { toId } from '../db/version-id.ts'
import { pause } from '../turns.ts'
import { SegmentBuilder, type SegmentContent } from './build.ts'
import {
  DamageError,
  decodeColumn,
  decodeNames,
  decodeNumbers,
  decodeSlots,
  toSlotCounts
} from './codec.ts'
import type { Column } from './column.ts'
import { CopiedProperties } from './copied-properties.ts'
import type { CopyBuilder, CopyVerifier, EncodedCopy } from './copy.ts'
import { discardSegment } from './damage.store.ts'
import { inPages, type Pace, READ_AT_ONCE } from './pace.ts'
import { placeOfCold, placeOfColumn, placeOfSlots } from './places.ts'
import { MAX_SEGMENT_EVENTS } from './plan.ts'
import { PROPERTY } from './read.store.ts'
import {
  abandonSegment,
  type BuildingSegment,
  beginSegment,
  type EventPlace,
  openSegment,
  type PlacedEvent,
  type PlannedSegment,
  readSegmentRows,
  type SegmentCopy,
  sampleSegments,
  sealSegment,
  writeSegment
} from './seal.store.ts'
import { SLOT } from './slots/store.ts'

/**
 * Segments. Triggers note every event that is stored in the range in `late_events`, and remove the
 * segment when an event of the range is removed or changed. A segment is sealed only if it still
 * exists and has no late event: then no row of the range has changed since its build began.
 * Segments of one event name never overlap and ids are never used twice, so no other run writes
 * columns of this id.
 *
 * An interrupted run leaves an unsealed segment. A run that seals the range at least ten minutes
 * later removes that segment; the interrupted run, if it is still working, then finds its segment
 * gone.
 */
export const SEGMENTS: CopyBuilder<PlannedSegment, BuildingSegment, SegmentContent> &
  CopyVerifier<number, SegmentCopy> = {
  begin: beginSegment,
  encode: encodeSegment,
  write: writeSegment,
  finish: sealSegment,
  sample: sampleSegments,
  open: openSegment,
  findDifference,
  discard: (db, { id }) => discardSegment(db, id)
}

/** Rows added to a segment at a time: 3 to 5 ms. */
const ADDED_AT_ONCE = 500

/**
 * Maximum number of bytes of properties read for a segment: 4 kB for each of 32,768 events. A
 * segment with more gets no columns of properties, so that building it ends within one invocation.
 */
const MAX_SEGMENT_BYTES = 4_096 * MAX_SEGMENT_EVENTS

async function encodeSegment(
  db: Db,
  segment: BuildingSegment,
  pace: Pace
): Promise<EncodedCopy<SegmentContent> | undefined> {
  const kind = { project_id: segment.projectId, event_id: segment.eventId }
  const builder = new SegmentBuilder()
  let bytes = 0
  const read = (after: EventPlace) => {
    const withProperties = bytes <= MAX_SEGMENT_BYTES
    if (!withProperties) {
      builder.leaveOutProperties()
    }
    return readSegmentRows(db, kind, { after, until: segment.until, withProperties }, READ_AT_ONCE)
  }
  for await (const events of inPages(pace, beginningOf(segment), read)) {
    for (let at = 0; at < events.length; at += ADDED_AT_ONCE) {
      builder.add(events.slice(at, at + ADDED_AT_ONCE))
      await pause(0)
    }
    bytes += events.reduce((sum, { properties }) => sum + (properties?.length ?? 0), 0)
  }
  if (builder.count === 0) {
    await abandonSegment(db, segment)
    return undefined
  }
  return builder.finish(segment)
}

/** The place before all events of a segment. */
const beginningOf = ({ since }: { since: number }): EventPlace => ({ timestamp: since, uuid: '' })

/** Returns the name of a column that differs, or `count` or `cold`. */
async function findDifference(
  db: Db,
  segment: SegmentCopy,
  pace: Pace
): Promise<string | undefined> {
  const copied = new CopiedEvents(segment)
  const { id: without, until, count } = segment
  const read = (after: EventPlace) =>
    readSegmentRows(db, segment, { after, until, withProperties: true, without }, READ_AT_ONCE)
  let row = 0
  for await (const events of inPages(pace, beginningOf(segment), read)) {
    for (const event of events) {
      const column = row < count ? copied.findDifference(row, event) : 'count'
      if (column !== undefined) {
        return column
      }
      row += 1
    }
  }
  return row === count ? undefined : 'count'
}

/** The events of a segment as its columns have them. */
class CopiedEvents {
  readonly #times: number[]
  readonly #identities: Uint32Array
  readonly #versions: Column | undefined
  readonly #sessions: Column | undefined
  readonly #properties: CopiedProperties

  /** @throws DamageError when a column is missing or damaged */
  constructor(segment: SegmentCopy) {
    const { project_id: projectId, event_id: eventId, count, cold } = segment
    const data = new Map(segment.columns.map((column) => [column.name, column.data]))
    const numbersOf = (name: string) =>
      decodeNumbers(data.get(name) ?? '', placeOfColumn(segment, name))
    const offsets = numbersOf('time')
    const slots = decodeSlots(segment.slots, placeOfSlots({ ...segment, projectId, eventId }))
    const starts = toSlotCounts(slots).flatMap(({ slot, count: events }) =>
      Array<number>(events).fill(slot * SLOT)
    )
    this.#times = starts.map((start, i) => start + (offsets[i] ?? Number.NaN))
    this.#identities = numbersOf('identity')
    const columns = new Map(
      [...data]
        .filter(([name]) => name !== 'time' && name !== 'identity')
        .map(([name, text]) => [name, decodeColumn(text, count, placeOfColumn(segment, name))])
    )
    this.#versions = columns.get('version')
    this.#sessions = columns.get('session')
    if (!this.#versions || offsets.length !== count || this.#identities.length !== count) {
      throw new DamageError('A column is missing or has another length.')
    }
    const ofProperties = new Map(
      [...columns]
        .filter(([name]) => name.startsWith(PROPERTY))
        .map(([name, column]) => [name.slice(PROPERTY.length), column])
    )
    const place = placeOfCold(segment, [...ofProperties.keys()])
    this.#properties = new CopiedProperties(
      ofProperties,
      cold === null ? undefined : decodeNames(cold, place)
    )
  }

  findDifference(row: number, event: PlacedEvent): string | undefined {
    const version = valueAt(this.#versions, row)
    const id = typeof version === 'number' ? toId(version, event.identity) : version
    const isSameIn = {
      time: this.#times[row] === event.timestamp,
      identity: this.#identities[row] === event.identity,
      version: id === event.version,
      // Sessions that would make too large a column have none.
      session: !this.#sessions || valueAt(this.#sessions, row) === event.session_id
    }
    const [wrong] = Object.entries(isSameIn).find(([, isSame]) => !isSame) ?? []
    return wrong ?? this.#properties.findDifference(row, event.properties)
  }
}

const valueAt = (column: Column | undefined, row: number) =>
  column?.values[column.codes[row] ?? 0] ?? null

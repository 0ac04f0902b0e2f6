import { joinReads, mapRead, type Read, runRead } from '../db/batch.ts'
import { type Db, isTooBig } from '../db/client.ts'
import { UnavailableError } from '../errors.ts'
import { type EventScope, emptyColumn, type WantedColumns } from './batch.ts'
import { Recent, type Scan } from './cache.ts'
import { decodeColumn, decodeNames, decodeNumbers, unlessDamaged } from './codec.ts'
import type { Column } from './column.ts'
import { type Damaged, discardDamaged } from './damage.ts'
import { type KnownSegment, planOverview } from './overview.store.ts'
import type { Overview, Segment, SegmentKey } from './overview.ts'
import { placeOfCold, placeOfColumn } from './places.ts'
import {
  type AskedSegment,
  type Cold,
  PROPERTY,
  type RowColumns,
  readSegments,
  type Sealed
} from './read.store.ts'

/*
 * Caches of segments. The content of a segment never changes, and no other segment has its token,
 * `build`, so a cached column serves every later request. The list of segments is read for each
 * request.
 */

/** Columns, by token and name. */
const keptColumns = new Recent<Column | Uint32Array>()
/** The known segments of each source, by token. */
const keptSegments = new Recent<ReadonlyMap<string, KnownSegment>>()

/** Memory that a known segment takes without its slots, with its entry in a map, bytes. */
const SEGMENT_BYTES = 200
/** Memory that a slot takes: its number and the count of events, bytes. */
const SLOT_BYTES = 8

/** The events of a source in a range of time. */
export type Stretch = EventScope & { since: number; until: number }

/** The overview of each stretch, by `keyOfStretch`. */
export type Overviews = ReadonlyMap<string, Overview>

export const keyOfStretch = ({ projectId, event, since, until }: Stretch): string =>
  JSON.stringify([projectId, event, since, until])

/** Plans a read of the overviews of some stretches. */
export function planOverviews(stretches: readonly Stretch[]): Read<Overviews> {
  const wanted = new Map(stretches.map((stretch) => [keyOfStretch(stretch), stretch]))
  const reads = [...wanted].map(([key, stretch]) =>
    mapRead(planStretch(stretch), (overview) => [key, overview] as const)
  )
  return mapRead(joinReads(reads), (entries) => new Map(entries))
}

/**
 * Reads the overviews of the stretches that `found` lacks. Returns them together with those in
 * `found`. Discards damaged segments, and reads the overviews that had them again. @throws
 * unavailable when a damaged segment cannot be discarded
 */
export async function findOverviews(
  db: Db,
  stretches: readonly Stretch[],
  found: Overviews = new Map()
): Promise<Overviews> {
  const overviews = await readMissing(db, stretches, found)
  const segments = damagedIn(overviews)
  if (segments.length === 0) {
    return overviews
  }
  await discardDamaged(
    db,
    segments.map((segment) => ({ kind: 'segment', segment, text: 'slots' }))
  )
  const intact = [...overviews].filter(([, { damaged }]) => damaged.length === 0)
  const again = await readMissing(db, stretches, new Map(intact))
  if (damagedIn(again).length > 0) {
    throw new UnavailableError('Damaged columns cannot be discarded now. Try again.')
  }
  return again
}

function damagedIn(overviews: Overviews): SegmentKey[] {
  const damaged = [...overviews.values()].flatMap((overview) => overview.damaged)
  return [...new Map(damaged.map((segment) => [segment.id, segment])).values()]
}

async function readMissing(
  db: Db,
  stretches: readonly Stretch[],
  found: Overviews
): Promise<Overviews> {
  const missing = stretches.filter((stretch) => !found.has(keyOfStretch(stretch)))
  return missing.length === 0
    ? found
    : new Map([...found, ...(await runRead(db, planOverviews(missing)))])
}

function planStretch({ projectId, event, since, until }: Stretch): Read<Overview> {
  const key = JSON.stringify([projectId, event])
  const known = keptSegments.get(key) ?? new Map()
  return mapRead(planOverview({ projectId, event }, { since, until }, known), (overview) => {
    keepSegments(key, { since, until }, overview)
    return overview
  })
}

/** Caches an overview's segments in place of those that were cached in its range. */
function keepSegments(
  key: string,
  range: { since: number; until: number },
  overview: Overview
): void {
  const isOutside = ({ since, until }: KnownSegment) => until <= range.since || since >= range.until
  const known = [...(keptSegments.get(key) ?? [])].filter(([, segment]) => isOutside(segment))
  const found = overview.segments.map(
    ({ build, eventId, since, until, count, slots }) =>
      [build, { eventId, since, until, count, slots }] as const
  )
  const segments = new Map([...known, ...found])
  let bytes = key.length
  for (const { slots } of segments.values()) {
    bytes += SEGMENT_BYTES + SLOT_BYTES * slots.slots.length
  }
  keptSegments.set(key, segments, bytes)
}

/** Decoded columns of a segment, by name: lists of numbers for identities and times. */
export type Columns = ReadonlyMap<string, Column | Uint32Array>

/** The wanted columns of a segment, and the events that were stored after it was sealed. */
export type SealedEvents = { columns: Columns; late: RowColumns | undefined }

const namesOf = ({
  times,
  identities,
  versions,
  sessions,
  properties
}: WantedColumns): string[] => [
  ...(times ? ['time'] : []),
  ...(identities ? ['identity'] : []),
  ...(versions ? ['version'] : []),
  ...(sessions ? ['session'] : []),
  ...properties.map((key) => `${PROPERTY}${key}`)
]

/**
 * Reads the wanted columns and the late events of some segments, by the segments' ids. Leaves out
 * segments that are gone, that lack a column for values that their events have, whose late events
 * are too many for one answer of D1, or that are damaged; the damaged ones are discarded. Only
 * columns that are not cached are read from the database; a segment with all columns cached and no
 * late events is not looked up, so it may be gone since the overview was read.
 */
export async function readSealed(
  scan: Scan,
  segments: readonly Segment[],
  wanted: WantedColumns
): Promise<Map<number, SealedEvents>> {
  const names = namesOf(wanted)
  const known = segments.map((segment) => ({ segment, kept: findKept(segment, names) }))
  const asked = known
    .map(({ segment: { id, late }, kept }) => ({
      id,
      isLate: late.length > 0,
      columns: names.filter((name) => !kept.has(name))
    }))
    .filter(({ columns, isLate }) => columns.length > 0 || isLate)
  const askedIds = new Set(asked.map(({ id }) => id))
  const found = await readAsked(scan, asked, wanted)
  const read = new Map<number, SealedEvents>()
  const damaged: Damaged[] = []
  for (const { segment, kept } of known) {
    const sealed = found.get(segment.id)
    if (!sealed) {
      if (!askedIds.has(segment.id)) {
        read.set(segment.id, { columns: kept, late: undefined })
      }
      continue
    }
    const opened = open(scan, segment, sealed, { names, kept })
    if ('damaged' in opened) {
      damaged.push({ kind: 'segment', segment, text: opened.damaged })
      continue
    }
    // A segment has no column of session ids if it would be too large: see `MAX_SESSIONS_BYTES`.
    if (!wanted.sessions || opened.columns.has('session')) {
      read.set(segment.id, { columns: opened.columns, late: sealed.late })
    }
  }
  await discardDamaged(scan.db, damaged)
  return read
}

/**
 * Reads some segments, in halves if D1 finds the answer too large. Leaves out a segment with too
 * many late events for an answer.
 */
async function readAsked(
  scan: Scan,
  asked: readonly AskedSegment[],
  wanted: WantedColumns
): Promise<Map<number, Sealed>> {
  if (asked.length === 0) {
    return new Map()
  }
  try {
    return await readSegments(scan.db, scan.projectId, asked, wanted)
  } catch (error) {
    if (!isTooBig(error)) {
      throw error
    }
    const [only, ...others] = asked
    if (others.length === 0) {
      if (only?.isLate) {
        return new Map()
      }
      throw error
    }
    const middle = Math.ceil(asked.length / 2)
    return new Map([
      ...(await readAsked(scan, asked.slice(0, middle), wanted)),
      ...(await readAsked(scan, asked.slice(middle), wanted))
    ])
  }
}

const keyOf = ({ build }: Segment, name: string): string => `${build} ${name}`

const findKept = (segment: Segment, names: readonly string[]): Columns =>
  new Map(
    names.flatMap((name) => {
      const column = keptColumns.get(keyOf(segment, name))
      return column ? [[name, column] as const] : []
    })
  )

/**
 * Decodes and caches the columns that were read of a segment, and an empty column for each wanted
 * property that no event of the segment has.
 * @returns these and the kept columns, or the name of a column that is damaged or missing, or
 * `cold` if the list of the other properties is damaged
 */
function open(
  { since }: Scan,
  segment: Segment,
  { encoded, cold }: Sealed,
  { names, kept }: { names: readonly string[]; kept: Columns }
): { columns: Columns } | { damaged: string } {
  const columns = new Map(kept)
  for (const [name, text] of encoded) {
    const column = unlessDamaged(() => decode(segment, name, text))
    if (!column) {
      return { damaged: name }
    }
    columns.set(name, column)
    keptColumns.set(keyOf(segment, name), column, bytesOf(name, column, text), since)
  }
  const missing = names.filter((name) => !columns.has(name) && name !== 'session')
  const stored = missing.find((name) => !name.startsWith(PROPERTY))
  if (stored !== undefined || (missing.length > 0 && !isIntact(segment, cold))) {
    return { damaged: stored ?? 'cold' }
  }
  for (const name of missing) {
    const column = emptyColumn(segment.count)
    columns.set(name, column)
    keptColumns.set(keyOf(segment, name), column, column.codes.byteLength, since)
  }
  return { columns }
}

/** @throws DamageError */
function decode(segment: Segment, name: string, text: string): Column | Uint32Array {
  const place = placeOfColumn(segment, name)
  return name === 'time' || name === 'identity'
    ? decodeNumbers(text, place)
    : decodeColumn(text, segment.count, place)
}

/** Returns the memory that a column takes, bytes: 8 for a number, about 2 for a character. */
function bytesOf(name: string, column: Column | Uint32Array, text: string): number {
  if (column instanceof Uint32Array) {
    return column.byteLength
  }
  const { codes, values } = column
  const ofValues = name === 'version' ? 8 * values.length : 2 * text.length + 16 * values.length
  return codes.byteLength + ofValues
}

/** Whether the list of properties without a column is intact, and no column is missing. */
const isIntact = (segment: Segment, cold: Cold | undefined): boolean =>
  cold !== undefined &&
  unlessDamaged(() => decodeNames(cold.data, placeOfCold(segment, cold.withColumn))) !== undefined

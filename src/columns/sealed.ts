import { joinReads, mapRead, type Read, runRead } from '../db/batch.ts'
import type { Db } from '../db/client.ts'
import type { Source, Wanted } from './batch.ts'
import { decodeColumn, decodeNumbers, type Slots } from './codec.ts'
import type { Column } from './column.ts'
import { planOverview } from './overview.store.ts'
import type { Overview, Segment } from './overview.ts'
import { type AskedSegment, type Rows, readSegments, type Sealed } from './read.store.ts'
import { Recent } from './recent.ts'

/*
 * Caches of segments. The content of a segment never changes, and no other segment has its token, so a cached column serves
 * every later request. The list of segments is read for each request.
 */
const keptValues = new Recent<Column>()
/** Identities and times. */
const keptNumbers = new Recent<Uint32Array>()
/** The slots of the segments that a source last had, by token. */
const keptSlots = new Recent<ReadonlyMap<string, Slots>>()

/** Memory that the token of a segment takes, with its entry in a map, bytes. */
const TOKEN_BYTES = 100
/** Memory that a slot takes: its number and the count of events, bytes. */
const SLOT_BYTES = 8

/** The events of a source in a range of time. */
export type Stretch = Source & { since: number; until: number }

/** Overviews by the stretch whose events they tell. */
export type Overviews = ReadonlyMap<string, Overview>

export const keyOfStretch = ({ projectId, event, since, until }: Stretch): string =>
  JSON.stringify([projectId, event, since, until])

/** Plans a read of the overviews of some stretches. */
export function planOverviews(stretches: readonly Stretch[]): Read<Overviews> {
  const wanted = new Map(stretches.map((stretch) => [keyOfStretch(stretch), stretch]))
  const read = joinReads([...wanted.values()].map(planKept))
  return mapRead(
    read,
    (overviews) =>
      new Map([...wanted.keys()].flatMap((key, i) => (overviews[i] ? [[key, overviews[i]]] : [])))
  )
}

/** Reads the overviews of some stretches in one round trip, unless they are among those that were found before. */
export async function findOverviews(
  db: Db,
  stretches: readonly Stretch[],
  found: Overviews = new Map()
): Promise<Overviews> {
  const missing = stretches.filter((stretch) => !found.has(keyOfStretch(stretch)))
  return missing.length === 0
    ? found
    : new Map([...found, ...(await runRead(db, planOverviews(missing)))])
}

/** Plans a read of where the events of a stretch are, without the slots that are kept. */
function planKept({ projectId, event, since, until }: Stretch): Read<Overview> {
  const key = JSON.stringify([projectId, event])
  const known = keptSlots.get(key) ?? new Map()
  return mapRead(planOverview({ projectId, event }, { since, until }, known), (overview) => {
    keepSlots(key, overview)
    return overview
  })
}

function keepSlots(key: string, overview: Overview): void {
  const segments = overview.names.flatMap((name) => name.segments)
  const bytes = segments.map(({ slots }) => TOKEN_BYTES + SLOT_BYTES * slots.slots.length)
  keptSlots.set(
    key,
    new Map(segments.map(({ build, slots }) => [build, slots])),
    bytes.reduce((sum, one) => sum + one, key.length)
  )
}

/** Decoded columns of a segment, by name. */
export type Columns = { values: Map<string, Column>; numbers: Map<string, Uint32Array> }

/** The columns that were read of a segment, and the events that were stored after it was sealed. */
export type SealedEvents = { columns: Columns; late: Rows | undefined }

/** Returns the names of the columns with the wanted values. */
const valuesOf = ({ versions, sessions, properties }: Wanted): string[] => [
  ...(versions ? ['version'] : []),
  ...(sessions ? ['session'] : []),
  ...properties.map((key) => `event:${key}`)
]
const numbersOf = ({ times, identities }: Wanted): string[] => [
  ...(times ? ['time'] : []),
  ...(identities ? ['identity'] : [])
]

/**
 * Reads the wanted columns of some segments. Leaves out segments that are gone or lack a column. Only columns that are not
 * cached are read from the database; a segment with all columns cached is as of the overview.
 */
export async function readSealed(
  db: Db,
  projectId: number,
  segments: readonly Segment[],
  wanted: Wanted
): Promise<Map<number, SealedEvents>> {
  const kept = new Map(segments.map((segment) => [segment.id, findKept(segment, wanted)]))
  const asked = segments
    .map((segment) => askFor(segment, wanted, kept.get(segment.id) ?? newColumns()))
    .filter(({ columns, isLate }) => columns.length > 0 || isLate)
  const unread = new Set(asked.map(({ id }) => id))
  const found =
    asked.length > 0 ? await readSegments(db, projectId, asked, wanted) : new Map<number, Sealed>()
  const read = new Map<number, SealedEvents>()
  for (const segment of segments) {
    const columns = kept.get(segment.id) ?? newColumns()
    const { encoded, late } = found.get(segment.id) ?? {}
    for (const [name, text] of encoded ?? []) {
      take(segment, name, text, columns)
    }
    // Very long ids of sessions have no column.
    const isComplete = !wanted.sessions || columns.values.has('session')
    if ((encoded || !unread.has(segment.id)) && isComplete) {
      read.set(segment.id, { columns, late })
    }
  }
  return read
}

/** Returns the columns of a segment that are wanted and not cached. */
const askFor = (
  { id, late }: Segment,
  wanted: Wanted,
  { values, numbers }: Columns
): AskedSegment => ({
  id,
  isLate: late.length > 0,
  columns: [
    ...valuesOf(wanted).filter((name) => !values.has(name)),
    ...numbersOf(wanted).filter((name) => !numbers.has(name))
  ]
})

const newColumns = (): Columns => ({ values: new Map(), numbers: new Map() })

const keyOf = ({ build }: Segment, name: string): string => `${build} ${name}`

function findKept(segment: Segment, wanted: Wanted): Columns {
  const columns = newColumns()
  for (const name of valuesOf(wanted)) {
    const column = keptValues.get(keyOf(segment, name))
    if (column) {
      columns.values.set(name, column)
    }
  }
  for (const name of numbersOf(wanted)) {
    const numbers = keptNumbers.get(keyOf(segment, name))
    if (numbers) {
      columns.numbers.set(name, numbers)
    }
  }
  return columns
}

/** Decodes a column, and keeps it. */
function take(segment: Segment, name: string, text: string, { values, numbers }: Columns): void {
  const key = keyOf(segment, name)
  if (name === 'time' || name === 'identity') {
    const decoded = decodeNumbers(text)
    numbers.set(name, decoded)
    keptNumbers.set(key, decoded, decoded.byteLength)
    return
  }
  const column = decodeColumn(text, segment.count)
  values.set(name, column)
  // A list of texts takes about twice the bytes of the JSON, and some more for each; a list of numbers takes 8 bytes for each.
  const bytes = name === 'version' ? 0 : 2 * text.length + 8 * column.values.length
  keptValues.set(key, column, column.codes.byteLength + 8 * column.values.length + bytes)
}

import type { Db } from '../db/client.ts'
import { toId } from '../db/version-id.ts'
import { isObject, isSame, type Json } from '../input/json.ts'
import { pause } from '../turns.ts'
import type { ProjectChunk } from './actor-chunks.store.ts'
import {
  CHUNK,
  decodeActors,
  decodeColumn,
  decodeNames,
  decodeNumbers,
  decodeSlots,
  NO_PERSON,
  toSlotCounts,
  unlessDamaged
} from './codec.ts'
import type { Column } from './column.ts'
import { discardActors, discardSegment } from './damage.store.ts'
import { READ_AT_ONCE, REST } from './pace.ts'
import { placeOfActors, placeOfCold, placeOfColumn, placeOfSlots } from './places.ts'
import { type Place, type PlacedEvent, readEvents } from './seal.store.ts'
import { SLOT } from './slots/store.ts'
import {
  readChunk,
  readSegment,
  type SegmentRow,
  sampleChunks,
  sampleSegments
} from './verify.store.ts'
import { verifyVersions } from './verify-versions.ts'

/** Maximum number of wrong segments, and of wrong chunks of either kind, that are returned; all are counted. */
const MAX_SHOWN = 100

/** A segment that differed from its rows. `column` says where: the name of a column, or `count`, `cold` or `encoding`. */
export type WrongSegment = Pick<SegmentRow, 'project_id' | 'event_id' | 'since' | 'until'> & {
  column: string
}

export type VerifiedColumns = {
  segments: number
  wrong_segments: number
  first_segments: WrongSegment[]
  chunks: number
  wrong_chunks: number
  first_chunks: ProjectChunk[]
  version_chunks: number
  wrong_version_chunks: number
  first_version_chunks: ProjectChunk[]
}

/**
 * Compares segments, chunks of actors and chunks of versions with their rows, in random order. Wrong ones are removed, so that
 * they are not read again, and the next run rebuilds them. Events may be stored and removed, and identities may move, in the
 * meantime.
 * @param most largest number of segments, and of chunks of either kind, to compare
 * @param isSpent returns true once no further segment or chunk may be compared
 */
export async function verifyColumns(
  db: Db,
  most: number,
  isSpent: () => boolean = () => false
): Promise<VerifiedColumns> {
  const ids = await sampleSegments(db, most)
  const segments: WrongSegment[] = []
  let compared = 0
  for (const id of ids) {
    if (isSpent()) {
      break
    }
    compared += 1
    segments.push(...(await verifySegment(db, id)))
  }
  const sample = await sampleChunks(db, isSpent() ? 0 : most)
  const chunks: ProjectChunk[] = []
  for (const chunk of sample) {
    chunks.push(...(await verifyChunk(db, chunk)))
  }
  const versions = await verifyVersions(db, isSpent() ? 0 : most)
  return {
    segments: compared,
    wrong_segments: segments.length,
    first_segments: segments.slice(0, MAX_SHOWN),
    chunks: sample.length,
    wrong_chunks: chunks.length,
    first_chunks: chunks.slice(0, MAX_SHOWN),
    version_chunks: versions.compared,
    wrong_version_chunks: versions.wrong.length,
    first_version_chunks: versions.wrong.slice(0, MAX_SHOWN)
  }
}

async function verifySegment(db: Db, id: number): Promise<WrongSegment[]> {
  const read = await readSegment(db, id)
  if (!read) {
    return []
  }
  const { segment } = read
  const column = await findDifference(db, read)
  // When an event is removed, its segment goes too: a segment that is still there is wrong.
  if (column === undefined || !(await discardSegment(db, id))) {
    return []
  }
  const { project_id, event_id, since, until } = segment
  return [{ project_id, event_id, since, until, column }]
}

/** Returns the first difference from the rows: a column, or `count`, `cold` or `encoding`; undefined if there is none. */
async function findDifference(
  db: Db,
  { segment, columns }: NonNullable<Awaited<ReturnType<typeof readSegment>>>
): Promise<string | undefined> {
  let copy: Copy
  try {
    copy = new Copy(segment, new Map(columns.map(({ name, data }) => [name, data])))
  } catch {
    return 'encoding'
  }
  let row = 0
  let after: Place | undefined = { timestamp: segment.since, uuid: '' }
  while (after) {
    const range = { after, until: segment.until, withProperties: true, without: segment.id }
    const { events, ms } = await readEvents(db, segment, range, READ_AT_ONCE)
    for (const event of events) {
      const column = row < segment.count ? copy.findDifference(row, event) : 'count'
      if (column !== undefined) {
        return column
      }
      row += 1
    }
    after = events.at(-1)
    await pause(REST * ms)
  }
  return row === segment.count ? undefined : 'count'
}

/** The events of a segment as its columns have them. */
class Copy {
  readonly #times: number[]
  readonly #identities: Uint32Array
  readonly #columns: [name: string, column: Column][]
  /** The names of all properties; null if not all are listed. */
  readonly #names: Set<string> | null

  /** @throws when a column is missing or damaged */
  constructor(segment: SegmentRow, columns: ReadonlyMap<string, string>) {
    const { build, project_id: projectId, event_id: eventId, since, until, count } = segment
    const numbersOf = (name: string) =>
      decodeNumbers(columns.get(name) ?? '', placeOfColumn(segment, name))
    const offsets = numbersOf('time')
    const place = placeOfSlots({ build, projectId, eventId, since, until, count })
    const starts = toSlotCounts(decodeSlots(segment.slots, place)).flatMap(
      ({ slot, count: events }) => Array<number>(events).fill(slot * SLOT)
    )
    this.#times = starts.map((start, i) => start + (offsets[i] ?? Number.NaN))
    this.#identities = numbersOf('identity')
    this.#columns = [...columns]
      .filter(([name]) => name !== 'time' && name !== 'identity')
      .map(([name, data]) => [name, decodeColumn(data, count, placeOfColumn(segment, name))])
    if (!columns.has('version') || offsets.length !== count || this.#identities.length !== count) {
      throw new Error('A column is missing or has another length.')
    }
    const withColumn = [...columns.keys()].filter(isProperty).map(propertyOf)
    this.#names =
      segment.cold === null
        ? null
        : new Set([...decodeNames(segment.cold, placeOfCold(segment, withColumn)), ...withColumn])
  }

  /** Returns the name of the first column that differs from a row, or `cold` if the row has an unlisted property. */
  findDifference(row: number, event: PlacedEvent): string | undefined {
    if (this.#times[row] !== event.timestamp) {
      return 'time'
    }
    if (this.#identities[row] !== event.identity) {
      return 'identity'
    }
    const properties: Json = JSON.parse(event.properties ?? 'null')
    const members = isObject(properties) ? properties : {}
    const storedIn = (name: string): Json | undefined => {
      if (isProperty(name)) {
        const key = propertyOf(name)
        return Object.hasOwn(members, key) ? members[key] : undefined
      }
      return name === 'version' ? event.version : event.session_id
    }
    const wrong = this.#columns.find(([name, { codes, values }]) => {
      const copied = values[codes[row] ?? 0]
      const isShort = name === 'version' && typeof copied === 'number'
      return !isSame(isShort ? toId(copied, event.identity) : copied, storedIn(name) ?? null)
    })
    if (wrong) {
      return wrong[0]
    }
    const names = this.#names
    return names && Object.keys(members).some((name) => !names.has(name)) ? 'cold' : undefined
  }
}

const PROPERTY = 'event:'
const isProperty = (name: string): boolean => name.startsWith(PROPERTY)
const propertyOf = (name: string): string => name.slice(PROPERTY.length)

async function verifyChunk(db: Db, chunk: ProjectChunk): Promise<ProjectChunk[]> {
  const { stored, moved, identities } = await readChunk(db, chunk)
  if (!stored) {
    return []
  }
  const built = { ...chunk, build: stored.build }
  const actors = unlessDamaged(() => decodeActors(stored.data, placeOfActors(built)))
  const personOf = new Map(identities.map(({ key, person_id }) => [key, person_id ?? NO_PERSON]))
  const hasMoved = new Set(moved)
  const isRight = actors?.offsets.every((offset, i) => {
    const key = chunk.chunk * CHUNK + offset
    return hasMoved.has(key) || personOf.get(key) === actors.persons[i]
  })
  if (isRight) {
    return []
  }
  await discardActors(db, built)
  return [chunk]
}

/** Counts what differed from the rows. */
export const countWrong = (verified: VerifiedColumns): number =>
  verified.wrong_segments + verified.wrong_chunks + verified.wrong_version_chunks

import { toShort } from '../db/version-id.ts'
import { encodeColumn, encodeNumbers, encodeSlots, type SlotCount } from './codec.ts'
import type { EncodedCopy } from './copy.ts'
import { Dictionary, withRoom } from './dictionary.ts'
import { type BuiltSegment, placeOfCold, placeOfColumn, placeOfSlots } from './places.ts'
import { type EncodedColumn, PropertyColumns } from './property-columns.ts'
import { SLOT } from './slots/store.ts'

/** The members of an event's row that are sealed. */
export type SealedRow = {
  timestamp: number
  identity: number
  version: number | null
  session_id: string | null
  /** A JSON object; null if the properties are not copied. */
  properties: string | null
}

/** The content of a segment, without its place. */
export type SegmentContent = {
  count: number
  slots: string
  /** The encoded names of the properties without a column; null if they are too many to list. */
  cold: string | null
}

/** Largest column of sessions, bytes: D1 allows 2 MB, and each event may have its own. */
const MAX_SESSIONS_BYTES = 1_900_000

/** Gathers the events of a segment, in the order of its rows, and makes columns of them. */
export class SegmentBuilder {
  #count = 0
  readonly #slots: SlotCount[] = []
  #identities = new Uint32Array(0)
  #times = new Uint32Array(0)
  readonly #versions = new Dictionary()
  readonly #sessions = new Dictionary()
  readonly #properties = new PropertyColumns()

  get count(): number {
    return this.#count
  }

  add(rows: readonly SealedRow[]): void {
    for (const row of rows) {
      this.#addRow(row)
    }
    this.#properties.dropLargest()
  }

  /** Gives up the columns of properties. */
  leaveOutProperties(): void {
    this.#properties.leaveOut()
  }

  /** The columns can be iterated once; each is encoded when the iteration reaches it. */
  finish(segment: BuiltSegment): EncodedCopy<SegmentContent> {
    const count = this.#count
    const { cold, columns } = this.#properties.finish(count, {
      placeOfColumn: (name) => placeOfColumn(segment, `event:${name}`),
      placeOfCold: (names) => placeOfCold(segment, names)
    })
    const slots = encodeSlots(this.#slots, placeOfSlots({ ...segment, count }))
    return { content: { count, slots, cold }, columns: this.#encodeEach(segment, columns) }
  }

  *#encodeEach(
    segment: BuiltSegment,
    properties: Iterable<EncodedColumn>
  ): Generator<EncodedColumn> {
    const count = this.#count
    const placeOf = (name: string) => placeOfColumn(segment, name)
    const identities = this.#identities.slice(0, count)
    yield { name: 'identity', data: encodeNumbers(identities, placeOf('identity')) }
    yield { name: 'time', data: encodeNumbers(this.#times.slice(0, count), placeOf('time')) }
    yield { name: 'version', data: encodeColumn(this.#versions.finish(count), placeOf('version')) }
    // Sessions without a column are read from rows.
    if (this.#sessions.encodedBytes(count) <= MAX_SESSIONS_BYTES) {
      const sessions = this.#sessions.finish(count)
      yield { name: 'session', data: encodeColumn(sessions, placeOf('session')) }
    }
    for (const { name, data } of properties) {
      yield { name: `event:${name}`, data }
    }
  }

  #addRow({ timestamp, identity, version, session_id, properties }: SealedRow): void {
    const at = this.#count
    const slot = Math.floor(timestamp / SLOT)
    const last = this.#slots.at(-1)
    if (last?.slot === slot) {
      last.count += 1
    } else {
      this.#slots.push({ slot, count: 1 })
    }
    this.#identities = withRoom(this.#identities, at)
    this.#identities[at] = identity
    this.#times = withRoom(this.#times, at)
    this.#times[at] = timestamp - slot * SLOT
    this.#versions.set(at, version === null ? null : toShort(version, identity))
    this.#sessions.set(at, session_id)
    if (properties !== null) {
      this.#properties.add(at, JSON.parse(properties))
    }
    this.#count += 1
  }
}

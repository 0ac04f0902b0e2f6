import { isObject, type Json } from '../input/json.ts'
import { SLOT } from '../rollups/store.ts'
import { encodeColumn, encodeNumbers, encodeSlots, type SlotCount } from './codec.ts'
import { Dictionary, withRoom } from './dictionary.ts'

/** An event to seal, as its row says. */
export type SealedRow = {
  timestamp: number
  identity: number
  version: number | null
  session_id: string | null
  /** A JSON object; null if the properties are not copied. */
  properties: string | null
}

export type EncodedColumn = { name: string; data: string }

/** What a segment consists of, but for its place. */
export type SegmentContent = {
  count: number
  slots: string
  /** The names of the properties without a column, as JSON; null if they are too many to list. */
  cold: string | null
  columns: EncodedColumn[]
}

/** Properties of a segment that get a column, at most. */
const MAX_COLUMNS = 64

/** Properties whose values are gathered: the first ones of the segment. Each takes 4 bytes per event until the end. */
const MAX_GATHERED = 128

/** Bytes of all different values that are gathered at a time. */
const MAX_GATHERED_BYTES = 16_000_000

/** Names of properties without a column that a segment lists; usually less than 10 kB. */
const MAX_COLD = 500

/** Longest name of a property with a column or in the list of those without, UTF-16 units. */
const MAX_NAME = 200

/** Bytes of a property's column: a trend of 90 days and ten million events reads a hundred of them. */
const MAX_COLUMN_BYTES = 512_000

/** Bytes of the column of sessions, which may be different in every event: D1 ends a value at 2 MB. */
const MAX_SESSIONS_BYTES = 1_900_000

/** Share of the events that a property must be in to get a column. */
const MIN_SHARE = 0.01

/**
 * Bytes of different values, as a share of the bytes of all values, up to which a property gets a column. In 2,048 events
 * with 5,000 possible URLs the share is 0.82, and falls when segments are merged; it is 1 for ids and free text.
 */
const MAX_DIFFERENT = 0.9

/** Gathers the events of a segment, in the order of its rows, and makes columns of them. */
export class SegmentBuilder {
  #count = 0
  readonly #slots: SlotCount[] = []
  #identities = new Uint32Array(0)
  #times = new Uint32Array(0)
  readonly #versions = new Dictionary()
  readonly #sessions = new Dictionary()
  /** The values of the properties that may get a column, by name. */
  readonly #properties = new Map<string, Dictionary>()
  readonly #names = new Set<string>()
  /** Whether `#names` has the names of all properties. */
  #isComplete = true

  get count(): number {
    return this.#count
  }

  add(rows: readonly SealedRow[]): void {
    for (const row of rows) {
      this.#addRow(row)
    }
    this.#dropLargest()
  }

  /** Gives up the columns of properties. */
  leaveOutProperties(): void {
    this.#properties.clear()
    this.#isComplete = false
  }

  finish(): SegmentContent {
    const count = this.#count
    const chosen = this.#chooseProperties()
    const cold = [...this.#names].filter((name) => !chosen.has(name)).sort()
    const hasSessions = this.#sessions.encodedBytes(count) <= MAX_SESSIONS_BYTES
    return {
      count,
      slots: encodeSlots(this.#slots),
      cold: this.#isComplete && cold.length <= MAX_COLD ? JSON.stringify(cold) : null,
      columns: [
        { name: 'identity', data: encodeNumbers(this.#identities.slice(0, count)) },
        { name: 'time', data: encodeNumbers(this.#times.slice(0, count)) },
        { name: 'version', data: encodeColumn(this.#versions.finish(count)) },
        // Sessions without a column are read from rows.
        ...(hasSessions
          ? [{ name: 'session', data: encodeColumn(this.#sessions.finish(count)) }]
          : []),
        ...[...chosen].map(([name, values]) => ({
          name: `event:${name}`,
          data: encodeColumn(values.finish(count))
        }))
      ]
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
    this.#versions.set(at, version)
    this.#sessions.set(at, session_id)
    if (properties !== null) {
      this.#addProperties(at, JSON.parse(properties))
    }
    this.#count += 1
  }

  #addProperties(at: number, properties: Json): void {
    if (!isObject(properties)) {
      return
    }
    for (const [name, value] of Object.entries(properties)) {
      if (!this.#names.has(name)) {
        this.#addName(name)
      }
      this.#properties.get(name)?.set(at, value)
    }
  }

  #addName(name: string): void {
    if (name.length > MAX_NAME || this.#names.size === MAX_COLD + MAX_COLUMNS) {
      this.#isComplete = false
      return
    }
    this.#names.add(name)
    if (this.#names.size <= MAX_GATHERED) {
      this.#properties.set(name, new Dictionary())
    }
  }

  /** Gives up the columns with the most different values until the others fit into memory. */
  #dropLargest(): void {
    const largestFirst = [...this.#properties].sort(([, a], [, b]) => b.bytes - a.bytes)
    let total = largestFirst.reduce((sum, [, { bytes }]) => sum + bytes, 0)
    for (const [name, { bytes }] of largestFirst) {
      if (total <= MAX_GATHERED_BYTES && bytes <= MAX_COLUMN_BYTES) {
        return
      }
      this.#properties.delete(name)
      total -= bytes
    }
  }

  /** Chooses the properties that get a column: those that most events have. */
  #chooseProperties(): Map<string, Dictionary> {
    const worthy = [...this.#properties].filter(
      ([, values]) =>
        values.rows >= MIN_SHARE * this.#count &&
        values.encodedBytes(this.#count) <= MAX_COLUMN_BYTES &&
        (values.isNumeric || values.bytes <= MAX_DIFFERENT * values.copied)
    )
    return new Map(worthy.sort(([, a], [, b]) => b.rows - a.rows).slice(0, MAX_COLUMNS))
  }
}

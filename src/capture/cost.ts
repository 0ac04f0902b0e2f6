import type { Bytes } from '../persons/last-write.ts'

/*
 * The cost of writing a plan, in bytes of JSON. Binding, parsing and storing one byte takes 10 to
 * 25 ns, depending on the machine. The constants below give the time of other work as the number of
 * bytes that take as long. A running transaction blocks all other queries of its database.
 */

/**
 * Cost at which a transaction takes no further event: 30 to 75 ms to write, and as much again to
 * plan. Its last event may double that cost. A thousand plain events with new persons among them
 * fit; a lower limit would need more transactions and slow down capture.
 */
export const MAX_COST = 3_000_000

/** An event's row and its index entries. */
const EVENT = 800

export const NEW_IDENTITY = 500
export const NEW_EVENT_NAME = 300
/** A session is read and written as a whole. */
export const SESSION = 4_000
/** A distinct id that moves to another person. */
export const MOVED_ROW = 300

const PERSON = 1_500
const VERSION = 300

/**
 * A byte of text that is added to the full-text index (about 3 µs) or removed from it (about 20
 * µs).
 */
const SEARCH_IN = 100
const SEARCH_OUT = 800

export const eventCost = (bytes: number): number => EVENT + bytes

export const versionCost = (bytes: number): number => VERSION + bytes

/**
 * Returns the cost of writing a person's row. `searched` holds the bytes removed from and added to
 * the full-text index.
 */
export const personCost = (
  { shown, writes }: Bytes,
  searched: { out: number; in: number } | undefined
): number =>
  PERSON + shown + writes + (searched ? searched.out * SEARCH_OUT + searched.in * SEARCH_IN : 0)

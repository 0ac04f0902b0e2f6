import type { Bytes } from '../persons/properties.ts'

/*
 * How much work it is to write a plan, in bytes: a byte of JSON that is bound, parsed and stored takes about 25 ns, all
 * else is expressed in such bytes, as measured. While a transaction runs nobody else gets an answer from the database.
 */

/** What one transaction may cost: about 50 ms, and as much again to work it out. The last event may double it. */
export const MAX_COST = 1_500_000

/** The row of an event with its index entries. */
const EVENT = 800

export const NEW_IDENTITY = 500
export const NEW_EVENT_NAME = 300
/** A session is read and written as a whole. */
export const SESSION = 4_000
/** A row that goes to another person. */
export const MOVED_ROW = 300

const PERSON = 1_500
const VERSION = 300

/** A byte of text that comes into the full-text index, and one that is taken out of it: about 3 and 20 µs. */
const SEARCH_IN = 100
const SEARCH_OUT = 800

export const eventCost = (bytes: number): number => EVENT + bytes

export const versionCost = (bytes: number): number => VERSION + bytes

/** A person's row. `searched`: the bytes that leave the full-text index, and those that come in. */
export const personCost = (
  { shown, writes }: Bytes,
  searched: { out: number; in: number } | undefined
): number =>
  PERSON + shown + writes + (searched ? searched.out * SEARCH_OUT + searched.in * SEARCH_IN : 0)

/*
 * An event that changes a person stores a version: a copy of all the person's properties. To keep
 * storage in proportion to the events that a project sends, each person has a credit. An event
 * earns a multiple of its own bytes; every copy but the first is stored only if the credit covers
 * it. For example, if every event of 600 bytes changes a person of 3 kB, each event earns 6,400
 * bytes, and its copy costs 4,096. A change by the API always stores a version, free of charge.
 */

/**
 * Bytes of credit that a byte of an event earns. Storage may take at most 20 times the bytes of
 * events plus 1 kB per event; with 10, the worst mixtures of events, persons, sessions and
 * searchable names take three quarters of this limit.
 */
const CREDIT_PER_BYTE = 10

/** Bytes of credit that each event earns, however small. */
const CREDIT_PER_EVENT = 400

/**
 * Credit of a new person. The person's rows and index entries take about 400 bytes, which the first
 * event must earn.
 */
export const NEW_CREDIT = -CREDIT_PER_EVENT

/** Bytes of credit that a person may save beyond the cost of the next copy. */
const MAX_SAVED = 65_536

/** Bytes that the full-text index takes per byte of searchable text. */
const SEARCH_BYTES = 10

/** Bytes of an SQLite page. */
const PAGE = 4_096
/** Bytes of a page that rows can use. */
const USABLE = 4_060
/** Bytes that a row takes besides the copy. */
const ROW = 12

/**
 * Returns the bytes that SQLite takes for a copy. Small rows share a page; a row larger than a page
 * has pages of its own, the last of which is half full on average.
 */
export function copyCost(bytes: number): number {
  const perPage = Math.floor(USABLE / (bytes + ROW))
  return perPage > 0 ? Math.ceil(PAGE / perPage) : bytes + PAGE / 2
}

/** Returns the credit of a person with `bytes` of properties after an event of `received` bytes. */
export const earnCredit = (credit: number, received: number, bytes: number): number =>
  Math.min(credit + CREDIT_PER_EVENT + CREDIT_PER_BYTE * received, MAX_SAVED + copyCost(bytes))

/** Returns the credit that `bytes` of new searchable text cost. */
export const searchCost = (bytes: number): number => bytes * SEARCH_BYTES

import type { Codes } from '../../columns/column.ts'

/** A number for each row: row i has `values[codes[i]]`, NaN for none. */
export type NumberColumn = { codes: Codes; values: Float64Array }

/** The columns of a batch that maths read: row i of each list belongs to event i. */
export type Rows = {
  /** The group of each event, -1 if it does not count; undefined if all are in group 0. */
  groups: Int32Array | undefined
  /** The number of each event's actor or session, from 0 with few gaps; -1 for none. */
  subjects: Int32Array
  /** The number of each event's actor; empty unless the feed lists actors. */
  actors: Int32Array
  /** The number of each event; NaN for none. */
  numbers: NumberColumn
}

/** A number of a group at a point of the trend. */
export type Counted = { point: number; group: number; result: number }

/** Takes events in the order of points. */
export interface Sink {
  /** Adds the events from `from` up to `until`, all of which lie in one piece of time. */
  add(rows: Rows, from: number, until: number, piece: Piece): void
}

/**
 * Computes a math of events that are added in the order of points. Groups that have no event at a
 * point have no number there.
 */
export interface Accumulator extends Sink {
  /** Returns the numbers of a point that gets no more events, and forgets its events. */
  finish(point: number): Iterable<Counted>
  /**
   * Returns the numbers that need the events of all points. They may be too many to keep in memory.
   */
  end(): Iterable<Counted>
}

/** A piece of time, which belongs to a point as a whole. */
export type Piece = { since: number; until: number; point: number }

/** The result of `end` for accumulators that have returned all their numbers from `finish`. */
export const NOTHING: readonly Counted[] = []

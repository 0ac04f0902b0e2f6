import { DAY } from '../calendar/units.ts'
import type { SlotCount } from './codec.ts'
import { SLOT } from './slots/store.ts'

/** Most events of a segment: building takes a second, and no column nears D1's 2 MB. */
export const MAX_SEGMENT_EVENTS = 32_768

/**
 * Fewest events that get a segment: fewer are read as rows in a few milliseconds. A hole between
 * two segments gets a segment for any number of events.
 */
export const MIN_EVENTS = 2_048

/**
 * Maximum number of events of a segment of a single slot, which cannot be divided. Imports with
 * dates instead of times have a day's events in one slot. A slot with more is read from rows: a
 * database of 10 GB could hold no more than a few days of such traffic.
 */
export const MAX_SLOT_EVENTS = 65_536

/** Longest range of a segment, slots: 400 days. */
const MAX_SLOTS = (400 * DAY) / SLOT

/**
 * A segment as planning sees it. A `busy` segment is being built by another run; a `stale` segment
 * has enough late events to be replaced.
 */
export type Placed = {
  id: number
  /** The range, ms; `until` is not in it. */
  since: number
  until: number
  count: number
  state: 'sealed' | 'busy' | 'stale'
}

/** A range to seal, ms, and the ids of the segments that the new one replaces. */
export type SegmentPlan = { since: number; until: number; replaces: number[] }

type Stretch = { since: number; until: number; count: number }
type Neighbour = Stretch & { id: number; isSealed: boolean }
type Piece = Stretch & {
  /** Sealed segments that become part of it. */
  merged: number[]
}

/**
 * Plans which ranges of an event name to seal, the newest first.
 *
 * Slots outside all segments form runs: before the first segment, between two segments, and after
 * the last one. Runs are cut into pieces of at most 32,768 events. The earliest and the latest
 * piece wait until they have 2,048 events, unless they overlap a stale segment. A piece takes in a
 * neighbouring segment no larger than itself, if both fit into one segment together. So whenever an
 * event is written again, its segment is at least twice as large as before: that happens four times
 * at most, and few small segments stay. Exceptions: a stale segment is sealed again, and a piece of
 * fewer than 2,048 events takes in neighbours of any size that leave room for it. Ranges reach up
 * to their neighbours: a late event of an empty slot then belongs to a segment and makes no new
 * hole.
 * @param segments in order of time, without overlaps
 * @param slots that have events and are in no sealed or busy segment, in order of time
 */
export function planSegments(
  segments: readonly Placed[],
  slots: readonly SlotCount[]
): SegmentPlan[] {
  const neighbours = segments.filter(({ state }) => state !== 'stale').map(toNeighbour)
  const stale = segments.filter(({ state }) => state === 'stale').map(toNeighbour)
  // The segments that a piece has taken in: no other piece may take them.
  const taken = new Set<number>()
  const pieces = runsBetween(neighbours, slots).flatMap(({ run, at }) => {
    const [left, right] = [neighbours.slice(0, at).reverse(), neighbours.slice(at)]
    const isStale = (piece: Stretch) => stale.some((old) => overlaps(old, piece))
    const due = cutRun(run, left[0], right[0]).filter(
      (piece) => piece.count >= MIN_EVENTS || piece.isHole || isStale(piece)
    )
    return due.map((piece) => merge(merge({ ...piece, merged: [] }, left, taken), right, taken))
  })
  return pieces.reverse().map((piece) => ({
    since: piece.since * SLOT,
    until: piece.until * SLOT,
    replaces: [...piece.merged, ...stale.filter((old) => overlaps(old, piece)).map(({ id }) => id)]
  }))
}

const toNeighbour = ({ id, since, until, count, state }: Placed): Neighbour => ({
  id,
  since: since / SLOT,
  until: until / SLOT,
  count,
  isSealed: state === 'sealed'
})

const overlaps = (a: Stretch, b: Stretch): boolean => a.since < b.until && b.since < a.until

/** Groups slots into runs. `at` is the index of the first neighbour after the run. */
function runsBetween(
  neighbours: readonly Neighbour[],
  slots: readonly SlotCount[]
): { run: SlotCount[]; at: number }[] {
  const runs: { run: SlotCount[]; at: number }[] = []
  let at = 0
  for (const slot of slots) {
    while ((neighbours[at]?.since ?? Number.POSITIVE_INFINITY) <= slot.slot) {
      at += 1
    }
    const last = runs.at(-1)
    if (last?.at === at) {
      last.run.push(slot)
    } else {
      runs.push({ run: [slot], at })
    }
  }
  return runs
}

/** Cuts a run into pieces of the allowed size, without slots that have too many events. */
function cutRun(
  run: readonly SlotCount[],
  before: Neighbour | undefined,
  after: Neighbour | undefined
): (Stretch & { isHole: boolean })[] {
  const pieces: Stretch[] = []
  for (const { slot, count } of run) {
    const last = pieces.at(-1)
    const grown = last && { ...last, until: slot + 1, count: last.count + count }
    if (grown && grown.count <= MAX_SEGMENT_EVENTS && isShort(grown)) {
      pieces[pieces.length - 1] = grown
    } else {
      pieces.push({ since: slot, until: slot + 1, count })
    }
  }
  return pieces
    .map((piece, i) => {
      const previous = pieces[i - 1] ?? before
      const next = pieces[i + 1] ?? after
      const isHole = previous !== undefined && next !== undefined
      const isLast = i === pieces.length - 1
      return { ...extend(piece, previous, isLast ? after : undefined), isHole }
    })
    .filter(({ count }) => count <= MAX_SLOT_EVENTS)
}

/** Extends a piece to its neighbours, as far as its length allows. */
function extend(
  piece: Stretch,
  previous: Stretch | undefined,
  after: Stretch | undefined
): Stretch {
  const backward = { ...piece, since: previous?.until ?? piece.since }
  const both = { ...backward, until: after?.since ?? piece.until }
  return [both, backward].find(isShort) ?? piece
}

const isShort = ({ since, until }: Stretch): boolean => until - since <= MAX_SLOTS

/**
 * Takes neighbours into a piece, the nearest first, as long as they touch it and are small enough.
 */
function merge(piece: Piece, neighbours: readonly Neighbour[], taken: Set<number>): Piece {
  let merged = piece
  for (const neighbour of neighbours) {
    const touches = neighbour.until === merged.since || neighbour.since === merged.until
    const count = merged.count + neighbour.count
    const since = Math.min(merged.since, neighbour.since)
    const until = Math.max(merged.until, neighbour.until)
    const isSmall = neighbour.count <= merged.count || merged.count < MIN_EVENTS
    if (
      !touches ||
      !neighbour.isSealed ||
      taken.has(neighbour.id) ||
      !isSmall ||
      count > MAX_SEGMENT_EVENTS ||
      until - since > MAX_SLOTS
    ) {
      break
    }
    taken.add(neighbour.id)
    merged = { since, until, count, merged: [...merged.merged, neighbour.id] }
  }
  return merged
}

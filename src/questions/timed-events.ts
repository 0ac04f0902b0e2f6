import type { Grouping } from '../columns/grouping.ts'

/** Events in the order of time: row i of each list belongs to event i. */
export type TimedEvents = {
  length: number
  /** The time of each event, ms UTC. */
  times: Float64Array
  /** A bit for each entity that the event is. */
  marks: Int32Array
  /** The number of each event's actor or session; -1 for none. */
  subjects: Int32Array
  /** The group of each event; undefined if all are in group 0. */
  groups: Int32Array | undefined
}

/** Returns a copy of the events that have a mark and a subject. */
export function onlyMarked({ length, times, marks, subjects, groups }: TimedEvents): TimedEvents {
  const kept = new Uint32Array(length)
  let count = 0
  for (let i = 0; i < length; i += 1) {
    if (marks[i] !== 0 && (subjects[i] ?? -1) >= 0) {
      kept[count] = i
      count += 1
    }
  }
  return pick({ length, times, marks, subjects, groups }, kept.subarray(0, count))
}

/** Returns the events at some places, in the order of the places. */
function pick({ times, marks, subjects, groups }: TimedEvents, places: Uint32Array): TimedEvents {
  const { length } = places
  const picked = {
    length,
    times: new Float64Array(length),
    marks: new Int32Array(length),
    subjects: new Int32Array(length),
    groups: groups && new Int32Array(length)
  }
  for (let i = 0; i < length; i += 1) {
    const place = places[i] ?? 0
    picked.times[i] = times[place] ?? 0
    picked.marks[i] = marks[place] ?? 0
    picked.subjects[i] = subjects[place] ?? 0
  }
  if (groups && picked.groups) {
    for (let i = 0; i < length; i += 1) {
      picked.groups[i] = groups[places[i] ?? 0] ?? 0
    }
  }
  return picked
}

/** The events from place `from` up to `until`. */
export type Stretched = { events: TimedEvents; from: number; until: number }

/**
 * Merges stretches of events, each of which is in the order of time. Simultaneous events come in an
 * order that does not depend on how they are stored: by the first mark, then by the other marks,
 * then by the values of their groups, those without a value first.
 */
export function mergeEvents(stretched: readonly Stretched[], grouping: Grouping): TimedEvents {
  const joined = join(stretched.filter(({ from, until }) => from < until))
  const order = orderBy(joined.events.times, joined.ends)
  sortSimultaneous(joined.events, order, grouping)
  return pick(joined.events, order)
}

/** Puts stretches one after the other, and tells where each ends. */
function join(stretched: readonly Stretched[]): { events: TimedEvents; ends: number[] } {
  const ends: number[] = []
  let length = 0
  for (const { from, until } of stretched) {
    length += until - from
    ends.push(length)
  }
  const isGrouped = stretched.some(({ events }) => events.groups !== undefined)
  const events = {
    length,
    times: new Float64Array(length),
    marks: new Int32Array(length),
    subjects: new Int32Array(length),
    groups: isGrouped ? new Int32Array(length) : undefined
  }
  for (const [i, { events: own, from, until }] of stretched.entries()) {
    const at = ends[i - 1] ?? 0
    events.times.set(own.times.subarray(from, until), at)
    events.marks.set(own.marks.subarray(from, until), at)
    events.subjects.set(own.subjects.subarray(from, until), at)
    if (own.groups) {
      events.groups?.set(own.groups.subarray(from, until), at)
    }
  }
  return { events, ends }
}

/** Returns the places of times in their order, by merging neighbours of sorted runs of them. */
function orderBy(times: Float64Array, runEnds: readonly number[]): Uint32Array {
  let order = new Uint32Array(times.length)
  for (let i = 0; i < order.length; i += 1) {
    order[i] = i
  }
  let ends = runEnds
  let next = new Uint32Array(runEnds.length > 1 ? times.length : 0)
  while (ends.length > 1) {
    const merged: number[] = []
    for (let i = 0; i < ends.length; i += 2) {
      const from = ends[i - 1] ?? 0
      const middle = ends[i] ?? 0
      const until = ends[i + 1] ?? middle
      mergeRuns(times, { from: order, into: next }, { from, middle, until })
      merged.push(until)
    }
    ;[order, next] = [next, order]
    ends = merged
  }
  return order
}

function mergeRuns(
  times: Float64Array,
  { from: order, into }: { from: Uint32Array; into: Uint32Array },
  { from, middle, until }: { from: number; middle: number; until: number }
): void {
  let [left, right] = [from, middle]
  for (let i = from; i < until; i += 1) {
    const isLeft =
      right >= until ||
      (left < middle && (times[order[left] ?? 0] ?? 0) <= (times[order[right] ?? 0] ?? 0))
    into[i] = order[isLeft ? left : right] ?? 0
    if (isLeft) {
      left += 1
    } else {
      right += 1
    }
  }
}

function sortSimultaneous(
  { times, marks, groups }: TimedEvents,
  order: Uint32Array,
  grouping: Grouping
): void {
  const compare = (a: number, b: number): number =>
    firstBit(marks[a] ?? 0) - firstBit(marks[b] ?? 0) ||
    (marks[a] ?? 0) - (marks[b] ?? 0) ||
    compareGroups(grouping, groups?.[a] ?? 0, groups?.[b] ?? 0)
  for (let from = 0; from < order.length; ) {
    const time = times[order[from] ?? 0]
    let until = from + 1
    while (until < order.length && times[order[until] ?? 0] === time) {
      until += 1
    }
    if (until - from > 1) {
      order.subarray(from, until).sort(compare)
    }
    from = until
  }
}

/** Returns the lowest bit of a number; that of -8 is 8. */
const firstBit = (marks: number): number => (marks & -marks) >>> 0

function compareGroups(grouping: Grouping, a: number, b: number): number {
  const [left, right] = [textOf(grouping, a), textOf(grouping, b)]
  return Number(left > right) - Number(left < right)
}

const textOf = (grouping: Grouping, group: number): string => String(grouping.valueOf(group) ?? '')

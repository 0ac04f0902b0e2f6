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

/** Returns the events that have a mark and a subject; a copy if they are not all. */
export function onlyMarked(events: TimedEvents): TimedEvents {
  const { length, marks, subjects } = events
  const kept = new Uint32Array(length)
  let count = 0
  for (let i = 0; i < length; i += 1) {
    if (marks[i] !== 0 && (subjects[i] ?? -1) >= 0) {
      kept[count] = i
      count += 1
    }
  }
  return count === length ? events : pick(events, kept.subarray(0, count))
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
  const heads = new Heads(stretched.filter(({ from, until }) => from < until))
  const length = stretched.reduce((sum, { from, until }) => sum + Math.max(0, until - from), 0)
  const isGrouped = stretched.some(({ events }) => events.groups !== undefined)
  const merged = {
    length,
    times: new Float64Array(length),
    marks: new Int32Array(length),
    subjects: new Int32Array(length),
    groups: isGrouped ? new Int32Array(length) : undefined
  }
  for (let at = 0; at < length; ) {
    const { events, from, until } = heads.next()
    copy(events, from, until, merged, at)
    at += until - from
  }
  sortSimultaneous(merged, grouping)
  return merged
}

function copy(
  events: TimedEvents,
  from: number,
  until: number,
  into: TimedEvents,
  at: number
): void {
  const { times, marks, subjects, groups } = events
  for (let i = from, to = at; i < until; i += 1, to += 1) {
    into.times[to] = times[i] ?? 0
    into.marks[to] = marks[i] ?? 0
    into.subjects[to] = subjects[i] ?? 0
  }
  if (groups && into.groups) {
    for (let i = from, to = at; i < until; i += 1, to += 1) {
      into.groups[to] = groups[i] ?? 0
    }
  }
}

/** Stretches of which each is in the order of time, in a heap by the time of their first events. */
class Heads {
  readonly #heap: Stretched[]

  constructor(stretched: readonly Stretched[]) {
    this.#heap = stretched.toSorted((a, b) => timeOf(a) - timeOf(b))
  }

  /** Takes out the next events of one stretch: up to where another one has to follow. */
  next(): Stretched {
    const [first] = this.#heap
    if (!first) {
      throw new Error('All events were taken.')
    }
    const { events, from, until } = first
    const limit = Math.min(timeOf(this.#heap[1]), timeOf(this.#heap[2]))
    let end = from + 1
    while (end < until && (events.times[end] ?? 0) <= limit) {
      end += 1
    }
    const next = end < until ? { events, from: end, until } : this.#heap.pop()
    if (next && next !== first) {
      this.#sink(next)
    }
    return { events, from, until: end }
  }

  /** Puts a stretch in the place of the first one, and then where it belongs. */
  #sink(stretch: Stretched): void {
    const time = timeOf(stretch)
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const child = timeOf(this.#heap[left + 1]) < timeOf(this.#heap[left]) ? left + 1 : left
      const smaller = this.#heap[child]
      if (!smaller || timeOf(smaller) >= time) {
        this.#heap[at] = stretch
        return
      }
      this.#heap[at] = smaller
      at = child
    }
  }
}

/** Returns the time of the first event of a stretch; that of none is Infinity. */
const timeOf = (stretch: Stretched | undefined): number =>
  stretch ? (stretch.events.times[stretch.from] ?? 0) : Number.POSITIVE_INFINITY

/** Sorts events that are in the order of time, but for simultaneous ones. */
function sortSimultaneous(events: TimedEvents, grouping: Grouping): void {
  const { length, times, marks, groups } = events
  const compare = (a: number, b: number): number =>
    firstBit(marks[a] ?? 0) - firstBit(marks[b] ?? 0) ||
    (marks[a] ?? 0) - (marks[b] ?? 0) ||
    compareGroups(grouping, groups?.[a] ?? 0, groups?.[b] ?? 0)
  const isSame = (a: number, b: number): boolean =>
    marks[a] === marks[b] && groups?.[a] === groups?.[b]
  for (let from = 0; from < length; ) {
    let until = from + 1
    let isUniform = true
    while (until < length && times[until] === times[from]) {
      isUniform &&= isSame(from, until)
      until += 1
    }
    if (!isUniform) {
      const places = Uint32Array.from({ length: until - from }, (_, i) => from + i)
      const sorted = pick(events, places.sort(compare))
      copy(sorted, 0, sorted.length, events, from)
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

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

/** Takes events in the order of time: those from place `from` up to `until`. */
export interface EventSink {
  add(events: TimedEvents, from: number, until: number): void
}

/**
 * Gives a sink the events of some stretches in the order of time. Simultaneous events come in the
 * order of `sortSimultaneous`, in which those of each stretch must be already.
 */
export function mergeEvents(
  stretched: readonly Stretched[],
  grouping: Grouping,
  sink: EventSink
): void {
  const heads = new Heads(stretched)
  for (let first = heads.first; first; first = heads.first) {
    const { events, from, until } = first
    const limit = heads.secondTime
    let end = from
    while (end < until && (events.times[end] ?? 0) < limit) {
      end += 1
    }
    if (end > from) {
      heads.advance(end)
      sink.add(events, from, end)
    } else {
      const simultaneous = join(heads.takeSimultaneous())
      sortSimultaneous(simultaneous, grouping)
      sink.add(simultaneous, 0, simultaneous.length)
    }
  }
}

/** Returns the events of some stretches, one stretch after the other. */
function join(stretches: readonly Stretched[]): TimedEvents {
  const length = stretches.reduce((sum, { from, until }) => sum + until - from, 0)
  const isGrouped = stretches.some(({ events }) => events.groups !== undefined)
  const joined = {
    length,
    times: new Float64Array(length),
    marks: new Int32Array(length),
    subjects: new Int32Array(length),
    groups: isGrouped ? new Int32Array(length) : undefined
  }
  let at = 0
  for (const { events, from, until } of stretches) {
    copy(events, from, until, joined, at)
    at += until - from
  }
  return joined
}

function copy(
  events: TimedEvents,
  from: number,
  until: number,
  into: TimedEvents,
  at: number
): void {
  into.times.set(events.times.subarray(from, until), at)
  into.marks.set(events.marks.subarray(from, until), at)
  into.subjects.set(events.subjects.subarray(from, until), at)
  if (events.groups) {
    into.groups?.set(events.groups.subarray(from, until), at)
  }
}

/** A stretch, and the time of its first event. */
type Head = Stretched & { time: number }

/** Stretches of which each is in the order of time, in a heap by the time of their first events. */
class Heads {
  readonly #heap: Head[]

  constructor(stretched: readonly Stretched[]) {
    this.#heap = stretched
      .filter(({ from, until }) => from < until)
      .map(({ events, from, until }) => ({ events, from, until, time: events.times[from] ?? 0 }))
      .sort((a, b) => a.time - b.time)
  }

  /** The stretch with the first event; undefined once all events are taken. */
  get first(): Head | undefined {
    return this.#heap[0]
  }

  /** The time of the first event of all other stretches. */
  get secondTime(): number {
    return Math.min(timeOf(this.#heap[1]), timeOf(this.#heap[2]))
  }

  /** Takes the events of the first stretch up to a place. */
  advance(until: number): void {
    const [first] = this.#heap
    if (first && until < first.until) {
      first.from = until
      first.time = first.events.times[until] ?? 0
      this.#sink(first)
      return
    }
    const last = this.#heap.pop()
    if (last && last !== first) {
      this.#sink(last)
    }
  }

  /** Takes the events of all stretches that have the time of the first one. */
  takeSimultaneous(): Stretched[] {
    const time = this.first?.time
    const taken: Stretched[] = []
    for (let first = this.first; first && first.time === time; first = this.first) {
      const { events, from } = first
      let until = from + 1
      while (until < first.until && events.times[until] === time) {
        until += 1
      }
      taken.push({ events, from, until })
      this.advance(until)
    }
    return taken
  }

  /** Puts a stretch in the place of the first one, and then where it belongs. */
  #sink(stretch: Head): void {
    const { time } = stretch
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
const timeOf = (head: Head | undefined): number => head?.time ?? Number.POSITIVE_INFINITY

/**
 * Sorts events that are in the order of time, but for simultaneous ones: by the first mark, then by
 * the other marks, then by the values of their groups, those without a value first. So their order
 * does not depend on how they are stored.
 */
export function sortSimultaneous(events: TimedEvents, grouping: Grouping): void {
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

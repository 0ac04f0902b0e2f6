import { lowerBound, type Span } from './batch.ts'
import { type SlotCount, type Slots, toSlotCounts } from './codec.ts'
import { SLOT } from './slots/store.ts'

/** The id of a segment, and a token that no other segment has. */
export type SegmentKey = { id: number; build: string }

/** A sealed segment. */
export type Segment = SegmentKey & {
  eventId: number
  since: number
  until: number
  count: number
  /** The number of its events in each slot. */
  slots: Slots
  /** The number of late events in each slot; the segment does not contain them. */
  late: SlotCount[]
}

/**
 * The numbers of events outside segments: the event of the name `eventIds[i]` occurs `counts[i]`
 * times in the slot `slots[i]`. Sorted by name and slot. Lists of numbers, because there may be a
 * million of them.
 */
export type Loose = { eventIds: Uint32Array; slots: Int32Array; counts: Uint32Array }

/**
 * Maximum number of segments in an overview: 8,192 have 17 million events or more, and take some 50
 * MB with all their slots. An overview with more is cut.
 */
export const MAX_SEGMENTS = 8_192

/** Counts outside segments, by name and slot, in an overview; a million take 12 MB. */
export const MAX_COUNTS = 1_000_000

/** Events in segments that take as long to read as one row. */
const SEALED_PER_ROW = 10

/** Where the events of a range are: in segments, sorted by name and time, and outside. */
export type Located = {
  segments: readonly Segment[]
  /** Segments that are not among `segments`, because the list of their slots is damaged. */
  damaged: readonly SegmentKey[]
  loose: Loose
  /** Whether there are more segments or counts than an overview holds. */
  isCut: boolean
}

/** Knows in which segments and slots the events of a range are, and counts them. */
export class Overview {
  readonly segments: readonly Segment[]
  /** The events of damaged segments are not counted. */
  readonly damaged: readonly SegmentKey[]
  readonly loose: Loose
  /** Whether the overview lacks segments or counts, because they are too many. */
  readonly isCut: boolean
  /** The beginnings of the slots that have events, ms UTC, in order. */
  readonly #starts: Float64Array
  /** How many events lie before each of these slots; the last element counts all events. */
  readonly #before: Float64Array
  #eventIds: ReadonlySet<number> | undefined

  constructor({ segments, damaged, loose, isCut }: Located) {
    this.segments = segments
    this.damaged = damaged
    this.loose = loose
    this.isCut = isCut
    const { slots, ends } = mergeSlots(segments, loose)
    // `Float64Array.from` with a mapping function takes ten times as long.
    this.#starts = new Float64Array(slots.length)
    for (let i = 0; i < slots.length; i += 1) {
      this.#starts[i] = (slots[i] ?? 0) * SLOT
    }
    this.#before = new Float64Array(slots.length + 1)
    this.#before.set(ends, 1)
  }

  /** Returns the overview of all events in several overviews, which have no name in common. */
  static join(overviews: readonly Overview[]): Overview {
    const all = overviews.map(({ loose }) => loose)
    return new Overview({
      segments: overviews.flatMap(({ segments }) => segments),
      damaged: overviews.flatMap(({ damaged }) => damaged),
      loose: {
        eventIds: Uint32Array.from(all.flatMap(({ eventIds }) => [...eventIds])),
        slots: Int32Array.from(all.flatMap(({ slots }) => [...slots])),
        counts: Uint32Array.from(all.flatMap(({ counts }) => [...counts]))
      },
      isCut: overviews.some(({ isCut }) => isCut)
    })
  }

  /** Returns the overview of all events but those with these names. */
  without(names: ReadonlySet<number>): Overview {
    const { eventIds, slots, counts } = this.loose
    const kept = [...eventIds.keys()].filter((i) => !names.has(eventIds[i] ?? 0))
    return new Overview({
      segments: this.segments.filter(({ eventId }) => !names.has(eventId)),
      damaged: this.damaged,
      loose: {
        eventIds: Uint32Array.from(kept, (i) => eventIds[i] ?? 0),
        slots: Int32Array.from(kept, (i) => slots[i] ?? 0),
        counts: Uint32Array.from(kept, (i) => counts[i] ?? 0)
      },
      isCut: this.isCut
    })
  }

  /** The beginning of the first slot that has events; undefined without any. */
  get first(): number | undefined {
    return this.#starts[0]
  }

  /** The ids of the names that have events. */
  get eventIds(): ReadonlySet<number> {
    this.#eventIds ??= new Set([
      ...this.segments.map(({ eventId }) => eventId),
      ...this.loose.eventIds
    ])
    return this.#eventIds
  }

  /** Counts the events from `from` up to `until`; a slot that either cuts counts as a whole. */
  count(from: number, until: number): number {
    const first = lowerBound(this.#starts, Math.floor(from / SLOT) * SLOT)
    const last = lowerBound(this.#starts, until)
    return (this.#before[last] ?? 0) - (this.#before[first] ?? 0)
  }

  /**
   * Returns where a range of whole slots can be cut so that the part before it, or with `isNewest`
   * the part after it, has `count` events or more; undefined if the range has fewer.
   */
  cutAt(
    from: number,
    until: number,
    { count, isNewest }: { count: number; isNewest: boolean }
  ): number | undefined {
    const before = this.#before
    const [first, last] = [lowerBound(this.#starts, from), lowerBound(this.#starts, until)]
    const [begin, end] = [before[first] ?? 0, before[last] ?? 0]
    if (end - begin < count) {
      return undefined
    }
    return isNewest
      ? this.#starts[lowerBound(before, end - count + 1) - 1]
      : (this.#starts[lowerBound(before, begin + count)] ?? until)
  }

  /** Counts the events outside segments; a slot that the range cuts counts as a whole. */
  countLoose({ since, until }: Span): number {
    const { slots, counts } = this.loose
    let events = 0
    for (let i = 0; i < slots.length; i += 1) {
      const begin = (slots[i] ?? 0) * SLOT
      events += begin < until && begin + SLOT > since ? (counts[i] ?? 0) : 0
    }
    return events
  }

  /** Counts the events of each name as `count` does, by the name's id. */
  countByName(from: number, until: number): Map<number, number> {
    const byName = new Map<number, number>()
    const [first, last] = [Math.floor(from / SLOT), Math.ceil(until / SLOT)]
    const add = (eventId: number, slot: number, count: number) => {
      if (slot >= first && slot < last) {
        byName.set(eventId, (byName.get(eventId) ?? 0) + count)
      }
    }
    for (const { eventId, slots, late } of this.segments) {
      for (const { slot, count } of [...toSlotCounts(slots), ...late]) {
        add(eventId, slot, count)
      }
    }
    for (const [i, slot] of this.loose.slots.entries()) {
      add(this.loose.eventIds[i] ?? 0, slot, this.loose.counts[i] ?? 0)
    }
    return byName
  }

  /**
   * Returns the number of rows that take as long to read as the events of successive sections: ten
   * events in segments count as one row.
   * @param unread ids of segments whose events are read from rows
   */
  countReads(sections: readonly Span[], unread: ReadonlySet<number> = new Set()): number {
    const whole = { since: sections[0]?.since ?? 0, until: sections.at(-1)?.until ?? 0 }
    let sealed = 0
    let late = 0
    for (const segment of this.segments) {
      if (unread.has(segment.id)) {
        late += overlaps(segment, whole) ? segment.count : 0
      } else {
        sealed += segment.count * sections.filter((section) => overlaps(segment, section)).length
      }
      if (overlaps(segment, whole)) {
        late += segment.late.reduce((events, { count }) => events + count, 0)
      }
    }
    return this.countLoose(whole) + late + Math.ceil(sealed / SEALED_PER_ROW)
  }

  /** Cuts a range, where slots begin, into steps of about `size` events. */
  steps(from: number, until: number, size: number): Span[] {
    const cuts: number[] = []
    let since = lowerBound(this.#starts, from)
    for (let i = since; i < this.#starts.length; i += 1) {
      const at = this.#starts[i] ?? 0
      const events = (this.#before[i] ?? 0) - (this.#before[since] ?? 0)
      if (at > from && at < until && events >= size) {
        cuts.push(at)
        since = i
      }
    }
    return [from, ...cuts].map((begin, i) => ({ since: begin, until: cuts[i] ?? until }))
  }
}

const overlaps = (a: Span, b: Span): boolean => a.since < b.until && a.until > b.since

/** Adds up the events of all names in each slot. */
function mergeSlots(segments: readonly Segment[], loose: Loose): Slots {
  const counts = new SlotSums()
  for (const { slots, late } of segments) {
    for (let i = 0; i < slots.slots.length; i += 1) {
      counts.add(slots.slots[i] ?? 0, (slots.ends[i] ?? 0) - (slots.ends[i - 1] ?? 0))
    }
    for (const { slot, count } of late) {
      counts.add(slot, count)
    }
  }
  for (let i = 0; i < loose.slots.length; i += 1) {
    counts.add(loose.slots[i] ?? 0, loose.counts[i] ?? 0)
  }
  return counts.toSlots()
}

/** Slots that are counted together: most of a page have events if any has. */
const PAGE_BITS = 6
const PAGE = 2 ** PAGE_BITS

/** Numbers of events by slot, in pages: slots mostly come in order, so a page is looked up once for many of them. */
class SlotSums {
  readonly #pages = new Map<number, Uint32Array<ArrayBuffer>>()
  #last = { number: Number.NaN, counts: new Uint32Array() }

  add(slot: number, count: number): void {
    const number = slot >> PAGE_BITS
    if (number !== this.#last.number) {
      this.#last = { number, counts: this.#pageOf(number) }
    }
    const { counts } = this.#last
    const at = slot & (PAGE - 1)
    counts[at] = (counts[at] ?? 0) + count
  }

  #pageOf(number: number): Uint32Array<ArrayBuffer> {
    const page = this.#pages.get(number) ?? new Uint32Array(PAGE)
    this.#pages.set(number, page)
    return page
  }

  /** Returns the slots that have events, in order. */
  toSlots(): Slots {
    const numbers = Int32Array.from(this.#pages.keys()).sort()
    const slots = new Int32Array(numbers.length * PAGE)
    const ends = new Uint32Array(slots.length)
    let [length, end] = [0, 0]
    for (const number of numbers) {
      const counts = this.#pageOf(number)
      for (let at = 0; at < PAGE; at += 1) {
        const count = counts[at] ?? 0
        if (count > 0) {
          end += count
          slots[length] = number * PAGE + at
          ends[length] = end
          length += 1
        }
      }
    }
    return { slots: slots.subarray(0, length), ends: ends.subarray(0, length) }
  }
}

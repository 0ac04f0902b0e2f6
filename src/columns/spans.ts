import type { Span } from './batch.ts'
import { type SlotCount, toSlotCounts } from './codec.ts'
import type { Overview, Segment } from './overview.ts'
import type { NameSpan } from './read.store.ts'
import { SLOT } from './slots/store.ts'

type CountedSpan = NameSpan & { count: number }

/**
 * Returns spans that cover the events outside segments within a step, sorted by name and time. Each
 * has at most about `most` events, and none reaches into a segment.
 */
export function looseSpans(overview: Overview, step: Span, most: number): CountedSpan[] {
  const { eventIds, slots, counts } = overview.loose
  const segmentsOf = Map.groupBy(overview.segments, ({ eventId }) => eventId)
  const spans = new Spans(step, most, (eventId, from, until) =>
    (segmentsOf.get(eventId) ?? []).some(
      (segment) => segment.since >= from && segment.until <= until
    )
  )
  for (let i = 0; i < slots.length; i += 1) {
    spans.add(eventIds[i] ?? 0, slots[i] ?? 0, counts[i] ?? 0)
  }
  return spans.list
}

/** Returns spans that cover the events of a segment within a step, also the late events. */
export function spansOf(segment: Segment, step: Span, most: number): CountedSpan[] {
  const spans = new Spans(step, most, () => false)
  for (const { slot, count } of allSlots(segment)) {
    spans.add(segment.eventId, slot, count)
  }
  return spans.list
}

type IsSealed = (eventId: number, from: number, until: number) => boolean

/** Joins slots, added in the order of names and time, to spans of about `most` events. */
class Spans {
  readonly list: CountedSpan[] = []
  readonly #step: Span
  readonly #most: number
  readonly #isSealed: IsSealed

  constructor(step: Span, most: number, isSealed: IsSealed) {
    this.#step = step
    this.#most = most
    this.#isSealed = isSealed
  }

  add(eventId: number, slot: number, count: number): void {
    const since = Math.max(slot * SLOT, this.#step.since)
    const until = Math.min((slot + 1) * SLOT, this.#step.until)
    if (since >= until) {
      return
    }
    const last = this.list.at(-1)
    const isJoined =
      last?.eventId === eventId &&
      last.count + count <= this.#most &&
      (last.until === since || !this.#isSealed(eventId, last.until, since))
    if (last && isJoined) {
      this.list[this.list.length - 1] = { ...last, until, count: last.count + count }
    } else {
      this.list.push(...split({ eventId, since, until, count }, Math.ceil(count / this.#most)))
    }
  }
}

/**
 * Counts the events in each slot of a segment's range, with the late events, in the order of time.
 */
function allSlots({ slots, late }: Segment): SlotCount[] {
  const counts = new Map<number, number>()
  for (const { slot, count } of [...toSlotCounts(slots), ...late]) {
    counts.set(slot, (counts.get(slot) ?? 0) + count)
  }
  return [...counts].map(([slot, count]) => ({ slot, count })).sort((a, b) => a.slot - b.slot)
}

function split({ eventId, since, until, count }: CountedSpan, parts: number): CountedSpan[] {
  const length = Math.max(1, Math.min(parts, until - since))
  const at = (i: number) => since + Math.floor(((until - since) * i) / length)
  return Array.from({ length }, (_, i) => ({
    eventId,
    since: at(i),
    until: at(i + 1),
    count: Math.ceil(count / length)
  }))
}

import { numberOf } from '../../db/version-id.ts'

/**
 * An event's time, ms UTC, and the version of its person at that time, as an id of
 * `person_versions`; null if it has none, such as an event sent without a person profile.
 */
export type SeenEvent = { timestamp: number; version: number | null }

/**
 * Consecutive events with the same values of the crucial properties, which the request names: the
 * first event, and the number of events.
 */
export type TimelineStretch = SeenEvent & { count: number }

/** Groups events by time; `valuesOf` returns a version's crucial values as comparable text. */
export function cutStretches(
  events: readonly SeenEvent[],
  valuesOf: (version: number | null) => string
): TimelineStretch[] {
  const stretches: TimelineStretch[] = []
  for (const event of events.toSorted(byTime)) {
    const last = stretches.at(-1)
    if (last && valuesOf(last.version) === valuesOf(event.version)) {
      last.count += 1
    } else {
      stretches.push({ ...event, count: 1 })
    }
  }
  return stretches
}

/** By time, then by version; in a millisecond, an event without one comes first. */
const byTime = (a: SeenEvent, b: SeenEvent): number =>
  a.timestamp - b.timestamp || numberOf(a.version ?? 0) - numberOf(b.version ?? 0)

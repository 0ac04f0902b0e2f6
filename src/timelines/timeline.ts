/** An event's time, ms UTC, and the id of its person's version then, in `person_versions`; null without a person. */
export type SeenEvent = { timestamp: number; version: number | null }

/**
 * Consecutive events whose persons' crucial properties (those that the request names) have the same values: the first
 * event, and how many there are.
 */
export type Stretch = SeenEvent & { count: number }

/** Groups events, sorted by time, into stretches; `valuesOf` returns a version's crucial values as comparable text. */
export function cutStretches(
  events: readonly SeenEvent[],
  valuesOf: (version: number | null) => string
): Stretch[] {
  const stretches: Stretch[] = []
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

/** Compares by time, and within one millisecond by version number. */
const byTime = (a: SeenEvent, b: SeenEvent): number =>
  a.timestamp - b.timestamp || orderOf(a) - orderOf(b)

/** Number of a version within its identity: the lower 24 bits of the version's id; 0 without a person. */
const orderOf = ({ version }: SeenEvent): number => (version ?? 0) % 2 ** 24

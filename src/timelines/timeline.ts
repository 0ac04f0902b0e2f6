/** An event and the version of its person at the time, a row of `person_versions`; null for an event without a person. */
export type SeenEvent = { timestamp: number; version: number | null }

/** Consecutive events with the same crucial values: the first event and the number of events. */
export type Stretch = SeenEvent & { count: number }

/** Cuts events into stretches; `valuesOf` returns the crucial values of a version as text. */
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

/** Sorts by time, within a millisecond by the order in which the versions were made. */
const byTime = (a: SeenEvent, b: SeenEvent): number =>
  a.timestamp - b.timestamp || orderOf(a) - orderOf(b)

/** The lower 24 bits of a version's id number the versions of an identity. */
const orderOf = ({ version }: SeenEvent): number => (version ?? 0) % 2 ** 24

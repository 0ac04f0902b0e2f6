/** An event and the row of `person_versions` that was in force at it; null for an event without a person. */
export type SeenEvent = { timestamp: number; version: number | null }

/** Events one after the other, from the first on, at which the crucial values were the same. */
export type Stretch = SeenEvent & { count: number }

/** Cuts events into stretches; `valuesOf` says what the crucial values of a version are. */
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

/** Those of one millisecond in the order in which their versions were made. */
const byTime = (a: SeenEvent, b: SeenEvent): number =>
  a.timestamp - b.timestamp || orderOf(a) - orderOf(b)

const orderOf = ({ version }: SeenEvent): number => (version ?? 0) % 2 ** 24

import type { Scope } from '../../access/open.ts'
import { AppError, NotFoundError } from '../../errors.ts'
import type { JsonObject } from '../../input/json.ts'
import type { PersonId } from '../store.ts'
import type { TimelineQuery } from './query.ts'
import { findScope, readEvents, readValues, readVersions } from './store.ts'
import { cutStretches, type SeenEvent } from './timeline.ts'

/** Events that a timeline reads, at most. */
export const MAX_EVENTS = 50_000
/** Bytes that the properties of all points may have together. */
export const MAX_BYTES = 4_000_000
/** Person versions read in one statement. */
const MAX_VERSIONS = 5_000
/** Stands for the version of an event sent without a person profile; no version has this id. */
const NO_VERSION = 0

export type Point = { timestamp: number; properties: JsonObject; count: number }

/**
 * Returns the points of a person's timeline. A point stands for consecutive events at which the
 * person's crucial properties, which the request names, had the same values; it has the time of the
 * first event, and all the person's properties then.
 * @throws not_found; query_too_large, attr `events` or `points`
 */
export async function computeTimeline(
  scope: Scope,
  person: PersonId,
  wanted: TimelineQuery
): Promise<Point[]> {
  const { personId, eventIds } = await findScope(scope, person, wanted.events)
  if (personId === undefined) {
    throw new NotFoundError()
  }
  const events: SeenEvent[] = []
  let read = 0
  for await (const page of readEvents(scope, personId, wanted)) {
    read += page.length
    if (read > MAX_EVENTS) {
      throw tooLarge(
        'events',
        `A timeline reads at most ${MAX_EVENTS} events: choose a shorter range.`
      )
    }
    events.push(...page.filter(({ event_id }) => !eventIds || eventIds.has(event_id)))
  }

  const values = await readAllValues(scope, events, wanted.crucialKeys)
  // The values of an event sent without a person profile: null for each key.
  const none = JSON.stringify(wanted.crucialKeys.map(() => null))
  const stretches = cutStretches(
    events,
    (version) => values.get(version ?? NO_VERSION)?.values ?? none
  )
  const bytes = stretches.reduce(
    (sum, { version }) => sum + (values.get(version ?? NO_VERSION)?.bytes ?? 0),
    0
  )
  if (bytes > MAX_BYTES) {
    throw tooLarge(
      'points',
      `The points of a timeline may have at most ${MAX_BYTES} bytes: choose a shorter range.`
    )
  }
  const versions = await readVersions(scope, versionsOf(stretches))
  return stretches.map(({ timestamp, version, count }) => {
    return { timestamp, count, properties: JSON.parse(versions.get(version ?? NO_VERSION) ?? '{}') }
  })
}

const tooLarge = (attr: string, detail: string) => new AppError('query_too_large', detail, attr)

const versionsOf = (events: readonly SeenEvent[]): number[] => [
  ...new Set(events.flatMap(({ version }) => version ?? []))
]

/** Reads the crucial values in all versions of the events. Without keys, reads nothing. */
async function readAllValues(scope: Scope, events: SeenEvent[], keys: string[]) {
  const all: Awaited<ReturnType<typeof readValues>> = new Map()
  const versions = keys.length > 0 ? versionsOf(events) : []
  for (let at = 0; at < versions.length; at += MAX_VERSIONS) {
    const chunk = versions.slice(at, at + MAX_VERSIONS)
    for (const [id, value] of await readValues(scope, chunk, keys)) {
      all.set(id, value)
    }
  }
  return all
}

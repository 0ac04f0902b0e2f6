import type { Db } from '../db/client.ts'
import { AppError, NotFoundError } from '../errors.ts'
import type { JsonObject } from '../input/json.ts'
import type { PersonId } from '../persons/store.ts'
import type { TimelineQuery } from './query.ts'
import { findScope, readEvents, readValues, readVersions } from './store.ts'
import { cutStretches, type SeenEvent } from './timeline.ts'

/** How many of a person's events a timeline looks at. */
export const MAX_EVENTS = 50_000
/** How large a timeline's properties may be together. */
export const MAX_BYTES = 4_000_000
const MAX_VERSIONS = 5_000

export type Point = { timestamp: number; properties: JsonObject; count: number }

/**
 * The states that a person was in at its events: a new point where a crucial property is another one than at the event
 * before.
 * @throws not_found, query_too_large with the limit in attr
 */
export async function computeTimeline(
  db: Db,
  projectId: number,
  person: PersonId,
  asked: TimelineQuery
): Promise<Point[]> {
  const { personId, eventIds } = await findScope(db, projectId, person, asked.events)
  if (personId === undefined) {
    throw new NotFoundError()
  }
  const events: SeenEvent[] = []
  let looked = 0
  for await (const page of readEvents(db, projectId, personId, asked)) {
    looked += page.length
    if (looked > MAX_EVENTS) {
      throw tooLarge(
        'events',
        `A timeline looks at ${MAX_EVENTS} events at most: a shorter range has fewer.`
      )
    }
    events.push(...page.filter(({ event_id }) => !eventIds || eventIds.has(event_id)))
  }

  const values = await readAllValues(db, projectId, events, asked.crucialKeys)
  const none = JSON.stringify(asked.crucialKeys.map(() => null))
  const stretches = cutStretches(events, (version) => values.get(version ?? 0)?.values ?? none)
  const bytes = stretches.reduce(
    (sum, { version }) => sum + (values.get(version ?? 0)?.bytes ?? 0),
    0
  )
  if (bytes > MAX_BYTES) {
    throw tooLarge(
      'points',
      `The points of a timeline are ${MAX_BYTES} bytes at most: a shorter range has fewer.`
    )
  }
  const versions = await readVersions(db, projectId, versionsOf(stretches))
  return stretches.map(({ timestamp, version, count }) => {
    return { timestamp, count, properties: JSON.parse(versions.get(version ?? 0) ?? '{}') }
  })
}

const tooLarge = (attr: string, detail: string) => new AppError('query_too_large', detail, attr)

const versionsOf = (events: readonly SeenEvent[]): number[] => [
  ...new Set(events.flatMap(({ version }) => version ?? []))
]

/** Nothing for no keys. */
async function readAllValues(db: Db, projectId: number, events: SeenEvent[], keys: string[]) {
  const all: Awaited<ReturnType<typeof readValues>> = new Map()
  const versions = keys.length > 0 ? versionsOf(events) : []
  for (let at = 0; at < versions.length; at += MAX_VERSIONS) {
    for (const [id, value] of await readValues(
      db,
      projectId,
      versions.slice(at, at + MAX_VERSIONS),
      keys
    )) {
      all.set(id, value)
    }
  }
  return all
}

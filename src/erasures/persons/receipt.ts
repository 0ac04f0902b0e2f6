import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import { DAY } from '../../calendar/units.ts'
import { sumObjects } from '../../dead-letters/noted.ts'
import type { ErasureRow } from '../engine/store.ts'
import { EXTENT, type Extent, extentToJson } from '../extent.ts'
import { completableUntil } from '../kept-data/days.ts'
import { MentionCount, MentionCounts } from '../mentions/schemas.ts'
import { STORE_NAMES, type StoreName } from '../names.ts'
import { isEmptied, type StoreCounts } from '../stores.ts'

/** Days that D1 Time Travel can go back. */
const BACKUP_DAYS = 30

/** Returns until when a restore can bring back what was removed at `at`, ms UTC. */
export const backupsUntil = (at: number): number => at + BACKUP_DAYS * DAY

export const Store = z.object({
  store: z.string().meta({
    description:
      'The name of the store. `queued_requests` counts events and `queued_recording_parts` parts of recordings that waited in R2 to be processed, `dead_letters` both in messages that could not be processed; all others count rows.'
  }),
  found: z.int().min(0).meta({ description: 'Rows or objects of the person that existed.' }),
  removed: z.int().min(0),
  remaining: z
    .int()
    .min(0)
    .meta({ description: 'Rows or objects that the verification still found.' })
})

/** The facts that a receipt certifies. */
export const ReceiptContent = z.object({
  id: z.int().meta({ description: 'The id of the deletion task.' }),
  project_id: z.int(),
  person_uuid: z.guid(),
  requested_at: z.iso.datetime(),
  requested_by: z
    .looseObject({})
    .meta({ description: 'The user and the key that requested the deletion.' }),
  completes: z.int().optional().meta({
    description: 'The id of the earlier deletion that kept what this one deleted.'
  }),
  ...EXTENT,
  linked_until: z.iso.datetime().optional().meta({
    description:
      'Until then, what is kept is pseudonymous and can still be deleted; afterwards it is anonymous. Absent if nothing is kept.'
  }),
  run: z.iso.datetime().nullable().meta({ description: 'The weekly run that removed the events.' }),
  stores: z.array(Store),
  mentions: z.array(MentionCount).optional().meta({
    description:
      'How often the ids and e-mail addresses of the person were found, when the deletion was requested, in places that the deletion does not reach: they are still there unless somebody has removed them. Absent if the request did not look for them.'
  }),
  late_events_dropped: z.int().min(0).meta({
    description: 'Events that were accepted before the request and dropped instead of stored.'
  }),
  verified_at: z.iso.datetime().meta({ description: 'When every store was searched again.' }),
  kept: z.array(z.string()).meta({ description: 'The data that is kept, and why.' }),
  backups_until: z.iso.datetime().meta({
    description:
      'Until then, D1 Time Travel can restore the database as it was before the deletion.'
  })
})
export type ReceiptContent = z.infer<typeof ReceiptContent>

/** The result of searching every store again. */
export type ErasureSearch = {
  /** ms UTC */
  at: number
  remaining: StoreCounts
  unreadable: Unreadable
}

/** The dead letters that could not be read: the keys of some objects, and the number of all. */
type Unreadable = { objects: string[]; count: number }

const KEPT_EVENTS =
  'The events of the person, if any: the request did not ask to delete them. They are attributed to one anonymous person. Their own properties, such as page addresses, are unchanged and may still identify the person. Messages with events that could not be processed are kept as they are, with the distinct id; if they are processed later, these events are dropped.'

const KEPT_RECORDINGS =
  'The recordings of the person’s sessions, if any: the request did not ask to delete them. They belong to no person any more, and still show everything that was recorded. Messages about parts of recordings that are not processed yet, or could not be processed, are kept with the distinct id until they are processed.'

const describeLink = (until: string): string =>
  `Until ${until}, the kept data is pseudonymous: keyed hashes link it to the person, so that it can still be deleted. Then the link is removed, and the data is anonymous, unless its own content names somebody.`

function describeUnreadable({ objects, count }: Unreadable): string {
  const more = count > objects.length ? ` and ${count - objects.length} more` : ''
  return `Messages of the project that cannot be read, so that nobody knows whose they are: ${objects.join(', ')}${more}. They were searched for the person’s distinct ids as text, without finding one.`
}

const NONE: Unreadable = { objects: [], count: 0 }

/**
 * Lists in plain words what an erasure keeps, and why.
 * @param linkedUntil until when the kept data can be deleted, ms UTC; null if the link to it is
 * removed or nothing is kept
 */
export const describeKept = (
  extent: Extent,
  linkedUntil: number | null,
  unreadable = NONE
): string[] => [
  ...(extent.deleteEvents ? [] : [KEPT_EVENTS]),
  extent.deleteRecordings
    ? 'The session ids of the deleted recordings, with their times and activity counts, so that snapshots that arrive late are discarded.'
    : KEPT_RECORDINGS,
  ...(linkedUntil === null ? [] : [describeLink(toIso(linkedUntil))]),
  ...(unreadable.count === 0 ? [] : [describeUnreadable(unreadable)]),
  'Entries in the activity log under the person’s UUID: who deleted or changed the person and when, without property values.',
  'Entries in the access log under the person’s UUID: who has read about the person and when, for 13 months.',
  'Event names, which all persons of the project share.',
  'Other data that names the person, if any: recipients of subscriptions, insights, dashboards, annotations, cohorts, other persons, and other persons’ events.',
  'A keyed hash of each distinct id, so that events that arrive late do not recreate the person.'
]

/** Writes the receipt of an erasure after every store was searched again. */
export function writeReceipt(
  erasure: ErasureRow,
  { at, remaining, unreadable }: ErasureSearch
): ReceiptContent {
  const { run, completes } = erasure
  // The row of an erasure that was widened to keep nothing still has a date.
  const until = completableUntil(erasure)
  const mentions = MentionCounts.parse(erasure.mentions)
  const removed: StoreCounts = { ...sumObjects(erasure.stores), events: erasure.removed }
  // An emptied store is listed even if it had nothing: it was searched.
  const stores = STORE_NAMES.filter((store) => isEmptied(store, erasure) || removed[store])
  return {
    id: erasure.id,
    project_id: erasure.projectId,
    person_uuid: erasure.personUuid,
    requested_at: toIso(erasure.requestedAt),
    requested_by: erasure.requestedBy,
    ...(completes !== null && { completes }),
    ...extentToJson(erasure),
    ...(until !== null && { linked_until: toIso(until) }),
    run: run === null ? null : toIso(run),
    stores: stores.toSorted().map((store) => countsOf(store, removed, remaining)),
    ...(mentions !== null && { mentions }),
    late_events_dropped: erasure.dropped,
    verified_at: toIso(at),
    kept: describeKept(erasure, until, unreadable),
    backups_until: toIso(backupsUntil(at))
  }
}

/** Returns what a receipt says about a store. */
export function countsOf(store: StoreName, removed: StoreCounts, remaining: StoreCounts) {
  const [gone, left] = [removed[store] ?? 0, remaining[store] ?? 0]
  return { store, found: gone + left, removed: gone, remaining: left }
}

import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { DAY } from '../calendar/units.ts'
import { extentOf } from './extent.ts'
import { MentionCount } from './mentions/schemas.ts'
import { isEmptied, STORE_NAMES, type StoreCounts } from './stores.ts'

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
  delete_events: z.boolean(),
  delete_recordings: z.boolean(),
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

type Facts = Omit<
  ReceiptContent,
  | 'requested_at'
  | 'run'
  | 'completes'
  | 'linked_until'
  | 'stores'
  | 'mentions'
  | 'verified_at'
  | 'kept'
  | 'backups_until'
> & {
  /** Times in ms UTC. */
  requestedAt: number
  run: number | null
  linkedUntil: number | null
  verifiedAt: number
  /** The id of the earlier erasure; null for the first. */
  completes: number | null
  mentions: MentionCount[] | null
  removed: StoreCounts
  remaining: StoreCounts
  unreadable: Unreadable
}

/** The dead letters of the project that could not be read: the keys of some objects, and the number of all. */
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
 * @param linkedUntil until when the kept data can be deleted, ms UTC; null if the link to it is removed or nothing is kept
 */
export const describeKept = (
  extent: Pick<ReceiptContent, 'delete_events' | 'delete_recordings'>,
  linkedUntil: number | null,
  unreadable = NONE
): string[] => [
  ...(extent.delete_events ? [] : [KEPT_EVENTS]),
  extent.delete_recordings
    ? 'The session ids of the deleted recordings, with their times and activity counts, so that snapshots that arrive late are discarded.'
    : KEPT_RECORDINGS,
  ...(linkedUntil === null ? [] : [describeLink(toIso(linkedUntil))]),
  ...(unreadable.count === 0 ? [] : [describeUnreadable(unreadable)]),
  'Entries in the activity log under the person’s UUID: who deleted or changed the person and when, without property values.',
  'Event names, which all persons of the project share.',
  'Other data that names the person, if any: recipients of subscriptions, insights, dashboards, other persons, and other persons’ events.',
  'A keyed hash of each distinct id, so that events that arrive late do not recreate the person.'
]

/** Writes the receipt of an erasure after every store was searched again. */
export function writeReceipt({
  requestedAt,
  run,
  linkedUntil,
  completes,
  mentions,
  verifiedAt,
  removed,
  remaining,
  unreadable,
  ...facts
}: Facts): ReceiptContent {
  // An emptied store is listed even if it had nothing: it was searched.
  const extent = extentOf(facts)
  const stores = STORE_NAMES.filter((store) => isEmptied(store, extent) || removed[store]).sort()
  return {
    ...facts,
    requested_at: toIso(requestedAt),
    run: run === null ? null : toIso(run),
    ...(completes !== null && { completes }),
    ...(linkedUntil !== null && { linked_until: toIso(linkedUntil) }),
    stores: stores.map((store) => {
      const [gone, left] = [removed[store] ?? 0, remaining[store] ?? 0]
      return { store, found: gone + left, removed: gone, remaining: left }
    }),
    ...(mentions !== null && { mentions }),
    verified_at: toIso(verifiedAt),
    kept: describeKept(facts, linkedUntil, unreadable),
    backups_until: toIso(backupsUntil(verifiedAt))
  }
}

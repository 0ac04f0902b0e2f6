import { toIso } from '../calendar/clock.ts'
import type { Db } from '../db/client.ts'
import { findPersonsToErase, type PersonToErase, type Selection } from './erase.store.ts'
import { countEventStores, countOwned } from './preview.store.ts'
import { describeKept } from './receipt.ts'
import { nextRunAfter } from './schedule.ts'

type Extent = { deleteEvents: boolean; deleteRecordings: boolean }

/** Stores that are deleted only with `delete_events`. */
const WITH_EVENTS = new Set(['events', 'sessions', 'segments'])

/** Stores that are deleted only with `delete_recordings`. */
const WITH_RECORDINGS = new Set(['recordings', 'recording_parts'])

/**
 * Returns what an erasure of the selected persons would delete and keep now, by store. Reads only.
 * @returns the persons that exist, too
 */
export async function previewErasure(
  db: Db,
  projectId: number,
  { selection, now, ...extent }: Extent & { selection: Selection; now: Date }
) {
  const persons = await findPersonsToErase(db, projectId, selection)
  const keys = persons.flatMap(({ identities }) => identities.map(({ key }) => key))
  const ids = persons.map(({ id }) => id)
  const counts = {
    ...(await countOwned(db, projectId, ids, keys)),
    ...(await countEventStores(db, projectId, keys))
  }
  return { persons, preview: describePreview(persons, counts, extent, now) }
}

function describePreview(
  persons: PersonToErase[],
  counts: Record<string, number>,
  { deleteEvents, deleteRecordings }: Extent,
  now: Date
) {
  const isDeleted = (store: string): boolean => {
    if (WITH_EVENTS.has(store)) {
      return deleteEvents
    }
    return WITH_RECORDINGS.has(store) ? deleteRecordings : true
  }
  const at = now.getTime()
  return {
    dry_run: true as const,
    persons_found: persons.length,
    delete_events: deleteEvents,
    delete_recordings: deleteRecordings,
    scheduled_for: toIso(deleteEvents ? nextRunAfter(at) : at),
    stores: Object.entries(counts)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([store, count]) => ({
        store,
        deleted: isDeleted(store) ? count : 0,
        kept: isDeleted(store) ? 0 : count
      })),
    kept: describeKept({ delete_events: deleteEvents, delete_recordings: deleteRecordings })
  }
}

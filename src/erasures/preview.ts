import { toIso } from '../calendar/clock.ts'
import type { Db } from '../db/client.ts'
import { type CompletionSetting, linkedUntil } from './completions/days.ts'
import { findPersonsToErase, type Selection } from './erase.store.ts'
import { countEventStores, countOwned } from './preview.store.ts'
import { describeKept } from './receipt.ts'
import { nextRunAfter } from './schedule.ts'

type Extent = { deleteEvents: boolean; deleteRecordings: boolean }

/** What to delete besides the person, until when the rest can be deleted, and the time of the request. */
type Wanted = Extent & { setting: CompletionSetting; now: Date }

/** Stores that are deleted only with `delete_events`. */
const WITH_EVENTS = ['events', 'sessions', 'segments']

/** Stores that are deleted only with `delete_recordings`. */
const WITH_RECORDINGS = ['recordings', 'recording_parts']

/**
 * Returns what an erasure of the selected persons would delete and keep now, by store. Reads only.
 * @returns also the selected persons that exist
 */
export async function previewErasure(
  db: Db,
  projectId: number,
  { selection, ...wanted }: Wanted & { selection: Selection }
) {
  const persons = await findPersonsToErase(db, projectId, selection)
  const keys = persons.flatMap(({ identities }) => identities.map(({ key }) => key))
  const ids = persons.map(({ id }) => id)
  const counts = {
    ...(await countOwned(db, projectId, ids, keys)),
    ...(await countEventStores(db, projectId, keys))
  }
  return { persons, preview: describePreview(persons.length, counts, wanted) }
}

/** Returns what the completion of erasures would delete and keep now, by store. Reads only. @param keys of erased identities */
export async function previewCompletion(
  db: Db,
  projectId: number,
  { persons, keys, ...wanted }: Wanted & { persons: number; keys: number[] }
) {
  const counts = {
    ...(await countOwned(db, projectId, [], keys)),
    ...(await countEventStores(db, projectId, keys))
  }
  const kept = Object.entries(counts).filter(([store]) =>
    [...WITH_EVENTS, ...WITH_RECORDINGS].includes(store)
  )
  return describePreview(persons, Object.fromEntries(kept), wanted)
}

function describePreview(
  persons: number,
  counts: Record<string, number>,
  { deleteEvents, deleteRecordings, setting, now }: Wanted
) {
  const isDeleted = (store: string): boolean => {
    if (WITH_EVENTS.includes(store)) {
      return deleteEvents
    }
    return deleteRecordings || !WITH_RECORDINGS.includes(store)
  }
  const at = now.getTime()
  return {
    dry_run: true as const,
    persons_found: persons,
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
    kept: describeKept(
      { delete_events: deleteEvents, delete_recordings: deleteRecordings },
      linkedUntil({ deleteEvents, deleteRecordings }, setting, at)
    )
  }
}

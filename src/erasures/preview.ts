import { toIso } from '../calendar/clock.ts'
import type { Db } from '../db/client.ts'
import { type CompletionSetting, linkedUntil } from './completions/days.ts'
import type { Remains } from './completions/store.ts'
import { findPersonsToErase, findVisitors, type Selection } from './erase.store.ts'
import { countEventStores, countOwned } from './preview.store.ts'
import { describeKept } from './receipt.ts'
import { nextRunAfter } from './schedule.ts'

type Extent = { deleteEvents: boolean; deleteRecordings: boolean }

/**
 * What a request deletes besides the person. `setting` says for how many days kept data can still be deleted; `now` is the time
 * of the request.
 */
type Wanted = Extent & { setting: CompletionSetting; now: Date }

/** Stores that are deleted only with `delete_events`. */
const WITH_EVENTS = ['events', 'sessions', 'segments']

/** Stores that are deleted only with `delete_recordings`. */
const WITH_RECORDINGS = ['recordings', 'recording_parts']

/** How many rows of a store would be deleted and kept. */
type StorePreview = { store: string; deleted: number; kept: number }

/**
 * Returns the selected persons that exist, the identities without a person that have one of the selected distinct ids, and how
 * many of the rows that are stored now an erasure would delete and keep, by store. Reads only.
 */
export async function previewErasure(
  db: Db,
  projectId: number,
  { selection, ...wanted }: Wanted & { selection: Selection }
) {
  const persons = await findPersonsToErase(db, projectId, selection)
  const visitors = await findVisitors(db, projectId, selection.distinctIds ?? [], persons)
  const identities = [...persons.flatMap((person) => person.identities), ...visitors]
  const keys = identities.map(({ key }) => key)
  const ids = persons.map(({ id }) => id)
  const counts = {
    ...(await countOwned(db, projectId, ids, keys)),
    ...(await countEventStores(db, projectId, keys))
  }
  const isDeleted = (store: string): boolean => {
    if (WITH_EVENTS.includes(store)) {
      return wanted.deleteEvents
    }
    return wanted.deleteRecordings || !WITH_RECORDINGS.includes(store)
  }
  const stores = Object.entries(counts).map(([store, count]) => ({
    store,
    deleted: isDeleted(store) ? count : 0,
    kept: isDeleted(store) ? 0 : count
  }))
  const preview = describePreview(persons.length + visitors.length, stores, wanted)
  return { persons, visitors, preview }
}

/**
 * Returns how many of the rows that earlier erasures kept, and that are stored now, a later request to delete them would delete
 * and keep, by store. Rows that the earlier erasure is still going to delete count as deleted, too. Reads only.
 */
export async function previewCompletion(
  db: Db,
  projectId: number,
  { remains, ...wanted }: Wanted & { remains: readonly Remains[] }
) {
  const deletesEvents = (one: Extent) => wanted.deleteEvents || one.deleteEvents
  const deletesRecordings = (one: Extent) => wanted.deleteRecordings || one.deleteRecordings
  const countRecordings = async (keys: number[]) => {
    const { recordings = 0, recording_parts = 0 } = await countOwned(db, projectId, [], keys)
    return { recordings, recording_parts }
  }
  const stores = [
    ...(await countEach(remains, deletesEvents, (keys) => countEventStores(db, projectId, keys))),
    ...(await countEach(remains, deletesRecordings, countRecordings))
  ]
  // Each erasure is that of one person. A flag is true only if all of them delete its kind of data; without erasures, it is the
  // request's.
  const isNothing = remains.length === 0
  return describePreview(remains.length, stores, {
    ...wanted,
    deleteEvents: isNothing ? wanted.deleteEvents : remains.every(deletesEvents),
    deleteRecordings: isNothing ? wanted.deleteRecordings : remains.every(deletesRecordings)
  })
}

/** Counts rows of some stores, separately for the erasures that delete them and for those that keep them. */
async function countEach(
  remains: readonly Remains[],
  isDeleted: (one: Remains) => boolean,
  count: (keys: number[]) => Promise<Record<string, number>>
): Promise<StorePreview[]> {
  const countOf = (some: readonly Remains[]) =>
    count(some.flatMap(({ identities }) => identities.map(({ key }) => key)))
  const deleted = await countOf(remains.filter(isDeleted))
  const kept = await countOf(remains.filter((one) => !isDeleted(one)))
  return Object.keys(deleted).map((store) => ({
    store,
    deleted: deleted[store] ?? 0,
    kept: kept[store] ?? 0
  }))
}

function describePreview(
  persons: number,
  stores: StorePreview[],
  { deleteEvents, deleteRecordings, setting, now }: Wanted
) {
  const at = now.getTime()
  return {
    dry_run: true as const,
    persons_found: persons,
    delete_events: deleteEvents,
    delete_recordings: deleteRecordings,
    scheduled_for: toIso(deleteEvents ? nextRunAfter(at) : at),
    stores: stores.toSorted((a, b) => (a.store < b.store ? -1 : 1)),
    kept: describeKept(
      { delete_events: deleteEvents, delete_recordings: deleteRecordings },
      linkedUntil({ deleteEvents, deleteRecordings }, setting, at)
    )
  }
}

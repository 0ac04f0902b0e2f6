import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { nextRunAfter } from '../engine/schedule.ts'
import { type Extent, extentToJson, widen } from '../extent.ts'
import { type CompletionSetting, linkedUntil } from '../kept-data/days.ts'
import type { Remains } from '../kept-data/store.ts'
import { STORE_NAMES, type StoreName } from '../names.ts'
import { isEmptied, STORES, type StoreCounts } from '../stores.ts'
import { findPersonsToErase, findVisitors, type Selection } from './erase.store.ts'
import { countEventStores, countOwned } from './preview.store.ts'
import { describeKept } from './receipt.ts'

/**
 * What a request deletes besides the person. `setting` says for how many days kept data can still
 * be deleted; `now` is the time of the request.
 */
type Wanted = Extent & { setting: CompletionSetting; now: Date }

const storesWith = (whole: 'person' | 'events' | 'recordings'): StoreName[] =>
  STORE_NAMES.filter((name) => STORES[name].deletedWith === whole)

type StorePreview = { store: StoreName; deleted: number; kept: number }

/**
 * Returns the selected persons that exist, the identities without a person that have one of the
 * selected distinct ids, and how many of the rows that are stored now an erasure would delete and
 * keep, by store. Reads only.
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
  const own = [...storesWith('person'), ...storesWith('recordings')]
  const counts: StoreCounts = {
    ...(await countOwned(db, projectId, { ids, keys }, own)),
    ...(await countEventStores(db, projectId, keys))
  }
  const stores = STORE_NAMES.filter((store) => counts[store] !== undefined).map((store) => {
    const count = counts[store] ?? 0
    return isEmptied(store, wanted)
      ? { store, deleted: count, kept: 0 }
      : { store, deleted: 0, kept: count }
  })
  const preview = describePreview(persons.length + visitors.length, stores, wanted)
  return { persons, visitors, preview }
}

/**
 * Returns how many of the rows that earlier erasures kept, and that are stored now, a later request
 * to delete them would delete and keep, by store. Rows that the earlier erasure is still going to
 * delete count as deleted, too. Reads only.
 */
export async function previewKept(
  db: Db,
  projectId: number,
  { remains, ...wanted }: Wanted & { remains: readonly Remains[] }
) {
  const all = remains.map((one) => ({ ...one, ...widen(one, wanted) }))
  const deletesEvents = ({ deleteEvents }: Extent) => deleteEvents
  const deletesRecordings = ({ deleteRecordings }: Extent) => deleteRecordings
  const recorded = storesWith('recordings')
  const stores = [
    ...(await countEach(all, deletesEvents, (keys) => countEventStores(db, projectId, keys))),
    ...(await countEach(all, deletesRecordings, (keys) =>
      countOwned(db, projectId, { ids: [], keys }, recorded)
    ))
  ]
  // Each erasure is that of one person. A flag is true only if all of them delete its kind of data;
  // without erasures, it is the request's.
  const isNothing = remains.length === 0
  return describePreview(remains.length, stores, {
    ...wanted,
    deleteEvents: isNothing ? wanted.deleteEvents : all.every(deletesEvents),
    deleteRecordings: isNothing ? wanted.deleteRecordings : all.every(deletesRecordings)
  })
}

/** Counts rows for the erasures that delete them, and for those that keep them. */
async function countEach(
  remains: readonly Remains[],
  isDeleted: (one: Remains) => boolean,
  count: (keys: number[]) => Promise<StoreCounts>
): Promise<StorePreview[]> {
  const countOf = (some: readonly Remains[]) =>
    count(some.flatMap(({ identities }) => identities.map(({ key }) => key)))
  const deleted = await countOf(remains.filter(isDeleted))
  const kept = await countOf(remains.filter((one) => !isDeleted(one)))
  return STORE_NAMES.filter((store) => deleted[store] !== undefined).map((store) => ({
    store,
    deleted: deleted[store] ?? 0,
    kept: kept[store] ?? 0
  }))
}

function describePreview(
  persons: number,
  stores: StorePreview[],
  { setting, now, ...extent }: Wanted
) {
  const at = now.getTime()
  return {
    dry_run: true as const,
    persons_found: persons,
    ...extentToJson(extent),
    scheduled_for: toIso(extent.deleteEvents ? nextRunAfter(at) : at),
    stores: stores.toSorted((a, b) => (a.store < b.store ? -1 : 1)),
    kept: describeKept(extent, linkedUntil(extent, setting, at))
  }
}

import { hashDistinctId } from '../../barred/tombstones/tombstone.ts'
import type { Db } from '../../db/client.ts'
import { retryConflicts } from '../../db/retry.ts'
import type { Announce } from '../../ledger/ledger.ts'
import { type Actor, idsOfActor } from '../../persons/activity/entry.ts'
import { clean } from '../../persons/distinct-id.ts'
import type { Sender } from '../../queues/send.ts'
import { enqueueErasures } from '../engine/enqueue.ts'
import type { ErasureMessage } from '../engine/message.ts'
import type { CompletionEntry } from '../entries.ts'
import { type Extent, extentToJson, isSameExtent, widen } from '../extent.ts'
import { type CompletionSetting, linkedUntil } from './days.ts'
import { findRemains, type Remains, writeCompletions } from './store.ts'

type Project = { id: number; erasureSalt: string }

/** Deleted persons, by their UUIDs or by distinct ids that they had. */
export type Named = { uuids: string[] } | { distinctIds: string[] }

/** A request to delete data that earlier erasures kept. */
export type Completion = Extent & {
  named: Named
  actor: Actor
  setting: CompletionSetting
  /** Enters the request in the ledger. */
  announce: Announce<CompletionEntry>
  now: Date
}

/** A UUID or distinct id from a request, and the erasures of the persons that had it. */
export type NamedErasures = { name: string; remains: Remains[] }

/** Finds, for each name, the erasures with a link to data that they kept, and those without any. */
export async function findNamed(db: Db, project: Project, named: Named): Promise<NamedErasures[]> {
  if ('uuids' in named) {
    const remains = await findRemains(db, project.id, { uuids: named.uuids, hashes: [] })
    return named.uuids.map((name) => ({
      name,
      remains: remains.filter(({ personUuid }) => personUuid === name)
    }))
  }
  const hashes = named.distinctIds.map((id) =>
    hashDistinctId(project.erasureSalt, project.id, clean(id))
  )
  const remains = await findRemains(db, project.id, { uuids: [], hashes })
  return named.distinctIds.map((name, i) => ({
    name,
    remains: remains.filter(({ identities }) => identities.some(({ hash }) => hash === hashes[i]))
  }))
}

/** Returns, each once, the erasures that kept data of a kind that the request deletes. */
export function unfinished(found: NamedErasures[], extent: Extent): Remains[] {
  const all = new Map(found.flatMap(({ remains }) => remains.map((one) => [one.id, one])))
  return [...all.values()].filter((one) => hasKept(one, extent))
}

/** Whether an erasure kept events or recordings that the request deletes. */
export const hasKept = (remains: Remains, extent: Extent): boolean =>
  !isSameExtent(widen(remains, extent), remains)

/**
 * Deletes data that earlier erasures kept: recordings at once, events in the next weekly run. An
 * open erasure is widened: it deletes this data, too. A completed erasure already has a receipt, so
 * a new erasure deletes the data.
 * @returns the erasures of each name, as they were before
 */
export async function eraseKept(
  db: Db,
  queue: Sender<ErasureMessage>,
  project: Project,
  { named, actor, setting, announce, now, ...extent }: Completion
): Promise<NamedErasures[]> {
  const at = now.getTime()
  // Read before the ledger gets an entry: a wrong setting must fail before anything is promised.
  const until = linkedUntil(extent, setting, at)
  const { found, ids } = await retryConflicts(async () => {
    const found = await findNamed(db, project, named)
    const remains = unfinished(found, extent)
    if (remains.length === 0) {
      return { found, ids: [] }
    }
    const entry = await announce({
      kind: 'completion',
      project: project.id,
      persons: [...new Set(remains.map(({ personUuid }) => personUuid))],
      ...extentToJson(extent),
      requested_at: at,
      ...idsOfActor(actor)
    })
    return { found, ids: await writeCompletions(db, entry, { remains, actor, linkedUntil: until }) }
  })
  await enqueueErasures(queue, project.id, ids)
  return found
}

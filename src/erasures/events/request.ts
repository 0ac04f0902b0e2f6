import { v7 as uuidv7 } from 'uuid'
import type { Calendar } from '../../calendar/buckets.ts'
import { toIso } from '../../calendar/clock.ts'
import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { EventFilters } from '../../events/scan.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { log } from '../../log.ts'
import { type Actor, idsOfActor } from '../../persons/activity/entry.ts'
import type { RemovalEntry } from './entry.ts'
import { type Filters, readEventFilters } from './filters.ts'
import { digestOf, writeList } from './list.ts'
import { type FoundEvents, findEvents } from './scan.ts'
import { findRemoval, insertRemoval, type RemovalRow } from './store.ts'
import { type DryRun, expectRecent, makeToken, readToken } from './token.ts'

type Project = Calendar & { id: number }

/** The events to remove, or the properties to remove from them. */
export type RemovalRequest = { filters: Filters; properties: string[] | null }

/**
 * Finds the events that a request would remove now. @returns also the token with which the request
 * can be carried out; null without events, so that a misspelt name does not lead to a receipt
 */
export async function tryRemoval(
  db: Db,
  project: Project,
  wanted: RemovalRequest,
  { secret, now }: { secret: string; now: Date }
): Promise<{ found: FoundEvents; token: string | null }> {
  const filters = readEventFilters(wanted.filters, project, now)
  const { properties } = wanted
  const found = await findEvents(db, project, { filters, properties }, now)
  if (found.uuids.length === 0) {
    return { found, token: null }
  }
  const dryRun: DryRun = {
    id: uuidv7({ msecs: now.getTime() }),
    at: now.getTime(),
    events: found.uuids.length,
    digest: digestOf(found.uuids)
  }
  const token = await makeToken(dryRun, { secret, projectId: project.id, wanted })
  return { found, token }
}

type Request = {
  token: string
  actor: Actor
  secret: string
  bucket: R2Bucket
  ledger: Ledger
  now: Date
}

/**
 * Enters a removal in the ledger, and creates its task: the weekly run removes the events. A token
 * that was used already leads to the same task, at any time.
 * @throws invalid_input for a wrong or expired token, query_too_large when too many events would
 * have to be searched, conflict when other events match than in the dry run, unavailable when the
 * list or the ledger cannot be written
 */
export async function requestRemoval(
  db: Db,
  project: Project,
  wanted: RemovalRequest,
  { token, actor, secret, bucket, ledger, now }: Request
): Promise<RemovalRow> {
  const requestedAt = now.getTime()
  const dryRun = await readToken(token, { secret, projectId: project.id, wanted })
  const known = await findRemoval(db, project.id, dryRun.id)
  if (known) {
    return known
  }
  expectRecent(dryRun, requestedAt)
  const asOf = new Date(dryRun.at)
  const { properties } = wanted
  const filters = readEventFilters(wanted.filters, project, asOf)
  const { uuids } = await findEvents(db, project, { filters, properties }, asOf)
  const digest = digestOf(uuids)
  if (digest !== dryRun.digest) {
    throw changed(dryRun.events, uuids.length)
  }
  const removal = { id: dryRun.id, projectId: project.id }
  await writeList(bucket, removal, uuids)
  const entry: RemovalEntry = {
    kind: 'event_removal',
    project: project.id,
    id: dryRun.id,
    events: uuids.length,
    digest,
    properties,
    requested_at: requestedAt,
    ...idsOfActor(actor)
  }
  const announced = await ledger.announce(entry, requestedAt)
  await insertRemoval(db, announced, { filters: withTimes(wanted.filters, filters), actor })
  log('info', 'events queued for deletion', { project: project.id, events: uuids.length })
  const row = await findRemoval(db, project.id, dryRun.id)
  if (!row) {
    throw new Error('The task of the removal is missing.')
  }
  return row
}

/** Returns filters with the times that their relative dates mean. */
const withTimes = (filters: Filters, { from, until }: EventFilters): Filters => ({
  ...filters,
  ...(from !== undefined && { after: toIso(from) }),
  ...(until !== undefined && { before: toIso(until) })
})

function changed(before: number, now: number): AppError {
  const why =
    before === now
      ? `The dry run found ${before} events, and as many match now, but not the same`
      : `The dry run found ${before} events, and now ${now} match`
  return new AppError(
    'conflict',
    `${why}: some have arrived, were deleted or belong to another person or session since. Nothing was deleted. Try a dry run again; with \`before\` some minutes ago, events that arrive now do not match.`
  )
}

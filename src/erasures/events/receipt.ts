import { toIso } from '../../calendar/clock.ts'
import { canonical } from '../../encoding.ts'
import type { SecretOpener } from '../../ledger/secret.ts'
import { backupsUntil, countsOf } from '../persons/receipt.ts'
import { type Issued, issueReceipt, type Signer, showReceipt } from '../receipts/issue.ts'
import { hashForReceipt, saltOf } from '../receipts/subject.ts'
import { Filters } from './filters.ts'
import { describeKeptEvents } from './kept.ts'
import type { EventDeletionReceipt } from './schemas.ts'
import type { RemovalRow } from './store.ts'

/** The result of the search after the removal, which has found none of the listed events. */
export type RemovalSearch = {
  /** Events that match the filters now; null if these are unknown, or too many to search. */
  matching: number | null
  /** Time of the search, ms UTC. */
  at: number
}

/** Writes and signs the receipt of a removal. */
export async function issueRemovalReceipt(
  removal: RemovalRow,
  { matching, at }: RemovalSearch,
  { key, secret }: Signer
): Promise<Issued> {
  const { id, projectId, events, stores, properties } = removal
  const filters = removal.filters && Filters.parse(removal.filters)
  const content = {
    kind: 'event_deletion' as const,
    id,
    project_id: projectId,
    requested_at: toIso(removal.requestedAt),
    requested_by: removal.requestedBy,
    filters: filters && {
      events: filters.events ?? null,
      after: filters.after ?? null,
      before: filters.before ?? null
    },
    properties,
    events_listed: events,
    no_longer_stored: Math.max(0, events - (stores.events ?? 0)),
    stores: (['events', 'segments'] as const).map((store) => countsOf(store, stores, {})),
    matching,
    verified_at: toIso(at),
    kept: describeKeptEvents(properties),
    backups_until: toIso(backupsUntil(at))
  }
  const salt = await saltOf(secret.value, { projectId, subjectId: id, requestedAt: at })
  const subject = { hashes: hashFilters(filters, salt), salt: { value: salt, saltedAt: at } }
  return issueReceipt(content, subject, key)
}

/** Hashes the filters that may name a person. */
function hashFilters(filters: Filters | null, salt: string) {
  const { distinct_id: id, session_id: session, property_filters: properties } = filters ?? {}
  const hash = (text: string) => hashForReceipt(salt, text)
  return {
    distinct_ids: id === undefined ? [] : [hash(id)],
    session_id: session === undefined ? null : hash(session),
    property_filters: properties === undefined ? null : hash(canonical(properties))
  }
}

/**
 * Returns the receipt of a removal, as it was signed; null until the removal is completed, and if
 * it has failed, or the salt was made with a secret that is lost.
 * @throws UnavailableError when the salt's secret is missing, too short, or another one
 */
export async function receiptOf(
  { id, receipt }: RemovalRow,
  open: SecretOpener
): Promise<EventDeletionReceipt | null> {
  if (receipt === null) {
    return null
  }
  const { shown, isLost } = await showReceipt(receipt, id, open)
  return isLost ? null : (shown as EventDeletionReceipt)
}

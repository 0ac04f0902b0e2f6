import { toIso } from '../../calendar/clock.ts'
import { canonical, sha256 } from '../../hash.ts'
import type { OwnSecret } from '../../ledger/secret.ts'
import { backupsUntil } from '../receipt.ts'
import type { Signer } from '../receipts/issue.ts'
import { sign } from '../receipts/signature.ts'
import { hashForReceipt, saltOf } from '../receipts/subject.ts'
import { Filters } from './filters.ts'
import { describeKept } from './kept.ts'
import type { Receipt } from './schemas.ts'
import type { RemovalRow } from './store.ts'

/** The result of the search after the removal. */
export type Verified = {
  /** Number of listed events that are still stored or, if properties were removed, still have one of them. */
  remaining: number
  /** Number of events that match the filters now; null if the filters are unknown, or there are too many events to search. */
  matching: number | null
  /** Time of the search, ms UTC. */
  at: number
}

/** A receipt as the database keeps it: without the salt, which is computed again from the secret. */
type Stored = Omit<Receipt, 'subject'> & { subject: Omit<Receipt['subject'], 'salt'> }

/** Signs the receipt of a removal. @returns the receipt to store, and its hash for the ledger */
export async function issueReceipt(
  removal: RemovalRow,
  { remaining, matching, at }: Verified,
  { key, secret: { value: secret } }: Signer
): Promise<{ stored: Stored; hash: string }> {
  const { events, stores, properties } = removal
  const filters = removal.filters && Filters.parse(removal.filters)
  const removed = stores.events ?? 0
  const counts = { events: removed, segments: stores.segments ?? 0 }
  const signed = await sign(
    {
      kind: 'event_deletion' as const,
      id: removal.id,
      project_id: removal.projectId,
      requested_at: toIso(removal.requestedAt),
      requested_by: removal.requestedBy,
      filters: filters && {
        events: filters.events ?? null,
        after: filters.after ?? null,
        before: filters.before ?? null
      },
      properties,
      events_listed: events,
      no_longer_stored: Math.max(0, events - removed - remaining),
      stores: Object.entries(counts)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([store, count]) => {
          const left = store === 'events' ? remaining : 0
          return { store, found: count + left, removed: count, remaining: left }
        }),
      matching,
      verified_at: toIso(at),
      kept: describeKept(properties),
      backups_until: toIso(backupsUntil(at)),
      subject: subjectOf(filters, await saltFor(removal, secret))
    },
    key
  )
  const { salt: _, ...subject } = signed.subject
  return { stored: { ...signed, subject }, hash: sha256(canonical(signed)) }
}

/** Hashes the filters that may name a person. */
function subjectOf(filters: Filters | null, salt: string): Receipt['subject'] {
  const { distinct_id: id, session_id: session, property_filters: properties } = filters ?? {}
  const hash = (text: string) => hashForReceipt(salt, text)
  return {
    salt,
    distinct_ids: id === undefined ? [] : [hash(id)],
    session_id: session === undefined ? null : hash(session),
    property_filters: properties === undefined ? null : hash(canonical(properties))
  }
}

/**
 * Returns the receipt of a removal, as it was signed; null until the removal is completed, and if it has failed, or the salt
 * was made with a secret that is lost.
 */
export async function receiptOf(
  removal: RemovalRow,
  { value: secret, since }: OwnSecret
): Promise<Receipt | null> {
  if (removal.receipt === null || (removal.completedAt ?? 0) < since) {
    return null
  }
  // Not parsed: what a schema leaves out or adds would invalidate the signature.
  const { subject, ...stored } = removal.receipt as Stored
  return { ...stored, subject: { salt: await saltFor(removal, secret), ...subject } }
}

const saltFor = ({ id, projectId, requestedAt }: RemovalRow, secret: string): Promise<string> =>
  saltOf(secret, { projectId, subjectId: id, requestedAt })

import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { toHex } from '../hash.ts'

const DAY = 86_400_000

/** Days that D1 Time Travel can go back. */
const BACKUP_DAYS = 30

const Store = z.object({
  store: z.string().meta({
    description:
      'The name of the store. `queued_requests` and `queued_recording_parts` count objects in R2 that wait to be processed; all others count rows.'
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
  delete_events: z.boolean(),
  delete_recordings: z.boolean().default(false),
  run: z.iso.datetime().nullable().meta({ description: 'The weekly run that removed the events.' }),
  stores: z.array(Store),
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

export const RECEIPT_EXAMPLE = {
  id: 7,
  project_id: 1,
  person_uuid: '01a1f000-0000-7000-8000-00000000000a',
  requested_at: '2026-11-20T10:00:00Z',
  requested_by: {
    user: { id: 1, first_name: 'Ada', email: 'ada@example.com' },
    key: { id: 1, label: 'admin' }
  },
  delete_events: true,
  delete_recordings: false,
  run: '2026-11-22T05:00:00Z',
  stores: [{ store: 'events', found: 1200, removed: 1200, remaining: 0 }],
  late_events_dropped: 0,
  verified_at: '2026-11-22T05:00:09Z',
  kept: [],
  backups_until: '2026-12-22T05:00:09Z',
  signature: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
}

/** A receipt with the signature that proves its origin and that it is unchanged. */
export const Receipt = ReceiptContent.extend({
  signature: z.string().max(200).meta({
    description:
      'Hexadecimal HMAC-SHA256 of all other members, as JSON with sorted keys and without spaces.'
  })
}).meta({ id: 'DeletionReceipt', examples: [RECEIPT_EXAMPLE] })
export type Receipt = z.infer<typeof Receipt>

type Facts = Omit<
  ReceiptContent,
  'requested_at' | 'run' | 'stores' | 'verified_at' | 'kept' | 'backups_until'
> & {
  /** Times in ms UTC. */
  requestedAt: number
  run: number | null
  verifiedAt: number
  /** Rows or objects, by store. */
  removed: Record<string, number>
  remaining: Record<string, number>
}

/** Writes the receipt of an erasure after every store was searched again. */
export function writeReceipt({
  requestedAt,
  run,
  verifiedAt,
  removed,
  remaining,
  ...facts
}: Facts): ReceiptContent {
  const stores = [...new Set([...Object.keys(removed), ...Object.keys(remaining)])].sort()
  return {
    ...facts,
    requested_at: toIso(requestedAt),
    run: run === null ? null : toIso(run),
    stores: stores.map((store) => {
      const [gone, left] = [removed[store] ?? 0, remaining[store] ?? 0]
      return { store, found: gone + left, removed: gone, remaining: left }
    }),
    verified_at: toIso(verifiedAt),
    kept: [
      ...(facts.delete_events
        ? []
        : [
            'The events, as requested, attributed to one anonymous person; their own properties are unchanged.'
          ]),
      facts.delete_recordings
        ? 'The session ids of the deleted recordings, with their times and activity counts, so that snapshots that arrive late are discarded.'
        : 'The recordings of the person’s sessions, if any, as requested; they no longer belong to a person.',
      'Entries in the activity log under the person’s UUID: who deleted or changed the person and when, without property values.',
      'Event names, which all persons of the project share.',
      'A keyed hash of each distinct id, so that events that arrive late do not recreate the person.'
    ],
    backups_until: toIso(verifiedAt + BACKUP_DAYS * DAY)
  }
}

export const signReceipt = async (content: ReceiptContent, secret: string): Promise<Receipt> => ({
  ...content,
  signature: toHex(await crypto.subtle.sign('HMAC', await importKey(secret), encode(content)))
})

/** Whether a receipt was signed with this secret and has not been changed since. */
export async function isGenuine(
  receipt: Record<string, unknown>,
  secret: string
): Promise<boolean> {
  const { signature, ...content } = receipt
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) {
    return false
  }
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return crypto.subtle.verify('HMAC', await importKey(secret), bytes, encode(content))
}

const importKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify']
  )

const encode = (content: Record<string, unknown>) =>
  new TextEncoder().encode(JSON.stringify(sorted(content)))

/** Returns a copy in which the keys of all objects are sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}

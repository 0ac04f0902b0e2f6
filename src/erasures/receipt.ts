import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { toHex } from '../hash.ts'

const DAY = 86_400_000

/** D1's Time Travel can bring back any minute of so many days. */
const BACKUP_DAYS = 30

const Store = z.object({
  store: z.string().meta({
    description:
      '`queued_requests` and `queued_recording_parts` are objects in the bucket that wait to be processed; the others are rows.'
  }),
  found: z.int().min(0).meta({ description: 'What was there of the person.' }),
  removed: z.int().min(0),
  remaining: z.int().min(0).meta({ description: 'What the verification still found.' })
})

/** What is certified of an erasure. */
export const ReceiptContent = z.object({
  id: z.int().meta({ description: 'The erasure.' }),
  project_id: z.int(),
  person_uuid: z.guid(),
  requested_at: z.iso.datetime(),
  requested_by: z.looseObject({}).meta({ description: 'User and key.' }),
  delete_events: z.boolean(),
  delete_recordings: z.boolean().default(false),
  run: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'The weekly batch that removed the events.' }),
  stores: z.array(Store),
  late_events_dropped: z.int().min(0).meta({
    description: 'Events accepted before the request that arrived too late to be stored.'
  }),
  verified_at: z.iso.datetime().meta({ description: 'When each store was looked through again.' }),
  kept: z.array(z.string()).meta({ description: 'What stays, and why.' }),
  backups_until: z.iso.datetime().meta({
    description: 'Until then D1 Time Travel can bring back the state of before.'
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

/** With the signature that proves that it comes from this service, unchanged. */
export const Receipt = ReceiptContent.extend({
  signature: z.string().max(200).meta({
    description:
      'HMAC-SHA256, hexadecimal, of all other members as JSON with sorted keys and without spaces.'
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
  /** Rows, or objects, by store. */
  removed: Record<string, number>
  remaining: Record<string, number>
}

/** What can be said of an erasure once each store was looked through again. */
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
        : ['The events, as asked: as those of one person without a name.']),
      facts.delete_recordings
        ? 'The ids of the deleted recordings’ sessions, so that what is still on its way of them is not kept.'
        : 'The recordings of its sessions, if there were any, as asked: as those of nobody.',
      'That and by whom the person was deleted, in the activity log, without any value of a property.',
      'The names of its events, which are those of everybody.',
      'A keyed hash of each distinct id, so that what is still on its way does not bring the person back.'
    ],
    backups_until: toIso(verifiedAt + BACKUP_DAYS * DAY)
  }
}

export const signReceipt = async (content: ReceiptContent, secret: string): Promise<Receipt> => ({
  ...content,
  signature: toHex(await crypto.subtle.sign('HMAC', await importKey(secret), encode(content)))
})

/** Whether the receipt was signed with this secret and is unchanged, to the last member. */
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

/** The same with the keys of all objects in order. */
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

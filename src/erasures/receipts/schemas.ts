import * as z from 'zod'
import { describeKept, ReceiptContent } from '../persons/receipt.ts'

/** A SHA-256 in hexadecimal. */
export const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** The members that signing adds to every kind of receipt. */
export const SIGNED = {
  key: Hash.meta({
    description:
      'The fingerprint of the key that signed the receipt: the `kid` of a key in `/.well-known/receipt-keys.json`.'
  }),
  signature: z.string().max(200).meta({
    description:
      'Hexadecimal Ed25519 signature of all other members, as JSON with sorted keys and without spaces.'
  })
}

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
  linked_until: '2026-12-20T10:00:00Z',
  run: '2026-11-22T05:00:00Z',
  stores: [{ store: 'events', found: 1200, removed: 1200, remaining: 0 }],
  late_events_dropped: 0,
  verified_at: '2026-11-22T05:00:09Z',
  kept: describeKept(
    { deleteEvents: true, deleteRecordings: false },
    Date.parse('2026-12-20T10:00:00Z')
  ),
  backups_until: '2026-12-22T05:00:09Z',
  subject: {
    salt: 'c0535e4be2b79ffd93291305436bf889314e4a3faec05ecffcbb7df31ad9e51a',
    distinct_ids: ['8dbae2ca6d0d6d9e5f1b6b5d4f5cf2d17a1e8e3c7d0b7c5a9b3f2e1d0c4b5a69']
  },
  key: '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
  signature:
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'
}

/** A receipt with the signature that proves its origin and that it is unchanged. */
export const Receipt = ReceiptContent.extend({
  subject: z
    .object({ salt: Hash, distinct_ids: z.array(Hash) })
    .optional()
    .meta({
      description:
        'Identifies the deleted person to those who know a distinct id: each member of `distinct_ids` is the SHA-256 of the text that is `salt` and then an id. Absent if the person was deleted with a `RECEIPT_SECRET` that is lost.'
    }),
  key: SIGNED.key,
  signature: z.string().max(200).nullable().meta({
    description:
      'Hexadecimal Ed25519 signature of all other members, as JSON with sorted keys and without spaces, made once when the deletion was completed. Null if the `RECEIPT_SECRET` of the salt is lost; saved copies stay valid.'
  })
}).meta({ id: 'DeletionReceipt', examples: [RECEIPT_EXAMPLE] })

export type Receipt = z.infer<typeof Receipt>

export const Verification = z.object({ valid: z.boolean(), detail: z.string() }).meta({
  id: 'ReceiptVerification',
  examples: [
    { valid: true, detail: 'This service signed the receipt, and it has not been changed since.' }
  ]
})

/** A receipt to verify, with all members: any change makes the signature invalid. */
export const Presented = z
  .looseObject({
    project_id: z.int(),
    key: z.string().max(200),
    signature: z.string().max(200)
  })
  .meta({
    id: 'PresentedReceipt',
    description: 'A `DeletionReceipt`, `EventDeletionReceipt` or `SuppressionReceipt`, unchanged.',
    examples: [RECEIPT_EXAMPLE]
  })

/** The public keys of receipts, as a JSON Web Key Set (RFC 7517, RFC 8037). */
export const ReceiptKeys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        use: z.literal('sig'),
        alg: z.literal('EdDSA'),
        kid: Hash.meta({
          description:
            'The fingerprint: the SHA-256 of the 32 bytes of the key, in hexadecimal. Receipts name it in `key`.'
        }),
        x: z.string().meta({ description: 'The public key in base64url.' }),
        created_at: z.iso.datetime().meta({ description: 'When the key was published.' }),
        retired_at: z.iso.datetime().nullable().meta({
          description:
            'When the next key was published; null for the current key, and for the newest key if an earlier one is in use again.'
        })
      })
    )
  })
  .meta({
    id: 'ReceiptKeys',
    examples: [
      {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            use: 'sig',
            alg: 'EdDSA',
            kid: '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            created_at: '2026-11-20T10:00:00Z',
            retired_at: null
          }
        ]
      }
    ]
  })

import * as z from 'zod'
import { toIso } from '../../calendar/clock.ts'
import { closed, sameReason } from '../../input/fields.ts'
import { nextRunAfter } from '../engine/schedule.ts'
import { Store } from '../persons/receipt.ts'
import { Hash, SIGNED } from '../receipts/schemas.ts'
import { Filters } from './filters.ts'
import { describeKeptEvents } from './kept.ts'
import type { FoundEvents } from './scan.ts'
import type { RemovalRow } from './store.ts'
import { TOKEN_MS } from './token.ts'

/** Properties that one request removes, at most. */
const MAX_PROPERTIES = 20

/** The events to delete, or the properties to remove from them. */
export const DeleteEvents = closed(
  z
    .object({
      ...Filters.shape,
      properties: z
        .array(
          z
            .string()
            .min(1)
            .max(200)
            .refine((name) => !name.includes('\0'), 'Null characters are not allowed.')
        )
        .min(1, 'Name at least one property.')
        .max(MAX_PROPERTIES, `Name at most ${MAX_PROPERTIES} properties.`)
        .refine((names) => new Set(names).size === names.length, 'Name each property once.')
        .optional()
        .meta({
          description:
            'Names of properties: the events stay, and lose these properties, also in `$set` and `$set_once`. Without `properties`, the events are deleted.'
        }),
      dry_run: z
        .literal(true, 'Send true, or the token of a dry run instead.')
        .optional()
        .meta({ description: 'Deletes nothing: the answer counts the events, and has the token.' }),
      token: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .meta({ description: 'The token of a dry run with the same filters and properties.' })
    })
    .refine(({ dry_run, token }) => Boolean(dry_run) !== Boolean(token), {
      error: 'Send either `dry_run` or the `token` from a dry run.',
      path: ['token']
    })
    .meta({
      id: 'DeleteEvents',
      examples: [
        { events: ['signed_up'], before: '2026-01-01', properties: ['email'], dry_run: true }
      ]
    }),
  {
    ...sameReason(['event', 'event_name', 'name'], 'Name the events in `events`, a list.'),
    ...sameReason(['date_from', 'from', 'since'], 'Use `after`.'),
    ...sameReason(['date_to', 'to', 'until'], 'Use `before`.'),
    ...sameReason(['filters', 'property_filter', 'where'], 'Use `property_filters`.'),
    ...sameReason(
      ['person_id', 'person', 'person_uuid'],
      'Delete a person with their events by `DELETE persons/{id}/?delete_events=true`, or give a `distinct_id`.'
    )
  }
)

const ID = '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'
const ACTOR = {
  user: { id: 1, first_name: 'Ada', email: 'ada@example.com' },
  key: { id: 1, label: 'admin' }
}

const PREVIEW_EXAMPLE = {
  dry_run: true as const,
  events: 120,
  by_name: [{ event: 'signed_up', count: 120 }],
  persons: 98,
  sessions: 101,
  oldest: '2025-02-03T08:12:45.120Z',
  newest: '2025-12-30T22:01:07.990Z',
  scheduled_for: '2026-11-29T05:00:00Z',
  kept: describeKeptEvents(['email']),
  token: 'eyJpZCI6IjAxOTlhM2M0In0=.21fe31dfa154a261626bf854046fd227',
  expires_at: '2026-11-23T11:00:00Z'
}

export const EventDeletionPreview = z
  .object({
    dry_run: z.literal(true),
    events: z.int().meta({
      description:
        'The number of events that match; with `properties`, only of those that have one of the properties.'
    }),
    by_name: z.array(z.object({ event: z.string(), count: z.int() })),
    persons: z.int().meta({
      description: 'The number of persons that the events belong to; erased persons do not count.'
    }),
    sessions: z.int().meta({ description: 'The number of sessions that the events are in.' }),
    oldest: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The time of the oldest event; null without events.' }),
    newest: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The time of the newest event; null without events.' }),
    scheduled_for: z.iso
      .datetime()
      .meta({ description: 'The run that would delete the events if the token were sent now.' }),
    kept: z.array(z.string()).meta({ description: 'The data that would be kept, and why.' }),
    token: z.string().nullable().meta({
      description:
        'Send the token instead of `dry_run` to delete these events. Null if no event matches.'
    }),
    expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Until when the token is valid; null without a token.' })
  })
  .meta({ id: 'EventDeletionPreview', examples: [PREVIEW_EXAMPLE] })
type EventDeletionPreview = z.infer<typeof EventDeletionPreview>

export function previewToJson(
  { uuids, names, persons, sessions, oldest, newest }: FoundEvents,
  { properties, token, now }: { properties: string[] | null; token: string | null; now: number }
): EventDeletionPreview {
  return {
    dry_run: true,
    events: uuids.length,
    by_name: [...names]
      .toSorted(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
      .map(([event, count]) => ({ event, count })),
    persons,
    sessions,
    oldest: oldest === undefined ? null : toIso(oldest),
    newest: newest === undefined ? null : toIso(newest),
    scheduled_for: toIso(nextRunAfter(now)),
    kept: describeKeptEvents(properties),
    token,
    expires_at: token === null ? null : toIso(now + TOKEN_MS)
  }
}

const HASH = '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9'

const RECEIPT_EXAMPLE = {
  kind: 'event_deletion' as const,
  id: ID,
  project_id: 1,
  requested_at: '2026-11-23T10:00:00Z',
  requested_by: ACTOR,
  filters: { events: ['signed_up'], after: null, before: '2026-01-01T00:00:00Z' },
  properties: ['email'],
  events_listed: 120,
  no_longer_stored: 0,
  stores: [{ store: 'events', found: 120, removed: 120, remaining: 0 }],
  matching: 0,
  verified_at: '2026-11-29T05:00:04Z',
  kept: describeKeptEvents(['email']),
  backups_until: '2026-12-29T05:00:04Z',
  subject: { salt: HASH, distinct_ids: [], session_id: null, property_filters: null },
  key: HASH,
  signature: `${HASH}${HASH}`
}

/** The signed statement about a deletion of events. */
export const EventDeletionReceipt = z
  .object({
    kind: z.literal('event_deletion'),
    id: z.guid(),
    project_id: z.int(),
    requested_at: z.iso.datetime(),
    requested_by: z
      .looseObject({})
      .meta({ description: 'The user and the key that requested the deletion.' }),
    filters: z
      .object({
        events: z.array(z.string()).nullable(),
        after: z.string().nullable(),
        before: z.string().nullable()
      })
      .nullable()
      .meta({
        description:
          'The filters that name nobody; `subject` has the others. Null if the deletion was repeated after a restore.'
      }),
    properties: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The removed properties; null if the events were deleted.' }),
    events_listed: z.int().meta({ description: 'The events that the dry run found.' }),
    no_longer_stored: z.int().meta({
      description:
        'Listed events that were no longer there, or no longer had the properties: another deletion had removed them, or the database was restored to a time before they arrived.'
    }),
    stores: z.array(Store),
    matching: z.int().nullable().meta({
      description:
        'Events that matched the filters, and had one of the `properties`, when the events were searched again: they arrived after the dry run, or did not match then. Null if there are too many events to search, or if the filters are unknown after a restore.'
    }),
    verified_at: z.iso.datetime(),
    kept: z.array(z.string()),
    backups_until: z.iso.datetime(),
    subject: z
      .object({
        salt: Hash,
        distinct_ids: z.array(Hash),
        session_id: Hash.nullable(),
        property_filters: Hash.nullable()
      })
      .meta({
        description:
          'Hashes of the filters that may name a person: only somebody who knows a filter can recognise it. Each hash is the SHA-256 of the text that is `salt` and then the value; the text of `property_filters` is JSON with sorted keys and without spaces.'
      }),
    ...SIGNED
  })
  .meta({ id: 'EventDeletionReceipt', examples: [RECEIPT_EXAMPLE] })
export type EventDeletionReceipt = z.infer<typeof EventDeletionReceipt>

export const EventDeletion = z
  .object({
    id: z.guid(),
    status: z.enum(['queued', 'running', 'completed', 'failed']).meta({
      description:
        '`queued` until `scheduled_for`, then `running` until it is `completed`. `failed`: the list of its events was lost, and an operator gave the deletion up; `error` says so.'
    }),
    filters: Filters.nullable().meta({
      description:
        'Null once the deletion is completed or has failed, or if it was repeated after a restore. The receipt has the filters that name nobody.'
    }),
    properties: z.array(z.string()).nullable(),
    events: z.object({
      found: z.int().meta({ description: 'The events that the dry run found.' }),
      processed: z.int().meta({ description: 'How many of these events the run has handled.' })
    }),
    created_at: z.iso.datetime(),
    created_by: z.looseObject({}),
    scheduled_for: z.iso.datetime(),
    error: z.string().nullable().meta({
      description: 'The last failure, or the reason why the deletion waits; null without either.'
    }),
    receipt: EventDeletionReceipt.nullable().meta({
      description:
        'Null until the deletion is completed, if it has failed, and if the `RECEIPT_SECRET` of its salt is lost.'
    })
  })
  .meta({
    id: 'EventDeletion',
    examples: [
      {
        id: ID,
        status: 'completed',
        filters: null,
        properties: ['email'],
        events: { found: 120, processed: 120 },
        created_at: '2026-11-23T10:00:00Z',
        created_by: ACTOR,
        scheduled_for: '2026-11-29T05:00:00Z',
        error: null,
        receipt: RECEIPT_EXAMPLE
      }
    ]
  })
type EventDeletion = z.infer<typeof EventDeletion>

export const removalToJson = (
  row: RemovalRow,
  receipt: EventDeletionReceipt | null,
  now: number
): EventDeletion => ({
  id: row.id,
  status: statusOf(row, now),
  filters: row.filters && Filters.parse(row.filters),
  properties: row.properties,
  events: { found: row.events, processed: row.position },
  created_at: toIso(row.requestedAt),
  created_by: row.requestedBy,
  scheduled_for: toIso(row.dueAt),
  error: row.error,
  receipt
})

function statusOf(
  { completedAt, dueAt, receipt }: RemovalRow,
  now: number
): EventDeletion['status'] {
  if (completedAt !== null) {
    return receipt === null ? 'failed' : 'completed'
  }
  return dueAt <= now ? 'running' : 'queued'
}

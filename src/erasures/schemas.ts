import * as z from 'zod'
import { toIso } from '../calendar/clock.ts'
import { Receipt } from './receipt.ts'
import { nextRunAfter } from './schedule.ts'
import type { ErasureRow } from './store.ts'

const EXAMPLE = {
  id: 7,
  person_uuid: '01a1f000-0000-7000-8000-00000000000a',
  status: 'running',
  created_at: '2026-11-20T10:00:00Z',
  created_by: {
    user: { id: 1, first_name: 'Ada', email: 'ada@example.com' },
    key: { id: 1, label: 'admin' }
  },
  scheduled_for: '2026-11-22T05:00:00Z',
  events: { found: 1200, removed: 500, remaining: 700, dropped: 0 },
  recordings: null,
  error: null,
  delete_verified_at: null,
  receipt: null
}

/** The task of a deletion with `delete_events` or `delete_recordings`. */
export const DeletionTask = z
  .object({
    id: z.int(),
    person_uuid: z.guid(),
    status: z.enum(['queued', 'running', 'completed', 'failed']).meta({
      description:
        '`queued` until its run; `completed` only once a search of every store found nothing; `failed` ones are tried again in the next run.'
    }),
    created_at: z.iso
      .datetime()
      .meta({ description: 'When it was asked for: events accepted until then go.' }),
    created_by: z.looseObject({}).meta({ description: 'The user and the key that asked for it.' }),
    scheduled_for: z.iso
      .datetime()
      .meta({ description: 'The run that it waits for or went with, when events go.' }),
    events: z.object({
      found: z
        .int()
        .nullable()
        .meta({ description: 'Counted when the run reaches the task; null before.' }),
      removed: z.int(),
      remaining: z.int().nullable(),
      dropped: z
        .int()
        .meta({ description: 'Accepted before the request, and too late to be stored or removed.' })
    }),
    recordings: z.int().nullable().meta({
      description:
        'How many recordings were deleted with the person; null when they were to be kept.'
    }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'What last went wrong, or what the task waits for.' }),
    delete_verified_at: z.iso.datetime().nullable(),
    receipt: Receipt.nullable().meta({ description: 'The proof; null until completed.' })
  })
  .meta({ id: 'DeletionTask', examples: [EXAMPLE] })
export type DeletionTask = z.infer<typeof DeletionTask>

export function taskToJson(row: ErasureRow, receipt: Receipt | null): DeletionTask {
  const { found, removed } = row
  return {
    id: row.id,
    person_uuid: row.personUuid,
    status: row.status,
    created_at: toIso(row.requestedAt),
    created_by: row.requestedBy,
    scheduled_for: toIso(
      row.deleteEvents ? (row.run ?? nextRunAfter(row.requestedAt)) : row.requestedAt
    ),
    events: {
      found,
      removed,
      remaining: found === null ? null : Math.max(0, found - removed),
      dropped: row.dropped
    },
    recordings: row.deleteRecordings ? (row.stores.recordings ?? 0) : null,
    error: row.error,
    delete_verified_at: receipt?.verified_at ?? null,
    receipt
  }
}

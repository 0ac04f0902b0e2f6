import type { ErasureRow } from '../../src/erasures/engine/store.ts'

/** Returns the row of an erasure with events and recordings, whose run has purged three events. */
export const newErasureRow = (changes: Partial<ErasureRow> = {}): ErasureRow => ({
  id: 7,
  projectId: 1,
  personId: 3,
  personUuid: '01a1f000-0000-7000-8000-00000000000a',
  requestedAt: Date.parse('2026-11-20T10:00:00Z'),
  requestedBy: { user: { id: 1 } },
  deleteEvents: true,
  deleteRecordings: true,
  status: 'running',
  run: Date.parse('2026-11-22T05:00:00Z'),
  clearedAt: Date.parse('2026-11-20T10:00:05Z'),
  found: 3,
  removed: 3,
  dropped: 0,
  stores: { persons: 1 },
  mentions: null,
  attempts: 0,
  error: null,
  progressAt: Date.parse('2026-11-22T05:00:00Z'),
  receipt: null,
  linkedUntil: null,
  completes: null,
  ...changes
})

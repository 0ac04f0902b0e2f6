import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashDistinctId, tombstoneFor } from '../../../src/barred/tombstones/tombstone.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { messagesFor } from '../../../src/erasures/engine/message.ts'
import { isWeekly, lastRunBy, nextRunAfter } from '../../../src/erasures/engine/schedule.ts'
import { linkedUntil, readCompletionDays } from '../../../src/erasures/kept-data/days.ts'
import { STORE_NAMES } from '../../../src/erasures/names.ts'
import { describeKept, writeReceipt } from '../../../src/erasures/persons/receipt.ts'
import { deep } from '../../support/depth.ts'
import { newErasureRow } from '../../support/erasure-row.ts'

const at = (text: string) => Date.parse(text)

describe('the weekly run', () => {
  it.each([
    ['2026-11-22T05:00:00.000Z', '2026-11-22T05:00:00.000Z', '2026-11-29T05:00:00.000Z'],
    ['2026-11-22T04:59:59.999Z', '2026-11-15T05:00:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['2026-11-28T23:59:59.999Z', '2026-11-22T05:00:00.000Z', '2026-11-29T05:00:00.000Z'],
    ['2024-02-29T12:00:00.000Z', '2024-02-25T05:00:00.000Z', '2024-03-03T05:00:00.000Z'],
    ['1970-01-01T00:00:00.000Z', '1969-12-28T05:00:00.000Z', '1970-01-04T05:00:00.000Z']
  ])('as of %s, was last at %s and is next at %s', (now, last, next) => {
    expect(new Date(lastRunBy(at(now))).toISOString()).toBe(last)
    expect(new Date(nextRunAfter(at(now))).toISOString()).toBe(next)
  })

  it('is every Sunday at 05:00 UTC: the last one at or before now, the next one a week after it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (now) => {
        const [last, next] = [new Date(lastRunBy(now)), new Date(nextRunAfter(now))]
        for (const run of [last, next]) {
          expect([run.getUTCDay(), run.toISOString().slice(10)]).toEqual([0, 'T05:00:00.000Z'])
        }
        expect(last.getTime() <= now && now < next.getTime()).toBe(true)
        expect(next.getTime() - last.getTime()).toBe(7 * DAY)
      }),
      deep(100)
    )
  })

  it.each([
    ['0 5 * * SUN', true],
    ['0 5 * * sun', true],
    ['0 5 * * 1', true],
    ['0 5 * * 0', false],
    ['0 5 * * MON', false],
    ['*/15 * * * *', false]
  ])('has the cron expression %s: %s', (cron, isExpected) => {
    expect(isWeekly(cron)).toBe(isExpected)
  })
})

describe('messages', () => {
  it('hold each erasure once; a message has at most 50 erasures, all of one project', () => {
    const erasures = Array.from({ length: 130 }, (_, id) => ({ id, project_id: id % 2 }))

    const bodies = messagesFor(erasures)

    expect(bodies.map(({ project_id, erasures }) => [project_id, erasures.length])).toEqual([
      [0, 50],
      [0, 15],
      [1, 50],
      [1, 15]
    ])
    expect(bodies.flatMap(({ erasures }) => erasures).sort((a, b) => a - b)).toEqual(
      erasures.map(({ id }) => id)
    )
  })
})

describe('a late event', () => {
  const tombstones = [200, 100].map((erasedAt) => ({
    key: erasedAt,
    erasureId: 1,
    erasedAt,
    isOpen: true,
    deletesEvents: true,
    deletesRecordings: false
  }))

  it.each([
    [50, 100],
    [100, 100],
    [101, 200],
    [200, 200],
    [201, undefined]
  ])('accepted at %i belongs to the erasure at %s', (receivedAt, erasedAt) => {
    expect(tombstoneFor(tombstones, receivedAt)?.erasedAt).toBe(erasedAt)
  })

  it('is recognised by a hash of salt, project and distinct id', () => {
    const hashes = [
      hashDistinctId('salt', 1, 'ada'),
      hashDistinctId('salt', 1, 'bob'),
      hashDistinctId('salt', 2, 'ada'),
      hashDistinctId('other', 1, 'ada'),
      hashDistinctId('salt', 1, 'ada')
    ]

    expect(new Set(hashes).size).toBe(4)
    expect(hashes[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(hashes[4]).toBe(hashes[0])
  })
})

describe('a receipt', () => {
  const content = writeReceipt(newErasureRow(), {
    at: at('2026-11-22T05:01:00Z'),
    remaining: { events: 0, persons: 0 },
    unreadable: { objects: [], count: 0 }
  })

  it('lists the data found, removed, remaining and kept, and the end of its backups', () => {
    expect(content).toMatchObject({
      requested_at: '2026-11-20T10:00:00Z',
      run: '2026-11-22T05:00:00Z',
      verified_at: '2026-11-22T05:01:00Z',
      backups_until: '2026-12-22T05:01:00Z'
    })
    expect(content.stores.map(({ store }) => store)).toEqual(STORE_NAMES.toSorted())
    expect(content.stores.filter(({ found }) => found > 0)).toEqual([
      { store: 'events', found: 3, removed: 3, remaining: 0 },
      { store: 'persons', found: 1, removed: 1, remaining: 0 }
    ])
    expect(content.kept).toHaveLength(6)
    expect(content).not.toHaveProperty('linked_until')
  })

  it.each([
    [false, false, 3],
    [true, false, 2],
    [false, true, 2],
    [true, true, 0]
  ])(
    'says which events and recordings are kept, and until when, with delete_events=%s and delete_recordings=%s',
    (events, recordings, sentences) => {
      const extent = { deleteEvents: events, deleteRecordings: recordings }
      const until = linkedUntil(extent, { COMPLETION_DAYS: '30' }, at('2026-11-20T10:00:00Z'))
      const kept = describeKept(extent, until)

      const told = kept.filter((reason) => /did not ask|^Until 2026-12-20T10:00:00Z,/.test(reason))
      expect(told).toHaveLength(sentences)
    }
  )
})

it.each(['', '-1', '1.5', '30 days', '010', '10000'])('COMPLETION_DAYS may not be "%s"', (text) => {
  expect(() => readCompletionDays({ COMPLETION_DAYS: text })).toThrow('COMPLETION_DAYS')
})

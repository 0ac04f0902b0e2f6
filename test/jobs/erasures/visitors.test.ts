import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { hashForLedger } from '../../../src/erasures/entries.ts'
import { EVERY_MINUTE, WEEKLY } from '../../../src/jobs/cron.ts'
import { GENESIS } from '../../../src/ledger/entry.ts'
import { Ledger, readAfter } from '../../../src/ledger/ledger.ts'
import { countRows, holdErasures, tablesWith } from '../../support/erasures.ts'
import { aroundCalls } from '../../support/faults.ts'
import { expectSound } from '../../support/invariants.ts'
import { db } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'
import { backUp } from '../../support/restore.ts'
import { AT, event, status } from '../../support/town.ts'

beforeEach(async () => {
  const { objects } = await env.BUCKET.list({ prefix: 'ledger/' })
  await env.BUCKET.delete(objects.map(({ key }) => key))
  await db.run(sql`delete from ledger_head`)
})
afterAll(untilQuiet)

/** Returns an event of a visitor without a person. */
const seen = (distinct_id: string, properties: object = {}) => ({
  event: 'seen',
  distinct_id,
  timestamp: AT,
  properties: { $process_person_profile: false, ...properties }
})

/** Creates two visitors without a person, one of them with a recording and a session, and the person Bob. */
async function newStreet() {
  const stage = await newStage()
  const { project, record } = stage
  await project.ingest([
    ...Array.from({ length: 3 }, () => seen('wanderer-1', { $session_id: 'one' })),
    seen('wanderer-2'),
    ...event('bob', 2)
  ])
  await record(snapshotEvent(project, { session: 'one', distinct_id: 'wanderer-1' }))
  const street = { project, ...holdErasures() }
  const erase = (body: object) =>
    street.call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['wanderer-1'], ...body })
  /** Returns how many events the project lists for a distinct id. */
  const eventsOf = async (distinctId: string): Promise<number> =>
    (await street.call(project, 'GET', `events?distinct_id=${distinctId}`)).body.results.length
  return { ...street, erase, eventsOf }
}

type Count = { store: string; deleted: number; kept: number }

const storeOf = (stores: Count[], name: string) => stores.find(({ store }) => store === name)

describe('a visitor without a person', () => {
  it('is erased with events and recordings by a distinct id, with a task and a receipt', async () => {
    const street = await newStreet()
    const { project, erase, cron, drain, call } = street
    const all = { delete_events: true, delete_recordings: true }

    const dry = (await erase({ ...all, dry_run: true })).body
    const erased = (await erase(all)).body
    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    expect(dry).toMatchObject({
      persons_found: 1,
      persons_deleted: 0,
      results: [{ id: 'wanderer-1', result: 'found', person_uuid: null }],
      preview: { persons_found: 1 }
    })
    const { person_uuid } = erased.results[0]
    expect(erased).toMatchObject({
      persons_found: 1,
      persons_deleted: 1,
      events_queued_for_deletion: true,
      recordings_queued_for_deletion: true,
      results: [{ id: 'wanderer-1', result: 'deleted', person_uuid: expect.stringMatching(/-7/) }]
    })
    const [task] = (await status(street, `?person_uuid=${person_uuid}`)).results
    expect(task).toMatchObject({
      status: 'completed',
      events: { found: 3, removed: 3 },
      recordings: 1
    })
    const removed = Object.fromEntries(
      task.receipt.stores.map((row: { store: string; removed: number }) => [row.store, row.removed])
    )
    expect(removed).toMatchObject({
      persons: 0,
      distinct_ids: 1,
      events: 3,
      recordings: 1,
      sessions: 1
    })
    for (const { store, deleted } of dry.preview.stores) {
      expect([store, deleted]).toEqual([store, removed[store]])
    }
    const { body } = await call(project, 'POST', 'persons/deletion_receipts/verify', task.receipt)
    expect(body.valid).toBe(true)
    expect(await countRows(project.id)).toMatchObject({ persons: 1, events: 3, distinct_ids: 2 })
    expect(await tablesWith('wanderer-1')).toEqual([])
    await expectSound(project.id)
    const suppressed = await call(project, 'POST', 'persons/suppressions', { ids: [person_uuid] })
    expect(suppressed.body.results[0].result).toBe('suppressed')
  })

  it('stays one actor, whose events and recording belong to nobody, if these are kept', async () => {
    const street = await newStreet()
    const { project, erase, drain, call, eventsOf } = street
    const trend = async () => {
      const events = [{ id: 'seen', math: 'dau' }]
      const filters = {
        events,
        date_from: '2026-10-30',
        date_to: '2026-11-02',
        display: 'BoldNumber'
      }
      const { body } = await call(project, 'POST', 'insights/trend/', { filters })
      return body.result[0].aggregated_value
    }
    expect(await trend()).toBe(2)

    const { body } = await erase({})
    await drain()

    expect(await trend()).toBe(2)
    expect(await eventsOf('wanderer-1')).toBe(0)
    const [task] = (await status(street)).results
    expect(task).toMatchObject({ status: 'completed', person_uuid: body.results[0].person_uuid })
    const recording = await call(project, 'GET', 'session_recordings/one')
    expect(JSON.stringify(recording.body)).not.toContain('wanderer-1')
    expect((await erase({})).body.results).toEqual([
      { id: 'wanderer-1', result: 'not_found', person_uuid: null }
    ])
    const completed = await call(project, 'POST', 'persons/complete_deletion', {
      distinct_ids: ['wanderer-1'],
      dry_run: true
    })
    expect(storeOf(completed.body.preview.stores, 'events')).toEqual({
      store: 'events',
      deleted: 3,
      kept: 0
    })
  })

  it('is not brought back by an event accepted before, and starts anew with one accepted later', async () => {
    const { project, erase, drain, eventsOf } = await newStreet()
    const before = Date.now()
    await erase({ delete_events: true })
    await drain()

    await project.ingest([seen('wanderer-1')], before - 1000)
    expect(await eventsOf('wanderer-1')).toBe(0)
    await project.ingest([seen('wanderer-1')], Date.now() + 1000)

    expect(await eventsOf('wanderer-1')).toBe(1)
  })

  it('is erased together with persons, each id with its own result', async () => {
    const { project, erase } = await newStreet()

    const { body } = await erase({ distinct_ids: ['bob', 'wanderer-1', 'nobody', 'wanderer-2'] })

    expect(body.persons_deleted).toBe(3)
    const results: { result: string; person_uuid: string | null }[] = body.results
    expect(results.map(({ result }) => result)).toEqual([
      'deleted',
      'deleted',
      'not_found',
      'deleted'
    ])
    expect(new Set(results.map(({ person_uuid }) => person_uuid)).size).toBe(4)
    expect(await countRows(project.id)).toMatchObject({
      persons: 0,
      person_count: 0,
      distinct_ids: 0
    })
    await expectSound(project.id)
  })

  it('who becomes a person during the request is erased as this person', async () => {
    const street = await newStreet()
    const { project, call } = street
    let isIdentified = false
    const DB = aroundCalls(env.DB, async (run, _, statements) => {
      if (statements.length > 5 && !isIdentified) {
        isIdentified = true
        await project.ingest([
          {
            event: '$set',
            distinct_id: 'wanderer-1',
            properties: { $set: { email: 'w@x.example' } }
          }
        ])
      }
      return run()
    })

    const sent = { distinct_ids: ['wanderer-1'] }
    const { body } = await call(project, 'POST', 'persons/bulk_delete', sent, { DB })

    expect(isIdentified).toBe(true)
    expect(body.results).toMatchObject([{ result: 'deleted' }])
    expect(await countRows(project.id)).toMatchObject({
      persons: 1,
      person_count: 1,
      distinct_ids: 2
    })
    const [task] = (await status(street)).results
    expect(task.person_uuid).toBe(body.results[0].person_uuid)
    await expectSound(project.id)
  })

  it('is erased again after a restore, under the same UUID', async () => {
    const street = await newStreet()
    const { project, erase, drain, cron, eventsOf } = street
    await cron(EVERY_MINUTE)
    const restore = await backUp(project.id)
    const { person_uuid } = (await erase({})).body.results[0]
    await drain()
    await cron(EVERY_MINUTE)
    await restore()
    expect(await countRows(project.id)).toMatchObject({ distinct_ids: 3 })

    await cron(EVERY_MINUTE)
    await drain()

    expect(await eventsOf('wanderer-1')).toBe(0)
    expect(await eventsOf('wanderer-2')).toBe(1)
    const [task] = (await status(street)).results
    expect(task).toMatchObject({ status: 'completed', person_uuid })
    expect(JSON.stringify(await readAfter(env.BUCKET, GENESIS, 100))).not.toContain('wanderer-1')
  })

  it('is erased by the next cron if the request failed after its entry in the ledger', async () => {
    const street = await newStreet()
    const { project, cron, eventsOf } = street
    const person_uuid = '01a1f000-0000-7000-8000-00000000000b'
    const hash = await hashForLedger(env.RECEIPT_SECRET, project.id, 'wanderer-1')
    const entry = {
      kind: 'erasure',
      project: project.id,
      persons: [person_uuid],
      ids: [hash],
      visitors: { [hash]: person_uuid },
      delete_events: false,
      delete_recordings: false,
      requested_at: Date.now(),
      user: project.user.id,
      key: 0
    }
    await new Ledger(env.BUCKET, GENESIS).append(entry, Date.now() - 5 * 60_000)

    await cron(EVERY_MINUTE)

    expect(await eventsOf('wanderer-1')).toBe(0)
    expect((await status(street)).results).toMatchObject([{ person_uuid }])
  })
})

import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY } from '../../../src/calendar/units.ts'
import { CHUNK } from '../../../src/columns/codec.ts'
import { sha256 } from '../../../src/hash.ts'
import { EVERY_15_MINUTES, EVERY_MINUTE, WEEKLY } from '../../../src/jobs/cron.ts'
import { GENESIS } from '../../../src/ledger/entry.ts'
import { readAfter } from '../../../src/ledger/ledger.ts'
import { newShop, readActors, seal } from '../../support/columns.ts'
import { countRows, holdErasures } from '../../support/erasures.ts'
import { aroundCalls } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, db } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'
import { event, identify, newTown, status, type Town } from '../../support/town.ts'

beforeEach(() => void listenToLog())

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

const complete = async (town: Pick<Town, 'project' | 'call'>, body: object, more?: Partial<Env>) =>
  (await town.call(town.project, 'POST', 'persons/complete_deletion', body, more)).body

/** Creates Ada, deleted with a receipt; the events and the recordings are kept. */
async function newGhost() {
  const { project, record } = await newStage()
  const town = { project, ...holdErasures() }
  await project.ingest([
    identify('ada', 'anon-ada', { email: 'ada@example.com' }),
    ...event('ada', 5),
    ...event('bob', 4)
  ])
  await record(
    snapshotEvent(project, { session: 'one', distinct_id: 'ada' }),
    snapshotEvent(project, { session: 'two', distinct_id: 'anon-ada' }),
    snapshotEvent(project, { session: 'three', distinct_id: 'bob' })
  )
  const { body } = await project.call('GET', 'persons?distinct_id=ada')
  const ada: { id: number; uuid: string } = body.results[0]
  await town.call(project, 'DELETE', `persons/${ada.id}`)
  await town.drain()
  return { ...town, ada }
}

const recordingsOf = async (projectId: number) =>
  (
    await db.all<{ session_id: string }>(
      sql`select session_id from recordings where project_id = ${projectId} and not deleted order by 1`
    )
  ).map(({ session_id }) => session_id)

const finish = async (town: Pick<Town, 'cron' | 'drain'>) => {
  await town.cron(WEEKLY, Date.now() + 1000)
  await town.drain()
}

/** Lists which of these distinct ids a receipt is about, by the check of `verify-receipt.mjs --id`. */
async function idsIn(
  { subject }: { subject: { salt: string; distinct_ids: string[] } },
  ids: string[]
): Promise<string[]> {
  const hashes = ids.map((id) => sha256(`${subject.salt}${id}`))
  return ids.filter((_, i) => subject.distinct_ids.includes(hashes[i] ?? ''))
}

describe('the completion of a deletion', () => {
  it.each([
    ['its UUID in `ids`', (uuid: string) => ({ ids: [uuid.toUpperCase()] })],
    ['its UUID in `uuids`', (uuid: string) => ({ uuids: [uuid] })],
    ['one of its distinct ids', () => ({ distinct_ids: ['anon-ada'] })]
  ])('finds the person by %s, and deletes what was kept', async (_, name) => {
    const ghost = await newGhost()
    const { project, ada } = ghost
    const [first] = (await status(ghost)).results
    expect([first.status, first.receipt.linked_until]).toEqual([
      'completed',
      first.completable_until
    ])
    expect(Date.parse(first.completable_until) - Date.parse(first.created_at)).toBe(30 * DAY)

    const answer = await complete(ghost, name(ada.uuid))
    expect(answer).toMatchObject({
      persons_found: 1,
      results: [{ result: 'completing', person_uuids: [ada.uuid] }]
    })
    expect(await recordingsOf(project.id)).toEqual(['three'])
    await finish(ghost)

    expect(await countRows(project.id)).toMatchObject({ persons: 1, events: 4 })
    const [second, earlier] = (await status(ghost)).results
    expect(earlier).toEqual({ ...first, completable_until: null })
    expect(second).toMatchObject({
      status: 'completed',
      completes: first.id,
      person_uuid: ada.uuid,
      completable_until: null,
      recordings: 2,
      events: { found: 6, removed: 6, remaining: 0 }
    })
    expect(second.receipt).toMatchObject({ completes: first.id, delete_events: true })
    expect(second.receipt.linked_until).toBeUndefined()
    expect(second.receipt.subject.distinct_ids).toHaveLength(2)
    expect(second.receipt.stores).toEqual(
      expect.arrayContaining([
        { store: 'events', found: 6, removed: 6, remaining: 0 },
        { store: 'recordings', found: 2, removed: 2, remaining: 0 }
      ])
    )
    const again = await complete(ghost, name(ada.uuid))
    expect(again).toMatchObject({ persons_found: 0, results: [{ result: 'nothing_kept' }] })
    expect((await status(ghost)).count).toBe(2)
  })

  it('of recordings alone keeps the events, which a later completion can delete', async () => {
    const ghost = await newGhost()
    const { project, ada, drain } = ghost
    await complete(ghost, { uuids: [ada.uuid], delete_events: false })
    await drain()

    const [second] = (await status(ghost)).results
    expect(second).toMatchObject({ status: 'completed', recordings: 2, delete_events: false })
    expect(await countRows(project.id)).toMatchObject({ events: 10 })

    await complete(ghost, { distinct_ids: ['ada'], delete_recordings: false })
    await finish(ghost)

    const [third] = (await status(ghost)).results
    expect(third).toMatchObject({ status: 'completed', completes: second.id })
    expect(await countRows(project.id)).toMatchObject({ events: 4 })
  })

  it('has a valid receipt about the person’s distinct ids, as has every later completion', async () => {
    const ghost = await newGhost()
    const { project, ada, drain } = ghost
    await complete(ghost, { uuids: [ada.uuid], delete_events: false })
    await drain()
    await complete(ghost, { uuids: [ada.uuid] })
    await finish(ghost)

    const { results } = await status(ghost)

    expect(results.map(({ completes }: { completes: number | null }) => completes)).toEqual([
      results[1].id,
      results[2].id,
      null
    ])
    for (const { receipt } of results) {
      expect(await idsIn(receipt, ['ada', 'anon-ada', 'bob'])).toEqual(['ada', 'anon-ada'])
      const answer = await project.send('POST', 'persons/deletion_receipts/verify', receipt)
      expect(answer.body.valid).toBe(true)
    }
  })

  it('is refused before anything is in the ledger while COMPLETION_DAYS is wrong', async () => {
    const ghost = await newGhost()
    const { project, ada, call } = ghost
    const wrong = { COMPLETION_DAYS: 'thirty' } as unknown as Partial<Env>
    const countEntries = async () =>
      (await readAfter(env.BUCKET, GENESIS, 1_000)).filter(
        ({ body }) => body.project === project.id
      ).length
    const before = await countEntries()

    const completing = { uuids: [ada.uuid], delete_events: false }
    const refused = [
      await call(project, 'POST', 'persons/complete_deletion', completing, wrong),
      await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['bob'] }, wrong)
    ]

    expect(refused.map((answer) => answer.status)).toEqual([500, 500])
    expect(await countEntries()).toBe(before)
  })

  it('has a dry run that counts the same and changes nothing', async () => {
    const ghost = await newGhost()
    const { project, ada, held } = ghost
    const body = { uuids: [ada.uuid, crypto.randomUUID()] }

    const dry = await complete(ghost, { ...body, dry_run: true })
    expect(dry.results.map(({ result }: { result: string }) => result)).toEqual([
      'found',
      'not_found'
    ])
    expect(held).toEqual([])
    expect(await recordingsOf(project.id)).toHaveLength(3)
    expect((await status(ghost)).count).toBe(1)
    await complete(ghost, body)
    await finish(ghost)

    const [{ receipt }] = (await status(ghost)).results
    for (const { store, deleted } of dry.preview.stores) {
      expect(receipt.stores).toContainEqual({
        store,
        found: deleted,
        removed: deleted,
        remaining: 0
      })
    }
    expect(dry.preview.stores).toHaveLength(5)
  })

  it('has a dry run that includes what an uncompleted deletion deletes anyway', async () => {
    const town = await newTown()
    const { project, ada, call } = town
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    const body = { uuids: [ada.uuid], delete_events: false }

    const { preview } = await complete(town, { ...body, dry_run: true })
    await complete(town, body)
    await finish(town)

    expect(preview).toMatchObject({ delete_events: true, delete_recordings: true })
    const [{ receipt }] = (await status(town)).results
    const { found } = receipt.stores.find(({ store }: { store: string }) => store === 'events')
    expect(found).toBeGreaterThan(0)
    expect(preview.stores).toContainEqual({ store: 'events', deleted: found, kept: 0 })
  })

  it('widens a deletion that is not completed yet', async () => {
    const town = await newTown()
    const { project, ada, call } = town
    await call(project, 'DELETE', `persons/${ada.id}`)

    const answer = await complete(town, { uuids: [ada.uuid] })
    expect(answer.results[0].result).toBe('completing')
    await finish(town)

    const { results, count } = await status(town)
    expect(count).toBe(1)
    expect(results[0]).toMatchObject({
      status: 'completed',
      completes: null,
      delete_events: true,
      events: { removed: 22 }
    })
    expect(await countRows(project.id)).toMatchObject({ events: 10 })
  })

  it.each([2, 4, 6, 8, 10, 12])(
    'is not lost when it is requested before call %i of the first deletion’s work',
    async (at) => {
      const town = await newTown()
      const { project, ada, call, drain } = town
      await call(project, 'DELETE', `persons/${ada.id}`)
      let result = ''
      const DB = aroundCalls(env.DB, async (run, index) => {
        if (index === at && result === '') {
          result = 'asking'
          result = (await complete(town, { uuids: [ada.uuid] })).results[0].result
        }
        return run()
      })
      await drain({ DB })
      await finish(town)

      expect(result).toBe('completing')
      expect(await countRows(project.id)).toMatchObject({ events: 10 })
      const { results } = await status(town)
      expect(results[0]).toMatchObject({ status: 'completed', delete_events: true })
      for (const { receipt } of results.slice(1)) {
        expect(receipt.delete_events).toBe(false)
      }
    }
  )

  it.each([2, 4, 6, 8, 10, 12])(
    'of the recordings of a deletion in progress costs no attempt: call %i',
    async (at) => {
      const { project, record } = await newStage()
      const town = { project, ...holdErasures() }
      await project.ingest([identify('ada', 'anon-ada')])
      await record(snapshotEvent(project, { session: 'one', distinct_id: 'ada' }))
      const { body } = await project.call('GET', 'persons?distinct_id=ada')
      const [ada] = body.results
      await town.call(project, 'DELETE', `persons/${ada.id}`)
      const log = listenToLog()
      let isAsked = false
      const DB = aroundCalls(env.DB, async (run, index) => {
        if (index === at) {
          await complete(town, { uuids: [ada.uuid], delete_events: false })
          isAsked = true
        }
        return run()
      })
      await town.drain({ DB })

      expect(isAsked).toBe(true)
      expect(log.lines('erasure failed')).toEqual([])
      const [task] = (await status(town)).results
      expect(task).toMatchObject({ status: 'completed', recordings: 1, delete_recordings: true })
    }
  )

  it('does not touch a new person with the same distinct id, or another project', async () => {
    const ghost = await newGhost()
    const { project, ada } = ghost
    const other = await newTown()
    await project.ingest([
      { event: '$set', distinct_id: 'ada', properties: { $set: { name: 'Ada II' } } }
    ])

    expect((await complete(other, { uuids: [ada.uuid] })).results[0].result).toBe('not_found')
    expect((await complete(other, { distinct_ids: ['ada'] })).results[0].result).toBe('not_found')
    await complete(ghost, { distinct_ids: ['ada'] })
    await finish(ghost)

    expect(await countRows(project.id)).toMatchObject({ persons: 2, events: 5 })
    expect(await countRows(other.project.id)).toMatchObject({ persons: 2, events: 32 })
  })

  it('is in the ledger, and happens again after a restore', async () => {
    const ghost = await newGhost()
    const { project, ada, cron } = ghost
    await complete(ghost, { uuids: [ada.uuid], delete_recordings: false })
    const entries = await readAfter(env.BUCKET, GENESIS, 1_000)
    const entry = entries.findLast(({ body }) => body.project === project.id)
    expect(entry?.body).toMatchObject({ kind: 'completion', persons: [ada.uuid] })

    // Restores the state before the completion.
    await db.run(sql`update erased_identities set erasure_id = (
      select min(id) from erasures where project_id = ${project.id}) where project_id = ${project.id}`)
    await db.run(
      sql`delete from erasures where project_id = ${project.id} and completes is not null`
    )
    await db.run(
      sql`update erasures set linked_until = ${Date.now() + DAY} where project_id = ${project.id}`
    )
    await db.run(sql`delete from ledger_head`)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 })
    await cron(EVERY_MINUTE)
    await finish(ghost)

    expect(await countRows(project.id)).toMatchObject({ events: 4 })
    const [task] = (await status(ghost)).results
    expect(task).toMatchObject({ status: 'completed', person_uuid: ada.uuid, delete_events: true })
    await db.run(sql`delete from ledger_head`)
    await cron(EVERY_MINUTE)
    expect((await status(ghost)).count).toBe(2)
  })

  it.each([
    ['neither UUIDs nor distinct ids', {}, null],
    ['both UUIDs and distinct ids', { ids: [crypto.randomUUID()], distinct_ids: ['a'] }, null],
    ['both ids and uuids', { ids: [crypto.randomUUID()], uuids: [crypto.randomUUID()] }, null],
    ['uuids that are not a list', { uuids: 'a' }, 'uuids'],
    ['an id that is not a UUID', { ids: ['a'] }, 'ids__0'],
    ['an integer id', { ids: [7] }, 'ids__0'],
    ['an empty list', { distinct_ids: [] }, 'distinct_ids'],
    [
      'nothing to delete',
      { distinct_ids: ['a'], delete_events: false, delete_recordings: 'false' },
      'delete_events'
    ],
    [
      'a switch that is neither true nor false',
      { distinct_ids: ['a'], dry_run: 'maybe' },
      'dry_run'
    ]
  ])('refuses %s', async (_, body, attr) => {
    const { project, call } = await newTown()
    const answer = await call(project, 'POST', 'persons/complete_deletion', body)
    expect([answer.status, answer.body.attr]).toEqual([400, attr])
  })
})

describe('30 days after a deletion', () => {
  /** Moves the clock on and lets the sweep run. */
  const wait = async (town: Pick<Town, 'cron'>, days: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY })
    await town.cron(EVERY_15_MINUTES)
  }

  it('nothing links the person to the kept events, which trends count as before', async () => {
    const ghost = await newGhost()
    const { project, ada, call } = ghost
    const countActors = async () => {
      const query =
        'insights/trend?events=[{"id":"event 1","math":"dau"}]&date_from=2026-10-30&date_to=2026-11-03'
      return (await call(project, 'GET', query)).body.result
    }
    const before = await countActors()
    expect(JSON.stringify(before)).toContain('"count":2')
    const rows = await db.all<{ key: number }>(
      sql`select key from erased_identities where project_id = ${project.id}`
    )
    const keys = rows.map(({ key }) => key)

    await wait(ghost, 29)
    expect((await status(ghost)).results[0].completable_until).toEqual(expect.any(String))
    await wait(ghost, 2)

    const [task] = (await status(ghost)).results
    expect([task.status, task.completable_until]).toEqual(['completed', null])
    for (const name of [{ uuids: [ada.uuid] }, { distinct_ids: ['ada'] }]) {
      expect((await complete(ghost, name)).results[0]).toMatchObject({ result: 'not_found' })
    }
    const links = await db.all(sql`
      select hash, receipt_hash, erasure_id, erased_at, person_id <> ${ada.id} as is_other
      from erased_identities where key in (select value from json_each(${JSON.stringify(keys)}))`)
    expect(links).toEqual(
      [1, 2].map(() => ({ hash: '', receipt_hash: null, erasure_id: 0, erased_at: 0, is_other: 1 }))
    )
    expect(await countActors()).toEqual(before)
    expect(await countRows(project.id)).toMatchObject({ events: 10 })
    await wait(ghost, 1)
    expect(await db.$count(sql`erased_identities`, sql`project_id = ${project.id}`)).toBe(4)
  })

  it('late events of the person still do not bring the person back', async () => {
    const town = await newTown()
    const { project, ada, call, drain } = town
    const late = project.message([{ event: 'late', distinct_id: 'ada' }])
    await call(project, 'DELETE', `persons/${ada.id}`)
    await drain()
    await wait(town, 31)

    await consume([late])

    expect(await countRows(project.id)).toMatchObject({ persons: 1, events: 32 })
    expect((await status(town)).results[0].events.dropped).toBe(1)
  })

  it('an erasure that has not run yet keeps its link', async () => {
    const town = await newTown()
    const { project, ada, call, drain } = town
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    await drain()
    await db.run(sql`update erasures set linked_until = 1 where project_id = ${project.id}`)

    await town.cron(EVERY_15_MINUTES)
    await finish(town)

    expect(await countRows(project.id)).toMatchObject({ events: 10 })
    expect((await status(town)).results[0].status).toBe('completed')
  })

  it('columns do not take the kept events for those of the deleted person', async () => {
    const project = await newShop()
    const town = { project, ...holdErasures() }
    await town.call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['person 3'] })
    await town.drain()
    const [erased] = await db.all<{ key: number; person: number }>(
      sql`select key, person_id as person from erased_identities where project_id = ${project.id}`
    )
    const { key, person } = erased ?? { key: 0, person: 0 }
    await seal(project.id, { chunks: [Math.floor(key / CHUNK)] })
    const before = await readActors(project.id)
    expect([before.persons.get(key), before.moved.has(key)]).toEqual([person, false])
    await db.run(sql`update erasures set linked_until = 1 where project_id = ${project.id}`)

    await town.cron(EVERY_15_MINUTES)

    expect((await readActors(project.id)).moved.has(key)).toBe(true)
  })
})

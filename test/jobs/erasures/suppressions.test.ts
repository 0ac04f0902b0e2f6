import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Suppression } from '../../../src/erasures/suppressions/schemas.ts'
import { EVERY_MINUTE } from '../../../src/jobs/cron.ts'
import { GENESIS } from '../../../src/ledger/entry.ts'
import { readAfter } from '../../../src/ledger/ledger.ts'
import { holdErasures } from '../../support/erasures.ts'
import { beforeCall, cutAt } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { consume, db, newProject, type TestProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'
import { AT, event, identify, newTown, type Town } from '../../support/town.ts'

beforeEach(() => void listenToLog())

afterAll(untilQuiet)

const suppress = async (project: TestProject, body: object) =>
  (await project.send('POST', 'persons/suppressions', body)).body

const list = async (project: TestProject, query = '') =>
  (await project.call('GET', `persons/suppressions${query}`)).body

/** Counts the stored events by the distinct id that they have now. */
async function countByName(project: TestProject): Promise<Record<string, number>> {
  const rows = await db.all<{ name: string; count: number }>(
    sql`select distinct_id as name, count(*) as count from events join distinct_ids on key = identity
        where events.project_id = ${project.id} group by 1`
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

describe('a suppression', () => {
  it('of a person drops events of any of the person’s distinct ids, and counts them', async () => {
    const { project, ada } = await newTown()
    const before = await countByName(project)

    const answer = await suppress(project, { ids: [ada.id] })
    expect(answer).toMatchObject({
      persons_suppressed: 1,
      results: [{ id: ada.id, result: 'suppressed', person_uuid: ada.uuid }]
    })
    await project.ingest([...event('ada', 3), ...event('anon-ada', 2), ...event('bob', 4)])

    expect(await countByName(project)).toEqual({ ...before, bob: 14 })
    const { results } = await list(project)
    expect(results).toMatchObject([
      { distinct_ids: 2, events_dropped: 5, recording_parts_dropped: 0, lifted_at: null }
    ])
    expect(results[0].last_dropped_at).toEqual(expect.any(String))
    const { body } = await project.call('GET', `persons/activity?limit=1`)
    expect(body.results[0]).toMatchObject({ activity: 'suppressed', item_id: String(ada.id) })
  })

  it('of a distinct id that no person has drops its events, and creates no person', async () => {
    const project = await newProject()
    const long = 'x'.repeat(250)
    const answer = await suppress(project, { distinct_ids: ['eve', long] })
    expect(answer).toMatchObject({
      persons_suppressed: 2,
      results: [
        { id: 'eve', result: 'suppressed', person_uuid: null },
        { id: long, result: 'suppressed' }
      ]
    })

    await project.ingest([...event('eve', 2), ...event(long.slice(0, 200), 3)])

    expect(await countByName(project)).toEqual({})
    expect((await project.call('GET', 'persons')).body.count).toBe(0)
    const dropped = (await list(project, '?distinct_id=eve')).results
    expect(dropped).toMatchObject([{ events_dropped: 2, distinct_ids: 1 }])
  })

  it('drops exactly the events accepted while it is in force', async () => {
    const project = await newProject()
    const { results } = await suppress(project, { distinct_ids: ['eve'] })
    const [id] = results[0].suppressions
    const [{ since }] = (await list(project)).results
    await project.ingest(event('eve', 1), Date.parse(since) - 1)
    await project.ingest(event('eve', 2), Date.parse(since))

    const lifted = await project.send('POST', `persons/suppressions/${id}/lift`)
    const until = Date.parse(lifted.body.lifted_at)
    await project.ingest(event('eve', 4), until - 1)
    await project.ingest(event('eve', 8), until)

    expect(await countByName(project)).toEqual({ eve: 9 })
    expect((await list(project, '?status=in_force')).count).toBe(0)
    expect((await list(project, '?status=lifted')).results).toMatchObject([{ events_dropped: 6 }])
    const again = await project.send('POST', `persons/suppressions/${id}/lift`)
    expect(again.body).toEqual((await list(project)).results[0])
  })

  it('survives the deletion of the person', async () => {
    const { project, ada } = await newTown()
    await suppress(project, { ids: [ada.id] })
    await project.call('DELETE', `persons/${ada.id}`)

    await project.ingest([...event('ada', 1), ...event('anon-ada', 1)], Date.now() + 10)

    expect(await countByName(project)).toEqual({ bob: 10 })
    expect((await list(project)).results).toMatchObject([{ events_dropped: 2 }])
  })

  it('finds a deleted person, and drops events of all distinct ids of the person', async () => {
    const { project, ada } = await newTown()
    await project.call('DELETE', `persons/${ada.id}`)

    const answer = await suppress(project, { distinct_ids: ['ada'] })
    expect(answer.results).toMatchObject([{ result: 'suppressed', person_uuid: ada.uuid }])
    expect((await suppress(project, { ids: [ada.uuid] })).results).toEqual([
      { ...answer.results[0], id: ada.uuid, result: 'already_suppressed' }
    ])
    await project.ingest([...event('ada', 1), ...event('anon-ada', 1)], Date.now() + 10)

    expect(await countByName(project)).toEqual({ bob: 10 })
    expect((await list(project)).results[0].events_dropped).toBe(2)
  })

  it('covers every deleted person that had the distinct id, and the answer names all', async () => {
    const { project, ada } = await newTown()
    await project.call('DELETE', `persons/${ada.id}`)
    await project.ingest([identify('ada', 'phone')], Date.now() + 10)
    const [{ id: second }] = (await project.call('GET', 'persons?distinct_id=ada')).body.results
    await project.call('DELETE', `persons/${second}`)

    const answer = await suppress(project, { distinct_ids: ['ada'] })

    const ids = (await list(project)).results.map(({ id }: Suppression) => id).toSorted()
    expect(answer).toMatchObject({ persons_suppressed: 2, results: [{ result: 'suppressed' }] })
    expect(answer.results[0].suppressions.toSorted()).toEqual(ids)
    const again = await suppress(project, { distinct_ids: ['ada'] })
    expect(again).toMatchObject({ persons_suppressed: 0, results: [{ id: 'ada' }] })
    expect(again.results[0].result).toBe('already_suppressed')
    expect(again.results[0].suppressions.toSorted()).toEqual(ids)
  })

  it('survives a split', async () => {
    const { project, ada } = await newTown()
    await suppress(project, { ids: [ada.uuid] })
    const before = await countByName(project)

    await project.send('POST', `persons/${ada.id}/split`, { main_distinct_id: 'ada' })
    await project.ingest([...event('ada', 1), ...event('anon-ada', 1)])

    expect(await countByName(project)).toEqual(before)
  })

  it.each([
    ['the suppressed id is merged into another', identify('carol', 'eve')],
    ['another id is merged into the suppressed one', identify('eve', 'carol')]
  ])('extends to all ids of the other person when %s', async (_, link) => {
    const project = await newProject()
    await project.ingest([
      {
        event: '$create_alias',
        distinct_id: 'carol',
        timestamp: AT,
        properties: { alias: 'carols-phone' }
      }
    ])
    // `$identify` does not fold identified persons into others, and this test needs it to.
    await db.run(sql`update persons set is_identified = 0 where project_id = ${project.id}`)
    const before = await countByName(project)
    await suppress(project, { distinct_ids: ['eve'] })

    await project.ingest([...event('carols-phone', 1), link, ...event('carol', 2)])
    await project.ingest([...event('carols-phone', 2), ...event('bob', 1)])

    expect(await countByName(project)).toEqual({ ...before, bob: 1 })
    expect((await list(project)).results).toMatchObject([{ events_dropped: 6, distinct_ids: 3 }])
  })

  it('does not extend to an id whose merge is refused', async () => {
    const { project, ada } = await newTown()
    await suppress(project, { ids: [ada.id] })
    const before = await countByName(project)

    await project.ingest([identify('bob', 'ada'), identify('anonymous', 'anon-ada')])
    await project.ingest([...event('bob', 1), ...event('anonymous', 1)])

    expect(await countByName(project)).toEqual({ ...before, bob: 11, anonymous: 1 })
    expect((await list(project)).results).toMatchObject([{ events_dropped: 2, distinct_ids: 2 }])
  })

  it('drops parts of recordings, and deletes their objects', async () => {
    const { project, record } = await newStage()
    await suppress(project, { distinct_ids: ['ada'] })

    await record(
      snapshotEvent(project, { session: 'one', distinct_id: 'ada' }),
      snapshotEvent(project, { session: 'two', distinct_id: 'bob' })
    )

    const rows = await db.all<{ session_id: string }>(
      sql`select session_id from recordings where project_id = ${project.id}`
    )
    expect(rows).toEqual([{ session_id: 'two' }])
    const { objects } = await env.BUCKET.list({ prefix: `recordings/${project.id}/` })
    expect(objects.filter(({ key }) => key.includes('one'))).toEqual([])
    expect((await list(project)).results).toMatchObject([{ recording_parts_dropped: 1 }])
  })

  it('has a receipt that the service verifies, and that a change makes invalid', async () => {
    const { project, ada } = await newTown()
    const { results } = await suppress(project, { ids: [ada.id] })
    const [id] = results[0].suppressions
    await project.ingest(event('ada', 3))

    const { body: receipt } = await project.call('GET', `persons/suppressions/${id}/receipt`)

    expect(receipt).toMatchObject({ kind: 'suppression', events_dropped: 3, person_uuid: ada.uuid })
    expect(receipt.subject.distinct_ids).toHaveLength(2)
    const verify = async (body: object) =>
      (await project.send('POST', 'persons/deletion_receipts/verify', body)).body.valid
    expect(await verify(receipt)).toBe(true)
    expect(await verify({ ...receipt, events_dropped: 4 })).toBe(false)
  })

  it('is restored from the ledger, with the ids that joined and the time it was lifted', async () => {
    await emptyLedger()
    const { project, ada } = await newTown()
    await suppress(project, { ids: [ada.id] })
    await project.ingest([identify('ada', 'tablet')])
    const eve = await suppress(project, { distinct_ids: ['eve'] })
    await project.send('POST', `persons/suppressions/${eve.results[0].suppressions[0]}/lift`)
    const before = (await list(project)).results
    const ledger = JSON.stringify(await readAfter(env.BUCKET, GENESIS, 100))
    expect(ledger).not.toMatch(/anon-ada|tablet|"ada"|eve"/)

    await db.run(sql`delete from suppressions where project_id = ${project.id}`)
    await db.run(sql`delete from suppressed_ids where project_id = ${project.id}`)
    const { cron } = holdErasures()
    await db.run(sql`delete from ledger_head`)
    const restored = Date.now() + 120_000
    await replay(cron, restored)

    const after = (await list(project)).results
    expect(after).toMatchObject(
      before.map(
        ({ id, since, lifted_at, distinct_ids, person_uuid }: Record<string, unknown>) => ({
          id,
          since,
          lifted_at,
          distinct_ids,
          person_uuid
        })
      )
    )
    const stored = await countByName(project)
    await project.ingest(event('tablet', 2), restored)
    expect(await countByName(project)).toEqual(stored)
  })

  it('is refused if the request is unclear, and hidden from other projects', async () => {
    const project = await newProject()
    const { results } = await suppress(project, { distinct_ids: ['eve'] })
    const [id] = results[0].suppressions
    for (const body of [
      {},
      { ids: [1], distinct_ids: ['eve'] },
      { uuids: ['eve'] },
      { ids: ['eve'] }
    ]) {
      expect((await project.send('POST', 'persons/suppressions', body)).status).toBe(400)
    }
    expect(await suppress(project, { ids: [999_999_999] })).toEqual({
      persons_suppressed: 0,
      results: [{ id: 999_999_999, result: 'not_found', person_uuid: null, suppressions: [] }]
    })
    const other = await newProject()
    expect((await list(other)).count).toBe(0)
    expect((await other.send('POST', `persons/suppressions/${id}/lift`)).status).toBe(404)
    expect((await other.call('GET', `persons/suppressions/${id}/receipt`)).status).toBe(404)
    await other.ingest(event('eve', 1))
    expect(await countByName(other)).toEqual({ eve: 1 })
  })
})

describe('a suppression with concurrent work', () => {
  // Otherwise entries that a replay has written at its later time hold up the entries after them.
  beforeEach(emptyLedger)

  it.each([1, 2, 3])(
    'made just before call %i of the consumer drops events accepted later',
    async (at) => {
      const project = await newProject()
      await project.ingest(event('bob', 1))
      const { DB, isReached } = beforeCall(env.DB, at, () =>
        suppress(project, { distinct_ids: ['ada', 'bob'] })
      )

      const later = Date.now() + 60_000
      const message = project.message([...event('ada', 2), ...event('bob', 3)], later)
      await consume([message], 1, { DB })

      expect(isReached()).toBe(true)
      expect(await countByName(project)).toEqual({ bob: 1 })
      const { results } = await list(project)
      expect(results.map((one: Suppression) => one.events_dropped).sort()).toEqual([2, 3])
    }
  )

  it.each([1, 2, 3, 4, 5, 6])(
    'covers an id that is merged just before call %i of the request',
    async (at) => {
      const { project, ada } = await newTown()
      const { DB, isReached } = beforeCall(env.DB, at, () =>
        project.ingest([identify('ada', 'tablet')])
      )
      await project.send('POST', 'persons/suppressions', { ids: [ada.id] }, { DB })
      const before = await countByName(project)
      expect(isReached()).toBe(true)

      await project.ingest(event('tablet', 2), Date.now() + 60_000)

      expect(await countByName(project)).toEqual(before)
      const { results } = await list(project)
      expect(results).toMatchObject([{ distinct_ids: 3 }])

      await replay(holdErasures().cron, Date.now() + 120_000)
      expect((await list(project)).results).toEqual(results)
      await forgetSuppressions(project)
      await replay(holdErasures().cron, Date.now() + 240_000)
      const [{ id }] = results
      expect((await list(project)).results).toMatchObject([{ id, distinct_ids: 3 }])
    }
  )

  it.each([1, 2, 3, 4, 5, 6])(
    'has an answer that agrees with the ledger if the person is deleted just before call %i of the request',
    async (at) => {
      const { project, ada } = await newTown()
      const { DB, isReached } = beforeCall(env.DB, at, () =>
        project.call('DELETE', `persons/${ada.id}`)
      )
      const { body } = await project.send('POST', 'persons/suppressions', { ids: [ada.id] }, { DB })
      expect(isReached()).toBe(true)

      await replay(holdErasures().cron, Date.now() + 120_000)

      const { results } = await list(project)
      expect(results.map(({ id }: Suppression) => id)).toEqual(body.results[0].suppressions)
      expect(body.persons_suppressed).toBe(results.length)
    }
  )

  it.each(
    [1, 2, 3, 4, 5, 6, 7].flatMap((call) =>
      (['before', 'after'] as const).map((side) => ({ call, side }))
    )
  )('is in force once if the request is cut off $side call $call', async ({ call, side }) => {
    const { project, ada } = await newTown()
    const { DB, isReached } = cutAt(env.DB, call, side)
    await project.send('POST', 'persons/suppressions', { ids: [ada.id] }, { DB })
    expect(isReached()).toBe(true)
    await replay(holdErasures().cron, Date.now() + 120_000)

    await suppress(project, { ids: [ada.id] })

    expect((await list(project)).results).toMatchObject([
      { person_uuid: ada.uuid, lifted_at: null }
    ])
  })

  it.each([1, 2, 3, 4, 5, 6, 7])(
    'is in force once if the request is cut off before call %i and repeated before the ledger is applied',
    async (call) => {
      const { project, ada } = await newTown()
      const { DB, isReached } = cutAt(env.DB, call, 'before')
      await project.send('POST', 'persons/suppressions', { ids: [ada.id] }, { DB })
      expect(isReached()).toBe(true)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })
      const { results } = await suppress(project, { ids: [ada.id] })

      await replay(holdErasures().cron, Date.now() + 120_000)

      expect((await list(project)).results.map(({ id }: Suppression) => id)).toEqual(
        results[0].suppressions
      )
    }
  )
})

describe('a suppression that is requested twice before a restore', () => {
  beforeEach(emptyLedger)

  /** Creates a town whose database has been compared with the ledger, and suppresses Ada for the first time. */
  async function newSuppressed(more: Partial<Env> = {}) {
    const town = await newTown()
    const { project, ada, cron } = town
    await replay(cron, Date.now())
    await project.send('POST', 'persons/suppressions', { ids: [ada.id] }, more)
    return town
  }

  /** Suppresses Ada a second later. Returns the ids of the suppressions in the answer. */
  async function suppressAgain({ project, ada }: Town): Promise<string[]> {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })
    const { results } = await suppress(project, { ids: [ada.id] })
    vi.useRealTimers()
    return results[0].suppressions
  }

  /** Applies the ledger to a database restored to a moment before all suppressions. Lists those in force. */
  async function restore({ project, cron }: Town): Promise<string[]> {
    await forgetSuppressions(project)
    await replay(cron, Date.now() + 240_000)
    const { results } = await list(project, '?status=in_force')
    return results.map(({ id }: Suppression) => id)
  }

  /** Creates a town like `newSuppressed` whose request for Ada failed after its entry in the ledger. */
  async function newFailed() {
    const { DB, isReached } = cutAt(env.DB, 7, 'before')
    const town = await newSuppressed({ DB })
    expect(isReached()).toBe(true)
    const entries = await readAfter(env.BUCKET, GENESIS, 100)
    expect(entries.map(({ body }) => body.kind)).toContain('suppression')
    return town
  }

  it('is in force once if the first request failed', async () => {
    const town = await newFailed()
    const again = await suppressAgain(town)

    expect(await restore(town)).toEqual(again)
  })

  it('is in force once if the first request failed, and the person has got another distinct id since', async () => {
    const town = await newFailed()
    await town.project.ingest([identify('ada', 'tablet')])
    const again = await suppressAgain(town)

    expect(await restore(town)).toEqual(again)
  })

  it('is not in force after the lift if the first request failed', async () => {
    const town = await newFailed()
    const [id] = await suppressAgain(town)
    await town.project.send('POST', `persons/suppressions/${id}/lift`)

    expect(await restore(town)).toEqual([])
  })

  it('stays in force twice if the second request found the first suppression, which lacked a distinct id', async () => {
    const town = await newSuppressed()
    const { project, ada } = town
    await project.ingest(event('tablet'))
    await db.run(sql`update distinct_ids set person_id = ${ada.id} where distinct_id = 'tablet'`)
    await suppressAgain(town)
    const before = (await list(project)).results.map(({ id }: Suppression) => id)
    expect(before).toHaveLength(2)

    expect(await restore(town)).toEqual(before)
  })
})

/** Deletes all entries of the ledger, and what is noted of them. */
async function emptyLedger(): Promise<void> {
  for (const prefix of ['ledger/entries/', 'marks/']) {
    const { objects } = await env.BUCKET.list({ prefix })
    await env.BUCKET.delete(objects.map(({ key }) => key))
  }
  await db.run(sql`delete from ledger_head`)
}

/** Deletes a project's suppressions, and makes the database apply the whole ledger again. */
async function forgetSuppressions(project: TestProject): Promise<void> {
  await db.run(sql`delete from suppressions where project_id = ${project.id}`)
  await db.run(sql`delete from suppressed_ids where project_id = ${project.id}`)
  await db.run(sql`delete from ledger_head`)
}

/** Applies the ledger as the cron does at a time when all entries are old enough. */
async function replay(cron: ReturnType<typeof holdErasures>['cron'], at: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  try {
    await cron(EVERY_MINUTE, at)
  } finally {
    vi.useRealTimers()
  }
}

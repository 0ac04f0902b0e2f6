import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { STORE_NAMES } from '../../../src/erasures/names.ts'
import { countOwned } from '../../../src/erasures/persons/preview.store.ts'
import { byteLength } from '../../../src/input/json.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { chunksOf, newShop, seal } from '../../support/columns.ts'
import { countRows, holdErasures } from '../../support/erasures.ts'
import { db } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, snapshotEvent } from '../../support/recordings.ts'
import { event, identify, newTown, status } from '../../support/town.ts'

afterAll(untilQuiet)

type Count = { store: string; deleted: number; kept: number }
type Receipt = { stores: { store: string; removed: number }[] }

/** Returns the total that the receipts report as removed, for each store of a dry run. */
const removedBy = (receipts: Receipt[], counts: Count[]) => {
  const sum = (store: string) =>
    receipts
      .flatMap(({ stores }) => stores)
      .filter((row) => row.store === store)
      .reduce((total, { removed }) => total + removed, 0)
  return Object.fromEntries(counts.map(({ store }) => [store, sum(store)]))
}

const deletedIn = (counts: Count[]) =>
  Object.fromEntries(counts.map(({ store, deleted }) => [store, deleted]))

/** Creates Ada with two recordings, and Bob, who shares a session with Ada and has one recording. */
async function newHouse() {
  const { project, record } = await newStage()
  const inSession = (session: string, name: string) =>
    event(name, 4).map((sent) => ({ ...sent, properties: { $session_id: session } }))
  await project.ingest([
    identify('ada', 'anon-ada', { email: 'ada@example.com', name: 'Ada' }),
    ...inSession('shared', 'ada'),
    ...inSession('own', 'anon-ada'),
    ...inSession('shared', 'bob'),
    ...event('ada', 3)
  ])
  await record(
    snapshotEvent(project, { session: 'one', distinct_id: 'ada' }),
    snapshotEvent(project, { session: 'one', distinct_id: 'ada' }),
    snapshotEvent(project, { session: 'two', distinct_id: 'anon-ada' }),
    snapshotEvent(project, { session: 'three', distinct_id: 'bob' })
  )
  const { body } = await project.call('GET', 'persons?distinct_id=ada')
  const ada: { id: number; uuid: string } = body.results[0]
  await project.send('PATCH', `persons/${ada.id}`, { properties: { plan: 'pro' } })
  return { project, ada, ...holdErasures() }
}

/** Returns the database, but it refuses bound values above 2 MB, as D1 does and the local database does not. */
const withValueLimit = (database: D1Database): D1Database => {
  const withSession = () => {
    const session = database.withSession()
    return {
      prepare: (text: string) => {
        const statement = session.prepare(text)
        const bind = (...values: unknown[]) => {
          if (values.some((value) => typeof value === 'string' && byteLength(value) > 2_000_000)) {
            throw new Error('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
          }
          return statement.bind(...values)
        }
        return { bind }
      },
      batch: (statements: D1PreparedStatement[]) => session.batch(statements),
      getBookmark: () => session.getBookmark()
    }
  }
  return { withSession } as unknown as D1Database
}

describe('a dry run', () => {
  it.each([
    [{ delete_events: false, delete_recordings: false }],
    [{ delete_events: true, delete_recordings: false }],
    [{ delete_events: false, delete_recordings: true }],
    [{ delete_events: true, delete_recordings: true }]
  ])('counts what the deletion then removes, with %o', async (extent) => {
    const house = await newHouse()
    const { project, ada, call, cron, drain } = house
    const url = `persons/${ada.id}?delete_events=${extent.delete_events}&delete_recordings=${extent.delete_recordings}`

    const dry = await call(project, 'DELETE', `${url}&dry_run=true`)
    expect(dry.status).toBe(200)
    expect(dry.body).toMatchObject({ dry_run: true, persons_found: 1, ...extent })
    expect((await call(project, 'DELETE', url)).status).toBe(204)
    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    const [task] = (await status(house)).results
    expect(task.status).toBe('completed')
    expect(deletedIn(dry.body.stores)).toEqual(removedBy([task.receipt], dry.body.stores))
    const undated = (kept: string[]) => kept.map((reason) => reason.replace(/^Until \S+,/, ''))
    expect(undated(dry.body.kept)).toEqual(undated(task.receipt.kept))
    const [kept] = await db.all<{ events: number; recordings: number }>(sql`select
      (select count(*) from events e join erased_identities t on t.key = e.identity
        where e.project_id = ${project.id}) as events,
      (select count(*) from recordings r join erased_identities t on t.key = r.identity
        where r.project_id = ${project.id} and not r.deleted) as recordings`)
    const keptIn = (store: string) =>
      dry.body.stores.find((row: Count) => row.store === store)?.kept
    expect(kept).toEqual({ events: keptIn('events'), recordings: keptIn('recordings') })
    expect(deletedIn(dry.body.stores)).toMatchObject({
      persons: 1,
      distinct_ids: 2,
      search_index: 1,
      activity_values: 1,
      events: extent.delete_events ? 12 : 0,
      sessions: extent.delete_events ? 2 : 0,
      recordings: extent.delete_recordings ? 2 : 0,
      recording_parts: extent.delete_recordings ? 3 : 0
    })
  })

  it('of several persons counts them together, and changes nothing', async () => {
    const town = await newTown()
    const { project, ada, call, held } = town
    const before = await countRows(project.id)
    const sent = { distinct_ids: ['ada', 'eve', 'bob'], delete_events: true }

    const { status: code, body } = await call(
      project,
      'POST',
      'persons/bulk_delete?dry_run=1',
      sent
    )

    expect(code).toBe(200)
    expect(body).toMatchObject({
      persons_found: 2,
      persons_deleted: 0,
      events_queued_for_deletion: false,
      results: [
        { id: 'ada', result: 'found', person_uuid: ada.uuid },
        { id: 'eve', result: 'not_found', person_uuid: null },
        { id: 'bob', result: 'found' }
      ],
      preview: { dry_run: true, persons_found: 2 }
    })
    expect(deletedIn(body.preview.stores)).toMatchObject({
      persons: 2,
      distinct_ids: 3,
      events: 32,
      sessions: 0
    })
    expect(await countRows(project.id)).toEqual(before)
    expect(held).toEqual([])
    expect((await status(town)).count).toBe(0)
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(200)
    expect((await call(project, 'GET', `persons/${ada.id}/activity`)).body.count).toBe(0)
  })

  it('counts the segments and chunks that contain data of the person', async () => {
    const project = await newShop()
    await seal(project.id)
    const { call, cron, drain } = holdErasures()
    const body = { distinct_ids: ['person 3'], delete_events: true }

    const dry = await call(project, 'POST', 'persons/bulk_delete', { ...body, dry_run: true })
    await call(project, 'POST', 'persons/bulk_delete', body)
    await cron(WEEKLY, Date.now() + 1000)
    await drain()

    const { results } = (await call(project, 'GET', 'persons/deletion_status')).body
    const { stores } = dry.body.preview
    expect(deletedIn(stores).segments).toBe(1)
    expect(deletedIn(stores)).toEqual(
      removedBy(
        results.map(({ receipt }: { receipt: Receipt }) => receipt),
        stores
      )
    )
  })

  it('counts the same for more keys than fit into one bound value', async () => {
    const project = await newShop()
    await seal(project.id, { chunks: await chunksOf(project.id) })
    const rows = await db.all<{ key: number; person_id: number }>(
      sql`select key, person_id from distinct_ids where project_id = ${project.id} order by key`
    )
    const ids = [...new Set(rows.map(({ person_id }) => person_id))]
    const keys = rows.map(({ key }) => key)
    const absent = Array.from({ length: 250_000 }, (_, i) => 1_000_000_000 + i)
    const limited = openDb(withValueLimit(env.DB), newUsage()).db

    const few = await countOwned(db, project.id, { ids, keys }, STORE_NAMES)
    const more = [...keys.slice(0, 1), ...absent, ...keys.slice(1)]
    const many = await countOwned(limited, project.id, { ids, keys: more }, STORE_NAMES)

    expect(few.person_versions).toBeGreaterThan(1)
    expect(few.version_chunks).toBeGreaterThan(0)
    expect(many).toEqual(few)
  })

  it.each(['yes', '', '2'])('with dry_run=%s is refused, and nothing is deleted', async (value) => {
    const { project, ada, call } = await newTown()

    const answer = await call(project, 'DELETE', `persons/${ada.id}?dry_run=${value}`)

    expect([answer.status, answer.body.attr]).toEqual([400, 'dry_run'])
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(200)
  })

  it('requested in the body is obeyed, and refused if the URL says otherwise', async () => {
    const { project, ada, call } = await newTown()
    const send = (query: string) =>
      call(project, 'DELETE', `persons/${ada.id}${query}`, { dry_run: true })

    expect((await send('?dry_run=false')).body.attr).toBe('dry_run')
    expect((await send('')).status).toBe(200)
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(200)
  })

  it('of a person of another project, or of an unknown id, is not found', async () => {
    const { project, call } = await newTown()
    const other = await newTown()

    for (const id of [other.ada.uuid, other.ada.id, 999_999]) {
      const answer = await call(project, 'DELETE', `persons/${id}?dry_run=true`)
      expect(answer.status).toBe(404)
    }
  })
})

import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { redriveDeadLetter } from '../../../src/dead-letters/redrive.ts'
import { insertDeadLetter, listDeadLetters, markRedriven } from '../../../src/dead-letters/store.ts'
import { objectOf } from '../../../src/recordings/part.ts'
import { holdErasures, tablesWith } from '../../support/erasures.ts'
import { beforeCall } from '../../support/faults.ts'
import { listenToLog } from '../../support/log.ts'
import { db } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, objectsOf, snapshotEvent } from '../../support/recordings.ts'
import { until } from '../../support/until.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

afterAll(untilQuiet)

/** Creates Ada, with two distinct ids and a recording of each, and Bob, with one recording. */
async function newRecordedTown() {
  const stage = await newStage()
  const { project, record } = stage
  const [ada, anon] = [crypto.randomUUID(), crypto.randomUUID()]
  await project.ingest([
    { event: '$identify', distinct_id: ada, properties: { $anon_distinct_id: anon } },
    { event: '$set', distinct_id: 'bob', properties: { $set: { name: 'Bob' } } }
  ])
  await record(
    snapshotEvent(project, { session: 'one', distinct_id: anon }),
    snapshotEvent(project, { session: 'one', distinct_id: ada }),
    snapshotEvent(project, { session: 'two', distinct_id: ada }),
    snapshotEvent(project, { session: 'bobs', distinct_id: 'bob' })
  )
  const { body } = await project.call('GET', `persons?distinct_id=${ada}`)
  const { id, uuid } = body.results[0]
  const { bindings, ...erasures } = { ...holdErasures(), bindings: stage.bindings }
  const task = async () => {
    const { body } = await project.call('GET', `persons/deletion_status?person_uuid=${uuid}`)
    return body.results[0]
  }
  return { ...stage, bindings, ada, anon, person: { id, uuid }, erasures, task }
}

const remains = async (town: Awaited<ReturnType<typeof newRecordedTown>>) => ({
  listed: (await town.get()).results.map(({ id }: { id: string }) => id),
  objects: [...(await objectsOf(town.project, 'one')), ...(await objectsOf(town.project, 'two'))]
})

describe('the erasure of a person with delete_recordings', () => {
  it.each<
    [string, string, (town: Awaited<ReturnType<typeof newRecordedTown>>) => object | undefined]
  >([
    ['DELETE', 'persons/ID?delete_recordings=true', () => undefined],
    [
      'POST',
      'persons/bulk_delete',
      ({ ada }) => ({ distinct_ids: [ada], delete_recordings: true })
    ],
    ['POST', 'persons/bulk_delete?delete_recordings=1', ({ person }) => ({ ids: [person.id] })]
  ])(
    'deletes the recordings at once, then every object, and counts them: %s %s',
    async (method, path, bodyOf) => {
      const town = await newRecordedTown()
      const { project, erasures, person, get, task } = town

      const { body } = await erasures.call(
        project,
        method,
        path.replace('ID', String(person.id)),
        bodyOf(town)
      )

      if (method === 'POST') {
        expect(body).toMatchObject({ recordings_queued_for_deletion: true })
      }
      expect((await remains(town)).listed).toEqual(['bobs'])
      await get('one', 404)
      expect((await task()).status).toBe('queued')
      await erasures.drain()
      expect(await remains(town)).toEqual({ listed: ['bobs'], objects: [] })
      expect(await objectsOf(project, 'bobs')).toHaveLength(1)
      const done = await task()
      expect(done).toMatchObject({ status: 'completed', recordings: 2, error: null })
      expect(done.receipt).toMatchObject({
        delete_events: false,
        delete_recordings: true,
        run: null
      })
      expect(done.receipt.stores).toEqual(
        expect.arrayContaining([
          { store: 'recordings', found: 2, removed: 2, remaining: 0 },
          { store: 'recording_parts', found: 3, removed: 3, remaining: 0 }
        ])
      )
      for (const id of [town.ada, town.anon]) {
        expect(await tablesWith(id)).not.toContain('recordings')
      }
      expect((await get()).count).toBe(1)
    }
  )

  it('refuses late parts of these recordings and of new sessions', async () => {
    const town = await newRecordedTown()
    const { project, erasures, person, post, held, drain, ada } = town
    await post(
      JSON.stringify([
        snapshotEvent(project, { session: 'one', distinct_id: ada }),
        snapshotEvent(project, { session: 'new', distinct_id: ada }),
        snapshotEvent(project, { session: 'bobs', distinct_id: 'bob' })
      ])
    )
    const late = held.splice(0)
    await erasures.call(project, 'DELETE', `persons/${person.id}?delete_recordings=true`)
    await erasures.drain()

    held.push(...late)
    await drain()

    expect(await remains(town)).toEqual({ listed: ['bobs'], objects: [] })
    expect(await objectsOf(project, 'new')).toEqual([])
    expect(await objectsOf(project, 'bobs')).toHaveLength(2)
    const known = await db.all(sql`select 1 from distinct_ids where distinct_id = ${ada}`)
    expect(known).toEqual([])
  })

  it('lets the distinct id be recorded again as a new person', async () => {
    const town = await newRecordedTown()
    const { project, erasures, person, record, ada, get } = town
    await erasures.call(project, 'DELETE', `persons/${person.id}?delete_recordings=true`)
    await erasures.drain()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })

    await record(snapshotEvent(project, { session: 'later', distinct_id: ada }))

    expect(await get('later')).toMatchObject({ distinct_id: ada, person: { id: null } })
  })

  it('is resumed after the bucket fails in the middle', async () => {
    listenToLog()
    const town = await newRecordedTown()
    const { project, erasures, person, task } = town
    await erasures.call(project, 'DELETE', `persons/${person.id}?delete_recordings=true`)
    const list = env.BUCKET.list.bind(env.BUCKET)
    let listed = 0
    vi.spyOn(env.BUCKET, 'list').mockImplementation(async (options) => {
      listed += options?.prefix?.startsWith('recordings/') ? 1 : 0
      if (listed === 1) {
        listed += 1
        throw new Error('list: internal error (10001)')
      }
      return list(options)
    })

    await erasures.drain()

    expect(listed).toBeGreaterThan(3)
    expect(await remains(town)).toEqual({ listed: ['bobs'], objects: [] })
    expect(await task()).toMatchObject({ status: 'completed', recordings: 2 })
  })

  it('includes parked recordings, but not those of a person whose recordings are kept', async () => {
    listenToLog()
    const town = await newRecordedTown()
    const { project, erasures, person, post, held, deliver, ada } = town
    const parts = [
      { session: 'parked', distinct_id: ada, uuid: crypto.randomUUID() },
      { session: 'kept', distinct_id: 'bob', uuid: crypto.randomUUID() }
    ]
    await post(JSON.stringify(parts.map((part) => snapshotEvent(project, part))))
    for (const { session, uuid } of parts) {
      await env.BUCKET.put(objectOf(project.id, session, uuid), 'not gzip')
    }
    await deliver(held.splice(0), { attempts: 12 })
    const parked = async () =>
      (await listDeadLetters(db)).filter(({ projectId }) => projectId === project.id)
    await until(async () => (await parked()).length === 2)

    await erasures.call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['bob'] })
    await erasures.call(project, 'DELETE', `persons/${person.id}?delete_recordings=true`)
    await erasures.drain()

    expect(await parked()).toHaveLength(1)
    expect(await objectsOf(project, 'parked')).toEqual([])
    expect(await objectsOf(project, 'kept')).toHaveLength(1)
  })

  it('keeps a redriven part that is stored in the recording of another person', async () => {
    const town = await newRecordedTown()
    const { project, erasures, person, post, held, drain, ada } = town
    await post(JSON.stringify([snapshotEvent(project, { session: 'bobs', distinct_id: ada })]))
    const [dead] = held
    await drain()
    const id = crypto.randomUUID()
    const letter = { error: 'x', attempts: 12 }
    const object = `dead/${id}.json`
    await env.BUCKET.put(object, JSON.stringify({ ...letter, dead }))
    await insertDeadLetter(db, { ...letter, id, object, projectId: project.id, createdAt: 0 })
    await markRedriven(db, id, new Date())

    await erasures.call(project, 'DELETE', `persons/${person.id}?delete_recordings=true`)
    await erasures.drain()

    expect(await env.BUCKET.head(object)).toBeNull()
    expect(await objectsOf(project, 'bobs')).toHaveLength(2)
  })
})

describe('the erasure of a person without delete_recordings', () => {
  it('keeps the recordings without a person, including late parts', async () => {
    const town = await newRecordedTown()
    const { project, erasures, person, post, held, drain, get, ada } = town
    await post(JSON.stringify([snapshotEvent(project, { session: 'new', distinct_id: ada })]))
    const late = held.splice(0)

    await erasures.call(project, 'DELETE', `persons/${person.id}?delete_events=true`)
    await erasures.drain()
    held.push(...late)
    await drain()

    expect((await get()).count).toBe(4)
    for (const id of ['one', 'two', 'new']) {
      expect(await get(id)).toMatchObject({
        distinct_id: '',
        person: { id: null, name: '', distinct_ids: '', properties: {} }
      })
    }
    expect((await get('bobs')).distinct_id).toBe('bob')
    expect(await tablesWith(ada)).toEqual([])
  })

  it.each([1, 2, 3, 4, 5, 6])(
    'keeps no late part if it is completed just before call %i of the consumer',
    async (at) => {
      const town = await newRecordedTown()
      const { project, erasures, person, post, held, drain, ada } = town
      await post(JSON.stringify([snapshotEvent(project, { session: 'new', distinct_id: ada })]))
      const late = held.splice(0)
      await erasures.call(project, 'DELETE', `persons/${person.id}?delete_events=true`)
      const { DB, isReached } = beforeCall(env.DB, at, () =>
        erasures.call(project, 'POST', 'persons/complete_deletion', { ids: [person.uuid] })
      )

      held.push(...late)
      await drain({ DB })
      await erasures.drain()

      expect(isReached()).toBe(true)
      expect(await remains(town)).toEqual({ listed: ['bobs'], objects: [] })
      expect(await objectsOf(project, 'new')).toEqual([])
    }
  )

  it('refuses an invalid value of delete_recordings', async () => {
    const { project, erasures, person } = await newRecordedTown()

    expect(
      await erasures.call(project, 'DELETE', `persons/${person.id}?delete_recordings=no`)
    ).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr: 'delete_recordings' }
    })
  })
})

it('a parked part of a recording can be redriven, and is stored once', async () => {
  listenToLog()
  const { project, get, post, held, deliver } = await newStage()
  const part = crypto.randomUUID()
  await post(JSON.stringify([snapshotEvent(project, { uuid: part })]))
  const key = objectOf(project.id, 'session', part)
  const content = await (await env.BUCKET.get(key))?.arrayBuffer()
  await env.BUCKET.put(key, 'not gzip')
  await deliver(held.splice(0), { attempts: 12 })
  const letters = async () =>
    (await listDeadLetters(db)).filter(({ projectId }) => projectId === project.id)
  await until(async () => (await letters()).length === 1)
  const [letter] = await letters()
  if (!letter) {
    throw new Error('nothing was parked')
  }
  const redrive = () =>
    redriveDeadLetter(letter, { env, usage: newUsage(), clock: () => new Date() })
  await expect(redrive()).rejects.toThrow()

  await env.BUCKET.put(key, content ?? '')

  expect([await redrive(), await redrive()]).toEqual([1, 0])
  expect(await get('session')).toMatchObject({ click_count: 1 })
})

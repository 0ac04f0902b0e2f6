import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { holdErasures } from '../../support/erasures.ts'
import { untilQuiet } from '../../support/queue.ts'
import { newStage, objectsOf, snapshotEvent, visit } from '../../support/recordings.ts'

afterEach(() => {
  vi.useRealTimers()
})

afterAll(untilQuiet)

it('a stored part that is sent again after a suppression stays, and does not count as dropped', async () => {
  const { project, get, record } = await newStage()
  const part = snapshotEvent(project)
  await record(part)
  await project.send('POST', 'persons/suppressions', { distinct_ids: ['ada'] })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })

  await record(part, snapshotEvent(project))

  expect(await objectsOf(project, 'session')).toHaveLength(1)
  const [source, ...others] = (await get('session/snapshots')).sources
  expect(others).toEqual([])
  const path = `session_recordings/session/snapshots?blob_key=${source.blob_key}`
  expect((await project.call('GET', path)).status).toBe(200)
  const { body } = await project.call('GET', 'persons/suppressions')
  expect(body.results).toMatchObject([{ recording_parts_dropped: 1 }])
})

it('a part that arrives twice in one batch, before and after a suppression, is stored', async () => {
  const { project, get, held, post, drain } = await newStage()
  const part = snapshotEvent(project)
  await post(JSON.stringify([part]))
  await project.send('POST', 'persons/suppressions', { distinct_ids: ['ada'] })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })
  await post(JSON.stringify([part]))
  expect(held).toHaveLength(2)

  await drain()

  expect(await get('session')).toMatchObject({ click_count: 1 })
  expect(await objectsOf(project, 'session')).toHaveLength(1)
  const { body } = await project.call('GET', 'persons/suppressions')
  expect(body.results).toMatchObject([{ recording_parts_dropped: 0 }])
})

it('a part of a suppressed person that arrives twice in one batch counts once as dropped', async () => {
  const { project, held, post, drain } = await newStage()
  await project.send('POST', 'persons/suppressions', { distinct_ids: ['ada'] })
  const part = snapshotEvent(project)
  await post(JSON.stringify([part]))
  await post(JSON.stringify([part]))
  expect(held).toHaveLength(2)

  await drain()

  expect(await objectsOf(project, 'session')).toEqual([])
  const { body } = await project.call('GET', 'persons/suppressions')
  expect(body.results).toMatchObject([{ recording_parts_dropped: 1 }])
})

it('a recording that an erasure kept does not get its distinct id back', async () => {
  const { project, get, record } = await newStage()
  const { call, drain } = holdErasures()
  await project.ingest([
    { event: '$set', properties: { $set: { plan: 'pro' } }, distinct_id: 'ada' }
  ])
  const now = Date.now()
  await record(snapshotEvent(project, { snapshots: visit(now) }))
  await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['ada'] })
  await drain()
  vi.useFakeTimers({ toFake: ['Date'], now: now + 60_000 })

  await record(snapshotEvent(project, { snapshots: visit(now - 30_000) }))

  expect(await get('session')).toMatchObject({ distinct_id: '', click_count: 2 })
})

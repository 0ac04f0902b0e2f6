import { expect, it } from 'vitest'
import { holdReads } from '../../support/access-log.ts'
import { failingBucket, failingQueue } from '../../support/bindings.ts'
import { newReceipt } from '../../support/erasures.ts'
import { newProject } from '../../support/project.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'

/** Creates a project with the persons Ada and Bob, and a recording of Ada. */
async function newStage() {
  const project = await newProject()
  await project.ingest(
    ['ada', 'bob'].map((distinct_id) => ({
      event: '$identify',
      distinct_id,
      properties: { $set: { email: `${distinct_id}@example.com`, plan: 'pro' } }
    }))
  )
  await holdRecordings().record(snapshotEvent(project))
  const { results } = (await project.call('GET', 'persons?search=ada')).body
  return { project, ada: results[0].uuid as string, ...holdReads() }
}

it('records each read of a person, a recording and a receipt', async () => {
  const { project, ada, held, call } = await newStage()
  const receipt = await newReceipt(project)
  await call(project, 'GET', `persons/${ada}`)
  await call(project, 'GET', 'session_recordings/session')
  await call(project, 'GET', 'session_recordings/session/snapshots')
  await call(project, 'GET', `receipts/${receipt.id}`)

  const by = {
    project_id: project.id,
    key: { id: expect.any(Number), label: 'test' },
    user: { id: project.user.id, email: project.user.email },
    filters: {},
    count: 1
  }
  expect(held).toMatchObject([
    { ...by, operation: 'persons_retrieve', object: 'person', object_id: ada, persons: [ada] },
    {
      ...by,
      operation: 'session_recordings_retrieve',
      object: 'recording',
      object_id: 'session',
      persons: [ada]
    },
    {
      ...by,
      operation: 'session_recordings_snapshots',
      object: 'recording',
      object_id: 'session',
      persons: [ada]
    },
    {
      ...by,
      operation: 'persons_retrieve_deletion_receipt',
      object: 'receipt',
      object_id: String(receipt.id),
      persons: [receipt.person_uuid]
    }
  ])
})

it('records lists and CSV with their filters and persons, but without values that name them', async () => {
  const { project, ada, held, call } = await newStage()
  const filter = [{ key: 'email', operator: 'exact', value: 'ada@example.com', type: 'person' }]
  const asked = encodeURIComponent(JSON.stringify(filter))
  await call(project, 'GET', 'persons?email=ada%40example.com&limit=5')
  await call(project, 'GET', `persons?properties=${asked}`)
  await call(project, 'GET', 'persons?format=csv')
  await call(project, 'GET', 'persons?search=nobody')
  await call(project, 'GET', 'session_recordings')

  const list = { object: 'list', object_id: null }
  expect(held).toMatchObject([
    { ...list, filters: { email: '…', limit: '5' }, count: 1, persons: [ada] },
    {
      ...list,
      filters: { properties: [{ key: 'email', operator: 'exact', type: 'person' }] },
      count: 1,
      persons: [ada]
    },
    { ...list, filters: { format: 'csv' }, count: 2, persons: expect.arrayContaining([ada]) },
    { ...list, filters: { search: '…' }, count: 0, persons: [] },
    { ...list, operation: 'session_recordings_list', count: 1, persons: [ada] }
  ])
  expect(JSON.stringify(held)).not.toContain('ada@example.com')
})

it('records nothing that was not found or not allowed', async () => {
  const { project, held, call, bindings } = await newStage()
  await call(project, 'GET', 'persons/999999')
  await call(project, 'GET', 'session_recordings/none')
  const key = await project.newKey(['insight:read'])
  await project.call('GET', 'persons', { Authorization: `Bearer ${key}` })

  expect(held).toEqual([])
  expect(bindings.ACCESS_QUEUE).toBeDefined()
})

it('answers if the queue takes nothing, and keeps the entry', async () => {
  const { project, ada } = await newStage()
  const answer = await project.send('GET', `persons/${ada}`, undefined, {
    ACCESS_QUEUE: failingQueue()
  })
  expect(answer.status).toBe(200)

  const { results } = (await project.call('GET', `access_log?person=${ada}`)).body
  expect(results).toContainEqual(expect.objectContaining({ operation: 'persons_retrieve' }))
})

it.each(['persons', 'persons?format=csv', 'session_recordings/session'])(
  'does not answer %s if the read cannot be recorded',
  async (path) => {
    const { project } = await newStage()
    const answer = await project.send('GET', path, undefined, {
      ACCESS_QUEUE: failingQueue(),
      BUCKET: failingBucket()
    })

    expect(answer.status).toBe(503)
    expect(answer.text).not.toContain('ada')
    expect(answer.body.detail).toBe('The read cannot be recorded now, so it is not answered.')
  }
)

it('keeps an entry in the bucket where queues do not survive a restart', async () => {
  const { project, ada, held, bindings } = await newStage()
  await project.send('GET', `persons/${ada}`, undefined, { ...bindings, SPILL: 'all' })

  expect(held).toEqual([])
  const { results } = (await project.call('GET', `access_log?person=${ada}`)).body
  expect(results).toContainEqual(expect.objectContaining({ operation: 'persons_retrieve' }))
})

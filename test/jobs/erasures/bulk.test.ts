import { describe, expect, it } from 'vitest'
import { countRows, holdErasures } from '../../support/erasures.ts'
import { newProject } from '../../support/project.ts'
import { newTown, status } from '../../support/town.ts'

describe('bulk deletion', () => {
  it('deletes persons by ids, uuids or distinct ids, and returns the result for each', async () => {
    const { project, ada, call } = await newTown()
    const by = (body: object) => call(project, 'POST', 'persons/bulk_delete', body)

    const first = await by({
      ids: [ada.uuid.toUpperCase(), ada.id, String(ada.id), 999_999],
      delete_events: 'true'
    })
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      persons_found: 1,
      persons_deleted: 1,
      events_queued_for_deletion: true,
      recordings_queued_for_deletion: false,
      deletion_errors: [],
      results: [
        { id: ada.uuid.toUpperCase(), result: 'deleted', person_uuid: ada.uuid },
        { id: ada.id, result: 'deleted', person_uuid: ada.uuid },
        { id: String(ada.id), result: 'deleted', person_uuid: ada.uuid },
        { id: 999_999, result: 'not_found', person_uuid: null }
      ]
    })
    const second = await call(project, 'POST', 'persons/bulk_delete?delete_events=true', {
      distinct_ids: ['ada', 'bob']
    })
    expect(second.body).toMatchObject({ persons_found: 1, events_queued_for_deletion: true })
    expect((await by({ distinct_ids: ['bob'] })).body).toMatchObject({
      persons_found: 0,
      events_queued_for_deletion: false
    })
    expect(await countRows(project.id)).toMatchObject({
      persons: 0,
      person_count: 0,
      distinct_ids: 0
    })
  })

  it('finds a person whose distinct id was cut to 200 characters by the whole distinct id', async () => {
    const project = await newProject()
    const { call } = holdErasures()
    const long = 'x'.repeat(250)
    await project.ingest([
      { event: '$set', distinct_id: long.slice(0, 200), properties: { $set: { plan: 'pro' } } }
    ])

    expect((await project.call('GET', `persons?distinct_id=${long}`)).body.count).toBe(1)
    expect((await project.call('GET', `events?distinct_id=${long}`)).body.results).toHaveLength(1)
    const { body } = await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: [long] })
    expect(body.results).toEqual([{ id: long, result: 'deleted', person_uuid: expect.any(String) }])
    const completion = { distinct_ids: [long], dry_run: true }
    const found = await call(project, 'POST', 'persons/complete_deletion', completion)
    expect(found.body.persons_found).toBe(1)
  })

  it('deletes a thousand persons in one request', async () => {
    const project = await newProject()
    const { call } = holdErasures()
    const names = Array.from({ length: 1000 }, (_, n) => `p${n}`)
    await project.ingest(
      names.map((distinct_id) => ({
        event: '$set',
        distinct_id,
        properties: { $set: { email: `${distinct_id}@example.com` } }
      }))
    )

    const { body } = await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: names })

    expect(body.persons_deleted).toBe(1000)
    expect(await countRows(project.id)).toMatchObject({
      persons: 0,
      person_count: 0,
      distinct_ids: 0,
      search: 0,
      events: 1000
    })
  })

  it('creates a task for each person, listed in pages, newest first', async () => {
    const town = await newTown()
    await town.call(town.project, 'POST', 'persons/bulk_delete', {
      distinct_ids: ['ada', 'bob'],
      delete_events: true
    })

    const first = await status(town, '?limit=1')
    const second = await status(town, `?${new URL(first.next).searchParams}`)

    expect([first.count, second.count, second.next]).toEqual([2, 2, null])
    expect(first.results[0].id).toBeGreaterThan(second.results[0].id)
    expect((await status(town, `?person_uuid=${town.ada.uuid}`)).count).toBe(1)
    expect((await status(town, '?status=completed')).count).toBe(0)
    expect((await status(town, '?status=pending')).count).toBe(2)
  })

  it.each([
    ['neither ids nor distinct ids', {}, null],
    ['both ids and distinct ids', { ids: [1], distinct_ids: ['a'] }, null],
    ['an empty list of ids', { ids: [] }, 'ids'],
    [
      '1,001 distinct ids',
      { distinct_ids: Array.from({ length: 1001 }, (_, n) => `p${n}`) },
      'distinct_ids'
    ],
    ['an invalid id', { ids: ['abc'] }, 'ids__0'],
    ['ids that are not a list', { ids: 'abc' }, 'ids'],
    ['an empty distinct id', { distinct_ids: [''] }, 'distinct_ids__0'],
    [
      'a switch that is neither true nor false',
      { distinct_ids: ['a'], delete_events: 'yes' },
      'delete_events'
    ],
    ['a switch that is null', { distinct_ids: ['a'], delete_events: null }, 'delete_events']
  ])('refuses %s', async (_, body, attr) => {
    const { project, call } = await newTown()
    const answer = await call(project, 'POST', 'persons/bulk_delete', body)
    expect([answer.status, answer.body.attr]).toEqual([400, attr])
  })
})

import { afterAll, expect, it } from 'vitest'
import { readDocument } from '../../support/document.ts'
import { newProject, published, request } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'
import { holdRecordings, snapshotEvent } from '../../support/recordings.ts'
import { create } from '../../support/subscriptions.ts'

/**
 * Values that are invalid for some parameter: by their range, length or type, or because their JSON
 * lacks a member.
 */
const ODD = [
  '',
  '-1',
  '1001',
  '\0',
  'x'.repeat(5_000),
  '[{}]',
  '[null]',
  '[""]',
  '[{"id":"","key":"","property":""}]',
  '[{"id":null,"key":null,"property":null}]'
]

const { operations } = readDocument(published)

const parameters = operations.flatMap(({ method, template, parameters }) =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => [`${method} ${template}`, name, method, template] as const)
)

const project = await newProject()
await project.ingest([{ event: '$identify', distinct_id: 'ada' }])
await holdRecordings().record(snapshotEvent(project))

/** The id of an object in each of these collections. */
const ids: Record<string, number | string> = {
  persons: (await project.call('GET', 'persons/')).body.results[0].id,
  session_recordings: 'session',
  insights: (await project.send('POST', 'insights/', { name: 'A' })).body.id,
  dashboards: (await project.send('POST', 'dashboards/', { name: 'A' })).body.id,
  subscriptions: (await create(project)).id
}

afterAll(untilQuiet)

it.each(parameters)(
  '%s answers odd values of %s as /openapi.json says',
  async (_, name, method, template) => {
    const path = template
      .replace('{project_id}', String(project.id))
      .replace(/(\w+)\/\{\w+\}/, (_, collection) => `${collection}/${ids[collection] ?? 1}`)

    const answers = await Promise.all(
      ODD.map((value) =>
        request(method, `${path}?${new URLSearchParams({ [name]: value })}`, {
          Authorization: `Bearer ${project.key}`
        })
      )
    )

    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  }
)

it.each([
  ['persons', 'distinct_id'],
  ['persons', 'email'],
  ['persons/suppressions', 'distinct_id'],
  ['persons/deletion_status', 'person_uuid'],
  ['events', 'event'],
  ['events', 'distinct_id'],
  ['events', 'person_id'],
  ['events', 'session_id'],
  ['events', 'after'],
  ['events', 'before'],
  ['session_recordings', 'person'],
  ['session_recordings', 'person_uuid'],
  ['session_recordings', 'distinct_id'],
  ['session_recordings', 'distinct_ids'],
  ['session_recordings', 'session_ids'],
  ['insights', 'short_id'],
  ['subscriptions', 'insight'],
  ['subscriptions', 'insights'],
  ['subscriptions', 'dashboard'],
  ['subscriptions', 'dashboard_tiles'],
  ['subscriptions', 'created_by'],
  ['sessions/values', 'key']
])('%s refuses an empty `%s`, which would find everything', async (path, name) => {
  const { status, body } = await project.call('GET', `${path}/?${name}=`)

  expect([status, body.attr]).toEqual([400, name])
})

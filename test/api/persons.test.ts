import { expect, it } from 'vitest'
import { newProject } from '../support/project.ts'

it('lists the person that an identify event made', async () => {
  const project = await newProject()
  await project.ingest([{ event: '$identify', distinct_id: 'ada', properties: { $set: { email: 'ada@example.com' } } }])

  const { status, body } = await project.call('GET', 'persons/')

  expect(status).toBe(200)
  expect(body).toMatchObject({
    count: 1,
    next: null,
    previous: null,
    results: [{ name: 'ada@example.com', distinct_ids: ['ada'] }]
  })
})

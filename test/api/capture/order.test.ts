import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/input/json.ts'
import { personsOf, sendJson, untilPersons } from '../../support/capture.ts'
import { newProject } from '../../support/project.ts'
import { untilQuiet } from '../../support/queue.ts'

afterAll(untilQuiet)

const TIME = '2026-11-20T10:00:00.000Z'

/** Returns the nth uuid of a descending sequence. */
const descendingUuid = (n: number) => `${(0xffffffff - n).toString(16)}-0000-4000-8000-000000000000`

/**
 * Sends these properties of one person as events of one request, and returns the person's
 * properties afterwards.
 */
async function write(properties: JsonObject[], event: (n: number) => JsonObject) {
  const project = await newProject()
  const batch = properties.map((own, n) => ({
    event: '$set',
    distinct_id: 'ada',
    properties: own,
    ...event(n)
  }))
  const { status } = await sendJson({ api_key: project.token, batch })
  expect(status).toBe(200)
  await untilPersons(project, 1)
  await untilQuiet()
  const [person] = (await personsOf(project)).results
  return person.properties
}

const plans = Array.from({ length: 300 }, (_, n) => ({ $set: { plan: n } }))

describe.each<[string, (n: number) => JsonObject]>([
  ['neither time nor uuid', () => ({})],
  ['the same time', () => ({ timestamp: TIME })],
  ['descending uuids of the client', (n) => ({ uuid: descendingUuid(n) })],
  ['the same time and descending uuids', (n) => ({ timestamp: TIME, uuid: descendingUuid(n) })]
])('events of one request with %s', (_, event) => {
  it('write the person’s properties in order', async () => {
    expect(await write(plans, event)).toMatchObject({ plan: 299 })
  })

  it('unset properties that an earlier event has set, and set properties that one has unset', async () => {
    const set = { $set: { plan: 'pro', city: 'Kiel' } }

    expect(await write([set, { $unset: ['plan'] }], event)).not.toHaveProperty('plan')
    expect(await write([{ $unset: ['plan'] }, set], event)).toMatchObject({ plan: 'pro' })
  })

  it('keep the first value of $set_once', async () => {
    const once = plans.map(({ $set: { plan } }) => ({ $set_once: { first: plan } }))

    expect(await write(once, event)).toMatchObject({ first: 0 })
  })
})

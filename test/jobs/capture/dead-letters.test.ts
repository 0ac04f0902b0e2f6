import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newUsage } from '../../../src/db/client.ts'
import { redriveDeadLetter } from '../../../src/dead-letters/redrive.ts'
import { listDeadLetters } from '../../../src/dead-letters/store.ts'
import type { RecordingPart } from '../../../src/recordings/part.ts'
import { db, deliverMessage, newProject } from '../../support/project.ts'

it('a recording part that dies again after it was redriven is listed again, with the new error', async () => {
  const project = await newProject()
  const dead: RecordingPart = {
    project_id: project.id,
    session_id: 'session',
    part_id: crypto.randomUUID(),
    distinct_id: 'ada',
    source: 'web',
    skew: 0,
    received_at: Date.now()
  }
  const park = (error: string) =>
    deliverMessage('edge-analytics-capture-dead', { error, attempts: 12, dead })
  const listed = async () =>
    (await listDeadLetters(db)).filter(({ projectId }) => projectId === project.id)
  await park('first')
  const [first] = await listed()
  if (!first) {
    throw new Error('The part was not parked.')
  }

  // The part has no object, like a part of a deleted recording.
  const stored = await redriveDeadLetter(first, { env, usage: newUsage(), clock: () => new Date() })

  expect(stored).toBe(0)
  expect(await listed()).toEqual([])
  await park('second')
  expect(await listed()).toMatchObject([{ id: first.id, error: 'second', redrivenAt: null }])
})

it('a dead letter without its object is not redriven, and the error names the object', async () => {
  const project = await newProject()
  const dead = project.message([{}])
  await deliverMessage('edge-analytics-capture-dead', { error: 'first', attempts: 12, dead })
  const [letter] = (await listDeadLetters(db)).filter(({ projectId }) => projectId === project.id)
  if (!letter) {
    throw new Error('The message was not parked.')
  }
  await env.BUCKET.delete(letter.object)

  const redrive = redriveDeadLetter(letter, { env, usage: newUsage(), clock: () => new Date() })

  await expect(redrive).rejects.toThrow(`The bucket has no object ${letter.object}.`)
})

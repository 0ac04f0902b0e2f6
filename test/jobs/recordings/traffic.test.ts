import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { listDeadLettersOf } from '../../../src/dead-letters/store.ts'
import { RECORDINGS_PREFIX, type RecordingPart } from '../../../src/recordings/part.ts'
import { hasPart } from '../../../src/recordings/purge.store.ts'
import { deep } from '../../support/depth.ts'
import { holdErasures } from '../../support/erasures.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { type Mutations, mutations, writeMutated } from '../../support/recorder.ts'
import { snapshotEvent } from '../../support/recordings.ts'
import { type HeldQueues, holdQueues, waitingOf } from '../../support/waiting.ts'

beforeEach(() => {
  listenToLog()
})

afterEach(() => {
  vi.restoreAllMocks()
})

const lettersOf = ({ id }: TestProject) => listDeadLettersOf(db, id, '', 100)

/** Lists the keys of the snapshots of a project. */
async function snapshotsOf({ id }: TestProject): Promise<string[]> {
  const { objects } = await env.BUCKET.list({ prefix: `${RECORDINGS_PREFIX}${id}/` })
  return objects.map(({ key }) => key)
}

/** Sends the events one by one, and one beside them that is not mutated. @returns the accepted parts */
async function record(
  project: TestProject,
  queues: HeldQueues,
  events: Mutations[]
): Promise<RecordingPart[]> {
  const { token } = project
  for (const [i, mutated] of events.entries()) {
    const event = writeMutated(mutated, { token, at: Date.now(), session: `session-${i}` })
    const { status } = await request('POST', '/s/', {}, `[${event}]`, queues.bindings)
    expect([200, 400, 401, 413]).toContain(status)
  }
  await queues.post('/s/', [snapshotEvent(project, { session: 'not-mutated' })])
  return queues.recorded.filter((message) => 'part_id' in message)
}

it('each part with values of other types is stored at once or becomes a dead letter, and its person can be erased', async () => {
  const queues = holdQueues()
  const erasures = holdErasures()
  const run = async (events: Mutations[]) => {
    const project = await newProject()
    const parts = await record(project, queues, events)
    const distinctIds = [...new Set(parts.map(({ distinct_id }) => distinct_id))]
    await project.ingest(distinctIds.map((distinct_id) => ({ event: 'seen', distinct_id })))

    const { retryMessages } = await queues.record()
    await queues.park()

    expect(retryMessages).toEqual([])
    expect(await waitingOf(project)).toEqual([])
    const letters = (await lettersOf(project)).map(({ id }) => id)
    for (const part of parts) {
      const isDead = letters.some((id) => id.endsWith(part.part_id))
      expect([await hasPart(db, part, part.part_id), isDead]).toContain(true)
    }

    await erasures.call(project, 'POST', 'persons/bulk_delete', {
      distinct_ids: distinctIds,
      delete_recordings: true
    })
    await erasures.drain()
    const { body } = await erasures.call(project, 'GET', 'persons/deletion_status?status=pending')
    expect(body.results).toEqual([])
    expect(await snapshotsOf(project)).toEqual([])
    expect(await lettersOf(project)).toEqual([])
  }
  const events = fc.array(mutations, { minLength: 1, maxLength: 5 })
  await fc.assert(fc.asyncProperty(events, run), deep(200))
})

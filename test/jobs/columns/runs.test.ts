import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { ColumnsMessage } from '../../../src/columns/message.ts'
import { MAX_SEALING_QUERIES } from '../../../src/columns/seal.ts'
import { eventNames } from '../../../src/db/schema.ts'
import { EVERY_15_MINUTES, NIGHTLY } from '../../../src/jobs/cron.ts'
import {
  deliverColumns,
  expectEqualToRows,
  listSegments,
  newShop,
  OPENED,
  seal,
  VIEW
} from '../../support/columns.ts'
import { listenToLog } from '../../support/log.ts'
import { db, newProject } from '../../support/project.ts'
import worker from '../../support/worker.ts'

/** Fires a Cron Trigger. @returns the messages that it sends about columns of a project */
async function fire(cron: string, projectId: number): Promise<ColumnsMessage[]> {
  const sent: ColumnsMessage[] = []
  const COLUMNS_QUEUE = {
    sendBatch: async (messages: { body: ColumnsMessage }[]) =>
      void sent.push(...messages.map(({ body }) => body))
  } as unknown as Queue
  await worker.scheduled(createScheduledController({ cron, scheduledTime: new Date() }), {
    ...env,
    COLUMNS_QUEUE
  })
  return sent.filter(({ project_id }) => project_id === projectId)
}

it('every quarter of an hour, a project with enough new events gets one message', async () => {
  const project = await newShop()
  const quiet = await newProject()
  await quiet.ingest([{ event: VIEW, timestamp: OPENED }])

  const [message] = await fire(EVERY_15_MINUTES, project.id)
  const [name] = await db.select().from(eventNames).where(eq(eventNames.projectId, project.id))
  expect(message).toEqual({
    project_id: project.id,
    min_late: 257,
    chunks: [],
    names: [name?.id]
  })
  expect(await fire(EVERY_15_MINUTES, quiet.id)).toEqual([])

  const log = listenToLog()
  expect(await deliverColumns(message)).toBe(true)
  expect(log.lines('queue batch').at(-1)).toMatchObject({ segments: 1, events: 2_400 })
  expect(await expectEqualToRows(project.id)).toBe(1)
  expect(await fire(EVERY_15_MINUTES, project.id)).toEqual([])
})

it('every night, segments with any late event are sealed again', async () => {
  const project = await newShop()
  await seal(project.id)
  await project.ingest([{ event: VIEW, timestamp: OPENED + 1 }])

  expect(await fire(EVERY_15_MINUTES, project.id)).toEqual([])
  const [message] = await fire(NIGHTLY, project.id)
  expect(message).toMatchObject({ project_id: project.id, min_late: 1, chunks: [] })
  await deliverColumns(message)

  expect(await listSegments(project.id)).toMatchObject([{ is_sealed: 1, count: 2_401 }])
  expect(await fire(NIGHTLY, project.id)).toEqual([])
})

it('sealing continues in a new message when an invocation reaches its limit', async () => {
  const project = await newShop()
  const [name] = await db.select().from(eventNames).where(eq(eventNames.projectId, project.id))
  const message = { project_id: project.id, min_late: 257, chunks: [7], names: [name?.id ?? 0] }

  // An invocation builds chunks of persons first, then segments. The limit is reached before the first chunk: everything is
  // left for the next message.
  expect(await seal(project.id, { chunks: [7], queries: MAX_SEALING_QUERIES })).toEqual({
    chunks: 0,
    segments: 0,
    events: 0,
    sent: [message]
  })
  // The limit is reached after the first chunk.
  expect(await seal(project.id, { chunks: [7], queries: MAX_SEALING_QUERIES - 5 })).toEqual({
    chunks: 1,
    segments: 0,
    events: 0,
    sent: [{ ...message, chunks: [] }]
  })
  // The limit is reached although there are no chunks to build, and before the first segment. Another invocation would reach it
  // at the same place, so no message is sent; the next quarter of an hour tries again.
  expect(await seal(project.id, { queries: MAX_SEALING_QUERIES - 1 })).toMatchObject({
    segments: 0,
    sent: []
  })
})

it('a malformed message and a message for an unknown project are dropped', async () => {
  expect(await deliverColumns({ project_id: 'one' })).toBe(true)
  expect(await deliverColumns({ project_id: 999_999, min_late: 1, chunks: [], names: [] })).toBe(
    true
  )
})

import * as z from 'zod'
import { newUsage, openDb } from '../db/client.ts'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { checkMigrations } from './store.ts'

/** From this share of its largest size on a database deserves attention. */
const FILLING = 0.8

/** Queue batches that this isolate works on, and messages that it has given back to come again later. */
export type Work = { consuming: number; retrying: number }

const Alive = z.object({ status: z.literal('ok') }).meta({ id: 'Alive' })

const Health = z
  .object({
    status: z.enum(['ok', 'warning', 'unavailable']).meta({
      description: `\`warning\`: the database is ${FILLING * 100} % full; \`unavailable\`: it does not answer, or lacks a migration.`
    }),
    database: z.object({
      answers: z.boolean(),
      migration: z.string().nullable().meta({ description: 'The last one that was applied.' }),
      size_bytes: z.int().min(0),
      fill: z.number().min(0).meta({ description: 'Its share of the largest size.' })
    }),
    queue: z.object({
      backlog: z.int().nullable().meta({ description: 'Messages that wait; null when the queues do not say.' }),
      consuming: z.int().min(0),
      retrying: z.int().min(0)
    })
  })
  .meta({
    id: 'Health',
    examples: [
      {
        status: 'ok',
        database: { answers: true, migration: '0001_search.sql', size_bytes: 4_096_000, fill: 0.0004 },
        queue: { backlog: 0, consuming: 0, retrying: 0 }
      }
    ]
  })

const LIVEZ = describe({
  id: 'livez',
  tag: 'Service',
  summary: 'Whether the process runs',
  answers: { 200: { text: 'It does.', schema: Alive } }
})

const READYZ = describe({
  id: 'readyz',
  tag: 'Service',
  summary: 'Whether the database and what else is needed is in order',
  answers: { 200: { text: 'Ready.', schema: Health }, 503: { text: 'Not ready.', schema: Health } }
})

/** `/livez`: the process; `/readyz`: what it needs, and how much is waiting. */
export const createHealthRoutes = (work: () => Work) =>
  createRouter()
    .get('/livez', LIVEZ, (c) => c.json({ status: 'ok' }))
    .get('/readyz', READYZ, async (c) => {
      const usage = newUsage()
      const checked = await checkMigrations(openDb(c.env.DB, usage).db).catch(() => undefined)
      const fill = usage.sizeBytes / Number(c.env.DATABASE_MAX_BYTES)
      const status = !checked?.isCurrent ? 'unavailable' : fill >= FILLING ? 'warning' : 'ok'
      const { CAPTURE_QUEUE, RECORDING_QUEUE, DEAD_QUEUE, ERASURE_QUEUE, DELIVERY_QUEUE } = c.env
      const queues = [CAPTURE_QUEUE, RECORDING_QUEUE, DEAD_QUEUE, ERASURE_QUEUE, DELIVERY_QUEUE]
      const backlog = await Promise.all(queues.map((queue) => queue.metrics())).then(
        (metrics) => metrics.reduce((sum, { backlogCount }) => sum + backlogCount, 0),
        () => null
      )
      const body = {
        status,
        database: {
          answers: checked !== undefined,
          migration: checked?.migration ?? null,
          size_bytes: usage.sizeBytes,
          fill
        },
        queue: { backlog, ...work() }
      }
      return c.json(body, status === 'unavailable' ? 503 : 200)
    })

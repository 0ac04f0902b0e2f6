import { newUsage, openDb } from '../db/client.ts'
import { createRouter } from '../http/env.ts'
import { checkMigrations } from './store.ts'

/** From this share of its largest size on a database deserves attention. */
const FILLING = 0.8

/** Queue batches that this isolate works on, and messages that it has given back to come again later. */
export type Work = { consuming: number; retrying: number }

/** `/livez`: the process; `/readyz`: what it needs, and how much is waiting. */
export const createHealthRoutes = (work: () => Work) =>
  createRouter()
    .get('/livez', (c) => c.json({ status: 'ok' }))
    .get('/readyz', async (c) => {
      const usage = newUsage()
      const checked = await checkMigrations(openDb(c.env.DB, usage).db).catch(() => undefined)
      const fill = usage.sizeBytes / Number(c.env.DATABASE_MAX_BYTES)
      const status = !checked?.isCurrent ? 'unavailable' : fill >= FILLING ? 'warning' : 'ok'
      const queues = [c.env.CAPTURE_QUEUE, c.env.DEAD_QUEUE].map((queue) => queue.metrics())
      const backlog = await Promise.all(queues).then(
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

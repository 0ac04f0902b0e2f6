import { newUsage, openDb } from '../db/client.ts'
import { createRouter } from '../http/env.ts'
import { checkMigrations } from './store.ts'

/** From this share of its largest size on a database deserves attention. */
const FILLING = 0.8

/** `consuming` is the number of queue batches that this isolate works on. */
export const createHealthRoutes = (consuming: () => number) =>
  createRouter()
    .get('/livez', (c) => c.json({ status: 'ok' }))
    .get('/readyz', async (c) => {
      const usage = newUsage()
      const checked = await checkMigrations(openDb(c.env.DB, usage).db).catch(() => undefined)
      const fill = usage.sizeBytes / Number(c.env.DATABASE_MAX_BYTES)
      const status = !checked?.isCurrent ? 'unavailable' : fill >= FILLING ? 'warning' : 'ok'
      const backlog = await c.env.CAPTURE_QUEUE.metrics().then(
        ({ backlogCount }) => backlogCount,
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
        queue: { backlog, consuming: consuming() }
      }
      return c.json(body, status === 'unavailable' ? 503 : 200)
    })

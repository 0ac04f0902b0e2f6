import * as z from 'zod'
import { createRouter } from '../../http/env.ts'
import { describe } from '../../http/openapi.ts'
import { Health, type ReadHealth } from './check.ts'

const Alive = z
  .object({ status: z.literal('ok') })
  .meta({ id: 'Alive', examples: [{ status: 'ok' }] })

const LIVEZ = describe({
  id: 'livez',
  tag: 'Service',
  summary: 'Check that the process runs',
  answers: { 200: { text: 'The process runs.', schema: Alive } }
})

const READYZ = describe({
  id: 'readyz',
  tag: 'Service',
  summary: 'Check databases, secrets, crons, dead letters and the ledger of erasures',
  description:
    'An isolate checks databases, the ledger, dead letters and crons, and repeats what it found for `HEALTH_SECONDS` seconds (5 by default). `secrets` and `queue` are always current; `consuming` and `retrying` count this isolate only.',
  answers: {
    200: { text: 'Ready: `status` is `ok` or `warning`.', schema: Health },
    503: { text: 'Not ready: `status` is `unavailable`.', schema: Health }
  }
})

/**
 * `/livez` checks the process; `/readyz` checks everything that the service needs, and counts
 * waiting messages and dead letters.
 */
export const createHealthRoutes = (readHealth: ReadHealth) =>
  createRouter()
    .get('/livez', LIVEZ, (c) => c.json({ status: 'ok' }))
    .get('/readyz', READYZ, async (c) => {
      const health = await readHealth(c.env, c.var.now)
      return c.json(health, health.status === 'unavailable' ? 503 : 200)
    })

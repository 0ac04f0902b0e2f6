import * as z from 'zod'
import { createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import type { Work } from '../queues/run.ts'
import { Health, readHealth } from './check.ts'

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
  summary: 'Check databases, secrets, the ledger of erasures and crons',
  answers: { 200: { text: 'Ready.', schema: Health }, 503: { text: 'Not ready.', schema: Health } }
})

/**
 * `/livez` checks the process; `/readyz` checks everything that the service needs, and counts
 * waiting messages and dead letters.
 * @param work returns the counts of this isolate's batches and retries
 */
export const createHealthRoutes = (work: () => Work) =>
  createRouter()
    .get('/livez', LIVEZ, (c) => c.json({ status: 'ok' }))
    .get('/readyz', READYZ, async (c) => {
      const health = await readHealth(c.env, work(), c.var.now)
      return c.json(health, health.status === 'unavailable' ? 503 : 200)
    })

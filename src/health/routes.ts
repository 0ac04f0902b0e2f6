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
  summary: 'Whether the process runs',
  answers: { 200: { text: 'It does.', schema: Alive } }
})

const READYZ = describe({
  id: 'readyz',
  tag: 'Service',
  summary: 'Whether the databases and secrets are in order',
  answers: { 200: { text: 'Ready.', schema: Health }, 503: { text: 'Not ready.', schema: Health } }
})

/** `/livez`: the process; `/readyz`: what it needs, and how much is waiting. */
export const createHealthRoutes = (work: () => Work) =>
  createRouter()
    .get('/livez', LIVEZ, (c) => c.json({ status: 'ok' }))
    .get('/readyz', READYZ, async (c) => {
      const health = await readHealth(c.env, work())
      return c.json(health, health.status === 'unavailable' ? 503 : 200)
    })

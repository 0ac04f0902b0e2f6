import type { Hono } from 'hono'
import { z } from 'zod'
import { type AppEnv, createRouter } from '../http/env.ts'
import { createDocument, describe } from '../http/openapi.ts'
import { INFO, TAGS } from './info.ts'

const OpenApiJson = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApi' })

/** What the interface says of itself. */
export function createDocsRoutes(app: Hono<AppEnv>) {
  let document: string | undefined

  return createRouter().get(
    '/openapi.json',
    describe({
      id: 'openapi',
      tag: 'Service',
      summary: 'This description',
      answers: { 200: { text: 'An OpenAPI 3.1 document.', schema: OpenApiJson } }
    }),
    (c) => {
      document ??= JSON.stringify(createDocument(app.routes, INFO, TAGS))
      return c.body(document, 200, { 'Content-Type': 'application/json' })
    }
  )
}

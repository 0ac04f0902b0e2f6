import type { Hono } from 'hono'
import { etag } from 'hono/etag'
import * as z from 'zod'
import { type AppEnv, createRouter } from '../http/env.ts'
import { createDocument, describe } from '../http/openapi.ts'
import { INFO, TAGS } from './info.ts'
import { policyOf, referencePage } from './page.ts'

const OpenApiJson = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApi' })

const OPENAPI = describe({
  id: 'openapi',
  tag: 'Service',
  summary: 'This description',
  answers: {
    200: { text: 'An OpenAPI 3.1 document.', schema: OpenApiJson },
    304: { text: 'It is the one whose `ETag` the header `If-None-Match` names.' }
  }
})

const DOCS = describe({
  id: 'docs',
  tag: 'Service',
  takesAnyQuery: true,
  summary: 'This description, to read and try',
  answers: { 200: { text: 'A page.', type: 'text/html' } }
})

/** What the interface says of itself. */
export function createDocsRoutes(app: Hono<AppEnv>) {
  let document: string | undefined

  return createRouter()
    .get('/openapi.json', OPENAPI, etag(), (c) => {
      document ??= JSON.stringify(createDocument(app.routes, INFO, TAGS))
      return c.body(document, 200, { 'Content-Type': 'application/json' })
    })
    .get('/docs', DOCS, (c) => {
      // Unguessable and new each time, which is all that a nonce has to be.
      const nonce = c.var.requestId
      c.header('Content-Security-Policy', policyOf(nonce))
      return c.html(referencePage(nonce))
    })
}

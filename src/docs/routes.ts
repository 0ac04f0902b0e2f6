import type { Hono } from 'hono'
import { etag } from 'hono/etag'
import * as z from 'zod'
import { createDocument } from '../http/document.ts'
import { type AppEnv, createRouter } from '../http/env.ts'
import { describe } from '../http/openapi.ts'
import { emptiesBodies } from '../http/preferences.ts'
import { INFO, TAGS } from './info.ts'
import { policyOf, referencePage } from './page.ts'

const OpenApiJson = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApi' })

const NOT_MODIFIED = { text: 'It is the one whose `ETag` the header `If-None-Match` names.' }

const OPENAPI = describe({
  id: 'openapi',
  tag: 'Service',
  summary: 'This description',
  answers: {
    200: { text: 'An OpenAPI 3.1 document.', schema: OpenApiJson },
    304: NOT_MODIFIED
  }
})

const OPENAPI_30 = describe({
  id: 'openapi_30',
  tag: 'Service',
  summary: 'This description for tools that read OpenAPI 3.0',
  answers: {
    200: { text: 'An OpenAPI 3.0 document.', schema: OpenApiJson },
    304: NOT_MODIFIED
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
  const documents = new Map<string, string>()

  /** Writing a document takes some milliseconds; in an isolate it is always the same. */
  const documentOf = (target: 'openapi-3.0' | 'draft-2020-12', env: AppEnv['Bindings']): string => {
    const document =
      documents.get(target) ??
      JSON.stringify(
        createDocument(app.routes, INFO, TAGS, { target, emptyBodies: emptiesBodies(env) })
      )
    documents.set(target, document)
    return document
  }

  return createRouter()
    .get('/openapi.json', OPENAPI, etag(), (c) =>
      c.body(documentOf('draft-2020-12', c.env), 200, { 'Content-Type': 'application/json' })
    )
    .get('/openapi-3.0.json', OPENAPI_30, etag(), (c) =>
      c.body(documentOf('openapi-3.0', c.env), 200, { 'Content-Type': 'application/json' })
    )
    .get('/docs', DOCS, (c) => {
      // Unguessable and new each time, which is all that a nonce has to be.
      const nonce = c.var.requestId
      c.header('Content-Security-Policy', policyOf(nonce))
      return c.html(referencePage(nonce))
    })
}

import type { Hono } from 'hono'
import { etag } from 'hono/etag'
import * as z from 'zod'
import { createDocument } from '../../http/document.ts'
import { type AppEnv, createRouter } from '../../http/env.ts'
import { answerPage, nonceOf } from '../../http/html-page.ts'
import { describe } from '../../http/openapi.ts'
import { emptiesBodies } from '../../http/preferences.ts'
import { INFO, TAGS } from './info.ts'

const OpenApiJson = z.looseObject({ openapi: z.string() }).meta({ id: 'OpenApi' })

const NOT_MODIFIED = { text: 'The document still has the `ETag` of `If-None-Match`.' }

const OPENAPI = describe({
  id: 'openapi',
  tag: 'Service',
  summary: 'Read the API reference as OpenAPI 3.1',
  answers: {
    200: { text: 'An OpenAPI 3.1 document.', schema: OpenApiJson },
    304: NOT_MODIFIED
  }
})

const OPENAPI_30 = describe({
  id: 'openapi_30',
  tag: 'Service',
  summary: 'Read the API reference as OpenAPI 3.0',
  answers: {
    200: { text: 'An OpenAPI 3.0 document.', schema: OpenApiJson },
    304: NOT_MODIFIED
  }
})

const DOCS = describe({
  id: 'docs',
  tag: 'Service',
  takesAnyQuery: true,
  summary: 'Browse and try the API',
  answers: { 200: { text: 'An HTML page.', type: 'text/html' } }
})

/** Serves the API reference: as OpenAPI documents, and as a page. */
export function createDocsRoutes(app: Hono<AppEnv>) {
  const documents = new Map<string, string>()

  /**
   * Returns a document. It is cached, because writing it takes several milliseconds and it never
   * changes while the isolate lives.
   */
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
    .get('/docs', DOCS, async (c) => {
      const { referencePage } = await import('./page.ts')
      const nonce = nonceOf(c)
      return answerPage(c, referencePage(nonce), {
        policy: {
          'script-src': `'self' 'nonce-${nonce}'`,
          'style-src': `'self' 'nonce-${nonce}'`,
          'img-src': "'self' data:",
          'connect-src': "'self'"
        }
      })
    })
}

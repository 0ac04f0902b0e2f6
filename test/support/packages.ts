/**
 * Imports that workerd gets as one module each in tests. All imported modules of a package have to be listed: a missing one
 * would bring second copies of the modules that it imports.
 */
export const PACKAGES = [
  '@cfworker/json-schema',
  'drizzle-orm',
  'drizzle-orm/d1',
  'drizzle-orm/sqlite-core',
  'fast-check',
  'hono',
  'hono/cors',
  'hono/etag',
  'hono/http-exception',
  'hono/route',
  'hono/secure-headers',
  'hono/utils/url',
  'uuid',
  'zod'
]

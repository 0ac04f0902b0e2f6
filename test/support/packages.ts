/**
 * Imports that workerd gets as one module each in tests. All modules of a package have to be listed: workerd would get a
 * second copy of what a module that is missing here imports.
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
  'uuid',
  'zod'
]

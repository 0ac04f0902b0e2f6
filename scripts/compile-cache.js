import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'

/*
 * Loaded before every command to make the command start faster. It is plain JavaScript so that an
 * older Node, which may run it before `npm ci`, can print the message below.
 */

if (!existsSync(join(import.meta.dirname ?? '.', '../node_modules/.bin/node'))) {
  console.error('The packages are not installed yet. Run: npm ci')
  process.exit(1)
}

// The environment variable passes the cache on to child processes.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
module.enableCompileCache(process.env.NODE_COMPILE_CACHE)

// Node parses a package's package.json again for each of its files. Drizzle's is 180 kB, which
// would dominate the start.
module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (!specifier.startsWith('.') || !parentURL?.includes('/node_modules/drizzle-orm/')) {
      return next(specifier, context)
    }
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  }
})

import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'

/*
 * Loaded before every command to make it start faster. Plain JavaScript, because before `npm ci` an older Node may run it
 * and must get as far as the message below.
 */

if (!existsSync(join(import.meta.dirname ?? '.', '../node_modules/.bin/node'))) {
  console.error('The packages are not installed yet. Run: npm ci')
  process.exit(1)
}

// The environment variable passes the cache on to child processes.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
module.enableCompileCache(process.env.NODE_COMPILE_CACHE)

// Node parses package.json again for every file of a package. Drizzle's has 180 kB, which would dominate the start.
module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (!specifier.startsWith('.') || !parentURL?.includes('/node_modules/drizzle-orm/')) {
      return next(specifier, context)
    }
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  }
})

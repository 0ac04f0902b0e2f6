import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'

/*
 * Loaded before a command to make it start faster. This is plain JavaScript because before `npm ci` an older Node may run
 * it, which has to get as far as the message below.
 */

if (!existsSync(join(import.meta.dirname ?? '.', '../node_modules/.bin/node'))) {
  console.error('The packages are not installed yet: npm ci')
  process.exit(1)
}

// Also for the processes that it starts.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
module.enableCompileCache(process.env.NODE_COMPILE_CACHE)

// Node parses a package.json again for each file of the package: with drizzle's 180 kB that takes longer than all else.
module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (!specifier.startsWith('.') || !parentURL?.includes('/node_modules/drizzle-orm/')) {
      return next(specifier, context)
    }
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  }
})

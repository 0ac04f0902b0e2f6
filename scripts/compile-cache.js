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

/**
 * Packages of ES modules that import each other by whole file names. Node would read the package.json for each import;
 * Drizzle's is 180 kB, which would dominate the start.
 */
const MODULES = /\/node_modules\/(drizzle-orm|zod)\//

/** How imports of these packages by own files resolve, by specifier. */
const resolved = new Map()

module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context
    if (specifier.startsWith('.') && MODULES.test(parentURL)) {
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    }
    if (specifier === 'miniflare') {
      // Otherwise Node parses its 5 MB to find out.
      return { ...next(specifier, context), format: 'commonjs' }
    }
    if (!specifier.startsWith('drizzle-orm')) {
      return next(specifier, context)
    }
    const found = resolved.get(specifier) ?? { ...next(specifier, context), shortCircuit: true }
    resolved.set(specifier, found)
    return found
  }
})

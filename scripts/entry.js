import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'

/*
 * Loaded before every command: makes the command start faster, and reports whatever it fails with. It is plain JavaScript
 * so that an older Node, which may run it before `npm ci`, can print the message below.
 */

if (!existsSync(join(import.meta.dirname ?? '.', '../node_modules/.bin/node'))) {
  console.error('The packages are not installed yet. Run: npm ci')
  process.exit(1)
}

// Every error that a command does not handle ends the command here.
process.on('uncaughtException', async (error) => {
  // If not even this module can be loaded, the error describes itself.
  const { describeFault } = await import('./faults.ts').catch(() => ({ describeFault: String }))
  const failure = describeFault(error)
  if (process.connected && process.send) {
    // This is the service: its output is the log, and its parent prints the sentence.
    console.error(error)
    process.send({ failure }, () => process.exit(1))
  } else {
    console.error(failure)
    process.exit(1)
  }
})

// The environment variable passes the cache on to child processes.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')
module.enableCompileCache(process.env.NODE_COMPILE_CACHE)

/**
 * Packages whose ES modules import each other by full file names. Node would read their package.json for each import;
 * Drizzle's has 180 kB and would take most of the start.
 */
const MODULES = /\/node_modules\/(drizzle-orm|zod)\//

/** How imports of drizzle-orm and its submodules resolve, by specifier. */
const resolved = new Map()

module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context
    if (specifier.startsWith('.') && MODULES.test(parentURL)) {
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    }
    if (specifier === 'miniflare') {
      // Otherwise Node parses the 5 MB of this package to find out its format.
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

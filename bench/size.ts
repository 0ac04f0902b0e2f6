import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import type { Module } from '../scripts/modules.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { build, inTemporary, wrangler } from './support/runtime.ts'

const MAIN = 'worker.mjs'
/** A static import of a minified module: `from"./chunk-NLBUITTD.mjs"`, `import"./chunk-NLBUITTD.mjs"`. */
const STATIC_IMPORT = /(?:from|import)"\.\/([^"]+)"/g
/** Target: gzipped size of the JavaScript that is loaded at startup, kB. */
const MAX_KB = 450
/** Target: time that the worker takes before its first request, median, ms. */
const MAX_STARTUP_MS = 200

/** V8's CPU profile: a node per code location, and the sampled locations with the time since the previous sample. */
const Profile = z.object({
  nodes: z.array(z.object({ id: z.int(), callFrame: z.object({ functionName: z.string() }) })),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()).min(1)
})

/** Measures the size of the deployed worker, and its CPU time before the first request. */
export async function benchSize(isSmoke: boolean): Promise<Outcome> {
  const modules = build('wrangler.toml')
  const loaded = findLoaded(modules)
  const kilobytes = sizeOf(modules.filter(({ path }) => loaded.has(path)))
  const onDemand = sizeOf(modules.filter(({ path }) => !loaded.has(path)))
  const startups = Array.from({ length: isSmoke ? 1 : 5 }, profileStartup)
  const startup = percentile(startups, 0.5)
  return {
    table: [
      ['', 'measured', 'at most'],
      ['JavaScript loaded at startup, gzip', `${rounded(kilobytes)} kB`, `${MAX_KB} kB`],
      ['modules loaded on demand, gzip', `${rounded(onDemand)} kB`, ''],
      ['startup, median', `${rounded(startup)} ms`, `${MAX_STARTUP_MS} ms`]
    ],
    notes: [
      'Startup is the time that is not idle in the profile of `wrangler check startup`.',
      `${startups.length} runs: ${startups.map(rounded).join(', ')} ms.`
    ],
    missed: [
      ...(kilobytes > MAX_KB ? [`JavaScript loaded at startup: ${rounded(kilobytes)} kB`] : []),
      ...(startup > MAX_STARTUP_MS ? [`startup: ${rounded(startup)} ms`] : [])
    ]
  }
}

/** Returns the paths of the main module and of all modules that it imports statically, directly or not. */
function findLoaded(modules: Module[]): Set<string> {
  const loaded = new Set([MAIN])
  // A set also yields the paths that are added during the loop.
  for (const path of loaded) {
    const text = String(modules.find((module) => module.path === path)?.contents ?? '')
    for (const [, imported] of text.matchAll(STATIC_IMPORT)) {
      loaded.add(imported ?? '')
    }
  }
  return loaded
}

/** Returns the compressed size of modules, kB. */
const sizeOf = (modules: Module[]): number =>
  modules.reduce((sum, { contents }) => sum + gzipSync(contents).byteLength, 0) / 1000

function profileStartup(): number {
  const text = inTemporary((folder) => {
    const file = join(folder, 'startup.cpuprofile')
    wrangler('check', 'startup', '--outfile', file)
    return readFileSync(file, 'utf8')
  })
  const { nodes, samples, timeDeltas } = Profile.parse(JSON.parse(text))
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id)
  )
  const micros = timeDeltas
    .filter((_, i) => !idle.has(samples[i] ?? -1))
    .reduce((sum, delta) => sum + delta, 0)
  return micros / 1000
}

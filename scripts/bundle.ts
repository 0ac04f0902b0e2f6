import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { assembleAssets } from './assets.ts'
import { generatedDir, putGenerated } from './generated.ts'
import { readCommandLine } from './usage.ts'

/*
 * Wrangler's own bundler would put everything into one module. This script turns each `import()` into a separate module,
 * which an isolate loads when it first needs it.
 */

const USAGE = `npm run bundle

Bundles the worker: the [build] command of wrangler.toml.`

readCommandLine(USAGE, { options: {} })

const root = join(import.meta.dirname, '..')

/** The folder of `main` in wrangler.toml. */
const folder = join(generatedDir, 'worker')

await assembleAssets()
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/worker.ts'],
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
  define: { 'process.env.NODE_ENV': '"production"' },
  minify: true,
  // Stack traces then name lines of the source.
  sourcemap: true,
  outExtension: { '.js': '.mjs' },
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.wasm': 'copy', '.ttf': 'copy' },
  write: false,
  logLevel: 'warning'
})
// Writes the main module last, because it imports the others.
for (const { path, contents } of outputFiles.sort((a, b) => rank(a.path) - rank(b.path))) {
  putGenerated(path, Buffer.from(contents))
}
const current = new Set(outputFiles.map(({ path }) => basename(path)))
for (const file of readdirSync(folder)) {
  if (!current.has(file)) {
    rmSync(join(folder, file), { force: true })
  }
}

// Last, because this locks the state folder until the process ends.
if (process.env.WRANGLER_COMMAND === 'dev' && !process.env.IS_PREPARED) {
  const { prepareBare } = await import('./bare.ts')
  await prepareBare()
}

function rank(path: string): number {
  return path.endsWith('worker.mjs') ? 1 : 0
}

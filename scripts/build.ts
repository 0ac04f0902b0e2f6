import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import type { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { z } from 'zod'
import { ENTRY, root } from './environment.ts'
import { OperatorError } from './faults.ts'
import { type Module, readModules } from './modules.ts'

const Served = z.object({
  assets: z.looseObject({ directory: z.string() }),
  compatibilityDate: z.string()
})

/** The worker as deployed: its modules, the runtime options from wrangler.toml, and the options that serve its assets. */
export type Build = {
  modules: Module[]
  options: ReturnType<typeof unstable_getMiniflareWorkerOptions>['workerOptions']
  served: z.infer<typeof Served>
}

/** Files that a build depends on. */
const SOURCES = [
  'src/**',
  'migrations/**',
  'player/**',
  'console/**',
  'scripts/{assets,build,builder,bundle,console,generated,modules,player}.ts',
  'wrangler.toml',
  'package-lock.json'
]

/** Folder of builds, each named by the hash of its sources. */
const CACHE = join(root, 'node_modules/.cache/edge-analytics')

/**
 * Builds the worker, or returns the cached build of the same sources. @throws OperatorError when
 * the build fails
 */
export async function build(): Promise<Build> {
  const name = hashSources()
  const folder = join(CACHE, name)
  const built = findBuild(folder)
  if (built) {
    return built
  }
  const fresh = makeFresh(folder)
  try {
    await runBuilder(fresh)
    const result = readBuild(fresh)
    writeFileSync(join(fresh, 'hash'), hashOf(result))
    keep(fresh, name)
    return result
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/**
 * Creates a folder for a new build, and removes a damaged build. @throws OperatorError when the
 * clone is read-only
 */
function makeFresh(damaged: string): string {
  try {
    rmSync(damaged, { recursive: true, force: true })
    mkdirSync(CACHE, { recursive: true })
    return mkdtempSync(join(CACHE, 'fresh-'))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new OperatorError(`The worker cannot be built: ${CACHE} is not writable (${code}).`)
  }
}

/** Returns the cached build if it is intact and its assets are unchanged. */
function findBuild(folder: string): Build | undefined {
  try {
    const built = readBuild(folder)
    return readFileSync(join(folder, 'hash'), 'utf8') === hashOf(built) ? built : undefined
  } catch {
    return undefined
  }
}

/**
 * Hashes the modules of a build, and the names, sizes and times of its assets: `npm run dev` may have replaced the assets
 * with those of other sources. Hashing the content of the assets, 7 MB, would delay each start.
 */
function hashOf({ modules, served }: Build): string {
  const hash = createHash('sha256')
  for (const { path, contents } of modules) {
    hash.update(path).update(contents)
  }
  const { directory } = served.assets
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const { size, mtimeMs } = statSync(join(directory, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/**
 * Removes builds of other sources, and gives a finished build its final name unless another process
 * was faster.
 */
function keep(fresh: string, name: string): void {
  for (const other of readdirSync(CACHE)) {
    if (other !== name && !other.startsWith('fresh-')) {
      rmSync(join(CACHE, other), { recursive: true, force: true })
    }
  }
  try {
    renameSync(fresh, join(CACHE, name))
  } catch {
    // Another process has cached the same build.
  }
}

function hashSources(): string {
  const hash = createHash('sha256')
  const files = globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  for (const file of files.sort()) {
    hash.update(file).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

function readBuild(folder: string): Build {
  // Written by scripts/builder.ts exactly as wrangler returned them.
  const options = JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8')) as Build['options']
  return {
    modules: readModules(folder),
    options,
    served: Served.parse(options)
  }
}

async function runBuilder(folder: string): Promise<void> {
  const args = ['--import', ENTRY, join(root, 'scripts/builder.ts'), folder]
  const builder = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'pipe']
  })
  let stderr = ''
  builder.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise((done) => builder.on('close', done))
  if (code !== 0) {
    throw new OperatorError(`The worker cannot be built. ${stderr.trim()}`)
  }
}

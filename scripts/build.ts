import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import type { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { z } from 'zod'
import { OperatorError, root } from './local.ts'

const Served = z.object({
  assets: z.looseObject({ directory: z.string() }),
  compatibilityDate: z.string()
})

/** The worker as it is deployed: its JavaScript, what wrangler.toml asks of the runtime, and what serves its assets. */
export type Build = {
  contents: string
  options: ReturnType<typeof unstable_getMiniflareWorkerOptions>['workerOptions']
  served: z.infer<typeof Served>
}

/** Files that a build depends on. */
const SOURCES = [
  'src/**',
  'migrations/**',
  'scripts/{assets,build,builder}.ts',
  'wrangler.toml',
  'package-lock.json'
]

/** The folder of the builds, each named for the hash of its sources. */
const CACHE = join(root, 'node_modules/.cache/edge-analytics')

/** Builds the worker, unless these sources were built before. @throws OperatorError when it cannot be built */
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
    writeFileSync(join(fresh, 'hash'), hashOf(result.contents))
    keep(fresh, name)
    return result
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Makes a folder for a new build, in place of a damaged one. @throws OperatorError when the clone is read-only */
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

/** A build that was kept, if it is whole and its assets are still there. */
function findBuild(folder: string): Build | undefined {
  try {
    const built = readBuild(folder)
    const isWhole = readFileSync(join(folder, 'hash'), 'utf8') === hashOf(built.contents)
    return isWhole && existsSync(built.served.assets.directory) ? built : undefined
  } catch {
    return undefined
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Gives a finished build its name, unless another process was faster, and removes those of other sources. */
function keep(fresh: string, name: string): void {
  for (const other of readdirSync(CACHE)) {
    if (other !== name && !other.startsWith('fresh-')) {
      rmSync(join(CACHE, other), { recursive: true, force: true })
    }
  }
  try {
    renameSync(fresh, join(CACHE, name))
  } catch {
    // It is there.
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
  // As wrangler gave them to scripts/builder.ts.
  const options = JSON.parse(readFileSync(join(folder, 'options.json'), 'utf8')) as Build['options']
  return {
    contents: readFileSync(join(folder, 'worker.js'), 'utf8'),
    options,
    served: Served.parse(options)
  }
}

async function runBuilder(folder: string): Promise<void> {
  const builder = spawn(process.execPath, [join(root, 'scripts/builder.ts'), folder], {
    stdio: ['ignore', 'inherit', 'pipe']
  })
  let said = ''
  builder.stderr.on('data', (chunk) => {
    said += chunk
  })
  const code = await new Promise((done) => builder.on('close', done))
  if (code !== 0) {
    throw new OperatorError(`The worker cannot be built. ${said.trim()}`)
  }
}

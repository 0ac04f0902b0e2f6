import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')

/** What `[assets]` in wrangler.toml names; made from scratch, so git ignores it. */
const assetsDir = join(root, 'dist/assets')

type AssetPackage = {
  name: string
  /** The folder of the package that is served, and the path that it is served below. */
  from: string
  to: string
  isServed: (file: string) => boolean
  headers: Record<string, string>
}

/** The packages whose files are handed out as they are. Each brings its licence along. */
const packages: AssetPackage[] = [
  {
    name: 'posthog-js',
    from: 'dist',
    to: 'static',
    isServed: (file) => file.endsWith('.js') && !/^(module|main)\b/.test(file),
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=300'
    }
  },
  {
    name: 'swagger-ui-dist',
    from: '.',
    to: 'docs',
    isServed: (file) => file === 'swagger-ui-bundle.js' || file === 'swagger-ui.css',
    headers: { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'public, max-age=300' }
  }
]

/** SDKs ask for the scripts of their own version first; there is one version of them here. */
const REDIRECTS = '/static/:version/:script /static/:script 200\n'

/** Brings the folder of static assets up to date, touching nothing that already is: a running service may read it. */
export function assembleAssets(): void {
  const files = new Map<string, string | Buffer>([
    ['_headers', packages.map(({ to, headers }) => headerRule(`/${to}/*`, headers)).join('\n')],
    ['_redirects', REDIRECTS]
  ])
  for (const { name, from, to, isServed } of packages) {
    const folder = join(root, 'node_modules', name)
    files.set(`${to}/LICENSE.txt`, readFileSync(join(folder, 'LICENSE')))
    for (const file of readdirSync(join(folder, from)).filter(isServed)) {
      files.set(`${to}/${file}`, readFileSync(join(folder, from, file)))
    }
  }
  for (const [path, content] of files) {
    put(join(assetsDir, path), Buffer.from(content))
  }
  for (const path of listFiles(assetsDir)) {
    if (!files.has(path)) {
      rmSync(join(assetsDir, path), { force: true })
    }
  }
}

const headerRule = (path: string, headers: Record<string, string>): string =>
  `${path}\n${Object.entries(headers)
    .map(([name, value]) => `  ${name}: ${value}\n`)
    .join('')}`

function put(path: string, content: Buffer): void {
  if (read(path)?.equals(content)) {
    return
  }
  mkdirSync(dirname(path), { recursive: true })
  // Two commands may do this at the same time: each file appears whole.
  const partial = join(assetsDir, `../partial-${process.pid}`)
  writeFileSync(partial, content)
  renameSync(partial, path)
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/')
    )

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  assembleAssets()
}

import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from './console.ts'
import { generatedDir, putGenerated } from './generated.ts'
import { buildPlayer } from './player.ts'

const root = join(import.meta.dirname, '..')

/** The folder named by `[assets]` in wrangler.toml. */
const assetsDir = join(generatedDir, 'assets')

type AssetPackage = {
  name: string
  /** The folder of the package that is served. */
  from: string
  /** The path below which it is served. */
  to: string
  isServed: (file: string) => boolean
  headers: Record<string, string>
}

/** Packages whose files are served unmodified, each with its license. */
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

/** SDKs ask for the scripts of their own version first; every version gets the installed scripts. */
const REDIRECTS = '/static/:version/:script /static/:script 200\n'

/** Updates the folder of static assets. Unchanged files are not touched, because a running service may read them. */
export async function assembleAssets(): Promise<void> {
  const built = await Promise.all([buildPlayer(), buildConsole()])
  const rules = [
    ...packages.map(({ to, headers }) => headerRule(`/${to}/*`, headers)),
    ...built.flatMap(({ headers }) => headers.map(([path, values]) => headerRule(path, values)))
  ]
  const files = new Map<string, string | Buffer>([
    ['_headers', rules.join('\n')],
    ['_redirects', REDIRECTS + built.map(({ redirects }) => redirects).join('')],
    ...built.flatMap(({ files }) => [...files])
  ])
  for (const { name, from, to, isServed } of packages) {
    const folder = join(root, 'node_modules', name)
    files.set(`${to}/LICENSE.txt`, readFileSync(join(folder, 'LICENSE')))
    for (const file of readdirSync(join(folder, from)).filter(isServed)) {
      files.set(`${to}/${file}`, readFileSync(join(folder, from, file)))
    }
  }
  for (const [path, content] of files) {
    putGenerated(join(assetsDir, path), Buffer.from(content))
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

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/')
    )

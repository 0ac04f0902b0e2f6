import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** Returns the policy of the document that rebuilds a recorded page. `outside` allows sources of the recorded site. */
const framePolicy = (outside: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline' data: blob:${outside}; img-src data: blob:${outside}; font-src data: blob:${outside}; media-src data: blob:${outside}; connect-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'X-DNS-Prefetch-Control': 'off',
  'X-Robots-Tag': 'noindex'
}

/** Static files by their paths, the headers of paths, and lines for `_redirects`. */
export type Assets = {
  files: Map<string, string | Buffer>
  headers: [path: string, headers: Record<string, string>][]
  redirects: string
}

/**
 * Builds the player of shared recordings, from `player/`. The names of its files contain a hash of their content, so that
 * they can be cached for a year. `/player/player.js` and `/player/player.css` redirect to the current ones.
 */
export async function buildPlayer(): Promise<Assets> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [
      'player/player.ts',
      'player/frame.ts',
      'player/player.css',
      'player/frame.css',
      '@rrweb/replay/dist/style.css'
    ],
    entryNames: '[name]-[hash]',
    outdir: join(root, 'dist'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'inline',
    write: false,
    logLevel: 'warning'
  })
  const names = outputFiles.map(({ path }) => basename(path))
  const find = (name: string, end: string): string =>
    names.find((file) => file.startsWith(`${name}-`) && file.endsWith(end)) ?? ''
  const frame = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The recorded page</title><link rel="stylesheet" href="/player/${find('style', '.css')}"><link rel="stylesheet" href="/player/${find('frame', '.css')}"></head>
<body><script type="module" src="/player/${find('frame', '.js')}"></script></body>
</html>
`
  const documentHeaders = (outside: string) => ({
    'Content-Security-Policy': framePolicy(outside),
    'Cache-Control': 'no-cache'
  })
  return {
    files: new Map<string, string | Buffer>([
      ...outputFiles.map(({ path, contents }): [string, Buffer] => [
        `player/${basename(path)}`,
        Buffer.from(contents)
      ]),
      ['player/frame.html', frame],
      ['player/with-site.html', frame],
      ['player/LICENSE.txt', readFileSync(join(root, 'player/LICENSE.txt'))]
    ]),
    headers: [
      ['/player/*', HEADERS],
      ['/player/frame', documentHeaders('')],
      ['/player/with-site', documentHeaders(' http: https:')],
      ...names.map((name): [string, Record<string, string>] => [
        `/player/${name}`,
        { 'Cache-Control': 'public, max-age=31536000, immutable' }
      ])
    ],
    redirects: `/player/player.js /player/${find('player', '.js')} 302\n/player/player.css /player/${find('player', '.css')} 302\n`
  }
}

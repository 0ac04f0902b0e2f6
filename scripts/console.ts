import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { BASE_CSS, TOKENS_CSS } from '../src/html/css.ts'
import { pageIcon } from '../src/html/page.ts'
import { VOCABULARY } from '../src/sql/describe.ts'
import type { Assets } from './player.ts'

const root = join(import.meta.dirname, '..')

/**
 * The console runs and shows its own files only, and talks to this service only. Its frames are the
 * player's documents, which have policies of their own.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin'
}

/**
 * Builds the console, from `console/`. The names of its files contain a hash of their content, so that they can be cached
 * for a year. Its style sheet begins with the tokens and the parts that all pages of the service share.
 */
export async function buildConsole(): Promise<Assets> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['console/main.tsx', 'console/main.css'],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    outdir: join(root, 'dist'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'inline',
    write: false,
    logLevel: 'warning',
    plugins: [
      {
        name: 'shared styles',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^shared\.css$/ }, ({ path }) => ({ path, namespace: 'shared' }))
          onLoad({ filter: /./, namespace: 'shared' }, () => ({
            contents: TOKENS_CSS + BASE_CSS,
            loader: 'css'
          }))
        }
      },
      {
        // The names of statements, without the code that computes them, and what draws their answers.
        name: 'statements',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^statement-chart$/ }, () => ({
            path: join(root, 'src/questions/sql/chart.ts')
          }))
          onResolve({ filter: /^sql-vocabulary$/ }, ({ path }) => ({ path, namespace: 'sql' }))
          onLoad({ filter: /./, namespace: 'sql' }, () => ({
            contents: `export const VOCABULARY = ${JSON.stringify(VOCABULARY)}`
          }))
        }
      }
    ]
  })
  const names = outputFiles.map(({ path }) => basename(path))
  const find = (end: string): string =>
    names.find((name) => name.startsWith('main-') && name.endsWith(end)) ?? ''
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Edge Analytics</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(pageIcon)}">
<link rel="stylesheet" href="/console/${find('.css')}">
<script type="module" src="/console/${find('.js')}"></script>
</head>
<body><noscript>The console needs JavaScript.</noscript></body>
</html>
`
  return {
    files: new Map<string, string | Buffer>([
      ...outputFiles.map(({ path, contents }): [string, Buffer] => [
        `console/${basename(path)}`,
        Buffer.from(contents)
      ]),
      ['console/index.html', page]
    ]),
    headers: [
      ['/console/*', HEADERS],
      ['/console/', { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' }],
      ...names.map((name): [string, Record<string, string>] => [
        `/console/${name}`,
        { 'Cache-Control': 'public, max-age=31536000, immutable' }
      ])
    ],
    redirects: ''
  }
}

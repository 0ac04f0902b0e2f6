import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildConsole } from '../../../scripts/console.ts'

/** Bytes of JavaScript, gzipped, before the first page shows anything. */
const MAX_SCRIPT = 70_000

/** Bytes of the styles of all pages, gzipped. */
const MAX_STYLES = 20_000

/** The page that the console opens with. */
const FIRST_PAGE = 'overview'

const sizeOf = (content: string | Buffer = ''): number => gzipSync(content).length

it('the console is light: what its first view loads', async () => {
  const { files } = await buildConsole()
  const paths = [...files.keys()]
  const find = (name: string) =>
    paths.find((path) => new RegExp(`^console/${name}-\\w+\\.js$`).test(path)) ?? ''
  /** A file, and all that it imports before it runs. */
  const closure = (path: string, seen = new Set<string>()): Set<string> => {
    if (!seen.has(path)) {
      seen.add(path)
      for (const [, name] of String(files.get(path)).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) {
        closure(`console/${name}`, seen)
      }
    }
    return seen
  }
  const loaded = closure(find(FIRST_PAGE), closure(find('main')))
  const size = [...loaded].reduce((sum, path) => sum + sizeOf(files.get(path)), 0)
  const styles = paths.filter((path) => path.endsWith('.css'))

  expect(loaded.size).toBeGreaterThan(2)
  expect(find(FIRST_PAGE)).not.toBe('')
  expect(size).toBeLessThanOrEqual(MAX_SCRIPT)
  expect(styles).toHaveLength(1)
  expect(sizeOf(files.get(styles[0] ?? ''))).toBeLessThanOrEqual(MAX_STYLES)
})

it('the page runs and shows its own files only, and nothing inline', async () => {
  const { files, headers } = await buildConsole()
  const page = String(files.get('console/index.html'))
  const policy = new Map(headers).get('/console/')?.['Content-Security-Policy'] ?? ''

  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/)
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(policy).toContain("default-src 'none'")
})

import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildConsole } from '../../../scripts/console.ts'

/** Bytes as sent, gzipped, before the console shows anything. */
const BUDGETS = { '.js': 70_000, '.css': 12_000 }

it('the console is light', async () => {
  const { files } = await buildConsole()

  for (const [end, budget] of Object.entries(BUDGETS)) {
    const built = [...files].filter(([path]) => path.endsWith(end))
    const size = built.reduce((sum, [, content]) => sum + gzipSync(content).length, 0)

    expect(built).not.toEqual([])
    expect([end, size]).toEqual([end, expect.toSatisfy((bytes) => bytes <= budget)])
  }
})

it('the page runs and shows its own files only, and nothing inline', async () => {
  const { files, headers } = await buildConsole()
  const page = String(files.get('console/index.html'))
  const policy = new Map(headers).get('/console/')?.['Content-Security-Policy'] ?? ''

  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/)
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(policy).toContain("default-src 'none'")
})

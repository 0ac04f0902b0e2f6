import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { share } from '../../support/depth.ts'
import { newStateDir, runScript } from '../../support/processes.ts'

// Runs only at full depth, because it needs its own service for eight seconds.
it.runIf(share === 1)("draws the erasure of a person from the service's real answers", async () => {
  const file = join(newStateDir(), 'terminal.svg')

  const { code, stderr } = await runScript('picture', [file], {})

  expect(code, stderr).toBe(0)
  const texts = [...readFileSync(file, 'utf8').matchAll(/<text[^>]*>(.*)<\/text>/g)].map(
    ([, text = '']) => text.replaceAll(/<[^>]*>/g, '').replaceAll('&quot;', '"')
  )
  expect(texts).toContain('{"status":"Ok"}')
  expect(texts).toContain('"status": "completed"')
  expect(texts).toContain('"events"            found 1   removed 1   remaining 0')
  expect(texts.at(-1)).toMatch(/^\{"valid":true,/)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

it('the upgrade page leads to the tag of this version, and has a row for it', () => {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')))
  const page = read('docs/upgrade.md')
  const tags = [...page.matchAll(/git checkout (\S+)/g)].map(([, tag]) => tag)

  expect(tags).toEqual([`v${version}`, `v${version}`])
  expect(page).toMatch(new RegExp(`^\\| .* \\| ${RegExp.escape(version)} \\|`, 'm'))
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PACKAGES } from '../support/packages.ts'

const root = join(import.meta.dirname, '../..')

/** Matches imports and exports of more than types, and captures the name of the module. */
const IMPORT = /^(?:import|export) (?!type\b)[^'"]*? from '([^']+)'/gm

it('PACKAGES lists each imported module of its packages, so that workerd gets one copy', () => {
  const files = globSync('{src,test/{api,jobs,support,throttled}}/**/*.ts', { cwd: root })
  const imports = new Set(
    files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, name = '']) => name)
    )
  )
  const listed = [...imports].filter((name) =>
    PACKAGES.some((known) => name === known || name.startsWith(`${known}/`))
  )

  expect(listed.sort()).toEqual(PACKAGES)
})

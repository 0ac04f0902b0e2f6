import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OBJECT_KINDS, prefixOfKind } from '../../../src/service/objects/kinds.ts'

const SRC = join(import.meta.dirname, '../../../src')

/** Returns the texts in the sources of `src/` that begin like the key of an object: `marks/keys/`. */
function prefixesInSources(): string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts')
  )
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(SRC, file), 'utf8').split('\n')
    return /bucket|PREFIX/i.test(lines.join())
      ? lines
          .filter((line) =>
            /(PREFIX|NOTE|note\w*|name|object|key\w*)\b.*=.*['`][a-z-]+\//.test(line)
          )
          .flatMap((line) => line.match(/(?<=['`])([a-z-]+\/)+/g) ?? [])
      : []
  })
  return [...new Set(found)]
}

it('every object that the service writes is of a kind that is verified', () => {
  const prefixes = prefixesInSources()

  expect(prefixes).toEqual(expect.arrayContaining(['marks/', 'marks/keys/', 'sweeps/', 'dead/']))
  expect(prefixes.filter((prefix) => prefixOfKind(prefix) === undefined)).toEqual([])
  const isUsed = (kind: string) => prefixes.some((prefix) => prefix.startsWith(kind))
  expect(Object.keys(OBJECT_KINDS).filter((kind) => !isUsed(kind))).toEqual([])
})

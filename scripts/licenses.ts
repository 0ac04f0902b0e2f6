import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from './environment.ts'
import { faultsOf } from './spdx.ts'
import { fileNamed, readCommandLine } from './usage.ts'

const USAGE = `npm run licenses -- [FILE]

Checks that the license of every package that is deployed allows it. Writes the list of these packages, an SBOM in
CycloneDX's format, to FILE.`

const Sbom = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(
    z.looseObject({
      name: z.string(),
      version: z.string(),
      licenses: z
        .array(
          z.looseObject({
            license: z
              .looseObject({ id: z.string().optional(), name: z.string().optional() })
              .optional(),
            expression: z.string().optional()
          })
        )
        .default([])
    })
  )
})
const Package = z.object({ name: z.string() })

const { positionals } = readCommandLine(USAGE, { allowPositionals: true })
const { metadata, ...sbom } = readSbom()
const [file] = positionals
if (file !== undefined) {
  const { name } = Package.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  // npm names the root component after its folder.
  const component = { ...metadata.component, name }
  const text = JSON.stringify({ ...sbom, metadata: { ...metadata, component } }, null, 2)
  writeFileSync(fileNamed(file), `${text}\n`)
}
const faults = sbom.components.flatMap(({ name, version, licenses }) =>
  faultsOf(
    licenses.map(({ license, expression }) => license?.id ?? expression ?? license?.name)
  ).map((fault) => `${name}@${version}: ${fault}`)
)
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exit(1)
}
console.log(`${sbom.components.length} packages are deployed; their licenses allow it.`)

function readSbom(): z.infer<typeof Sbom> {
  const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 100_000_000
  })
  return Sbom.parse(JSON.parse(text))
}

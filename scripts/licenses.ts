import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { faultsOf } from './spdx.ts'
import { answerHelp } from './usage.ts'

const USAGE = `Usage: npm run licenses -- [FILE]

Checks that the license of every package that is deployed allows it. Writes the list of these packages, an SBOM in
CycloneDX's format, to FILE.`

const Sbom = z.object({
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      licenses: z
        .array(
          z.object({
            license: z
              .object({ id: z.string().optional(), name: z.string().optional() })
              .optional(),
            expression: z.string().optional()
          })
        )
        .default([])
    })
  )
})

answerHelp(USAGE)
const { positionals } = parseArgs({ allowPositionals: true })
const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--omit=dev'], {
  encoding: 'utf8',
  maxBuffer: 100_000_000
})
const [file] = positionals
if (file !== undefined) {
  writeFileSync(file, text)
}
const { components } = Sbom.parse(JSON.parse(text))
const faults = components.flatMap(({ name, version, licenses }) =>
  faultsOf(
    licenses.map(({ license, expression }) => license?.id ?? expression ?? license?.name)
  ).map((fault) => `${name}@${version}: ${fault}`)
)
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exit(1)
}
console.log(`${components.length} packages are deployed; their licenses allow it.`)

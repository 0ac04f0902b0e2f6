import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newStateDir, runScript } from '../../support/processes.ts'

it('npm run licenses writes a list of packages that is named after the service', async () => {
  const file = join(newStateDir(), 'sbom.json')

  expect(await runScript('licenses', [file], {})).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+ packages are deployed; their licenses allow it\.\n$/),
    stderr: ''
  })

  const { component } = JSON.parse(readFileSync(file, 'utf8')).metadata
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(component).toMatchObject({ name, version, 'bom-ref': `${name}@${version}` })
})

it('commands say in a sentence that there is no such file or folder', async () => {
  const folder = newStateDir()
  const env = { STATE_DIR: folder, ESCROW_PASSPHRASE: 'correct horse battery staple' }
  const missing = join(folder, 'none/file.json')
  const refused = { code: 1, stdout: '', stderr: `There is no ${missing}.\n` }

  expect(await runScript('licenses', [missing], env)).toEqual(refused)
  expect(await runScript('secrets', ['import', missing], env)).toEqual(refused)
  expect(await runScript('secrets', ['import', folder], env)).toEqual({
    ...refused,
    stderr: 'A folder is named where a file is needed.\n'
  })
})

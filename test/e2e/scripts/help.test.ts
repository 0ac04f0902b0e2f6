import { expect, it } from 'vitest'
import { newStateDir, runScript, scripts } from '../../support/processes.ts'

/** The npm scripts that are one of this repository's own commands. */
const COMMANDS = Object.entries(scripts).flatMap(([name, command]) =>
  /^(exec )?node [^&]*$/.test(command) ? [name] : []
)

const env = { STATE_DIR: newStateDir(), PORT: '0' }

it.each(COMMANDS)('npm run %s -- --help prints its usage on standard output', async (name) => {
  const { code, stdout, stderr } = await runScript(name, ['--help'], env)

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const command = name === 'start' ? 'npm start' : `npm run ${name}`
  expect(stdout).toMatch(new RegExp(`^(Usage: )?${command}\\b`, 'm'))
})

it.each(COMMANDS)('npm run %s refuses an unknown option, and prints its usage', async (name) => {
  const { code, stdout, stderr } = await runScript(name, ['--typo'], env)

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^(Unknown [^\n]*--typo'?\n\n|Usage: )npm /)
  expect(stderr).toMatch(new RegExp(`\\bnpm (run )?${name}\\b`))
})

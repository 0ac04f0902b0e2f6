import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { drain } from '../../../scripts/drain.ts'
import { blocksOf, commandsOf } from '../../support/printed.ts'
import { newStateDir } from '../../support/processes.ts'
import { startService } from '../../support/service.ts'

const root = join(import.meta.dirname, '../../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = blocksOf(readme)

it('the first two commands of the README start the service and run the tests', () => {
  expect(blocks.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
})

it("the README's commands work and answer as printed", async () => {
  const stateDir = newStateDir()
  const service = await startService(stateDir)
  const { port } = new URL(service.url)
  const env = {
    ...process.env,
    STATE_DIR: stateDir,
    PORT: port,
    KEY: service.key,
    TOKEN: service.token
  }

  for (const { command, answer } of blocks.slice(2).flatMap(commandsOf)) {
    // Two seconds may be too short for a busy machine.
    if (command === 'sleep 2') {
      expect(await drain(service.url, 60_000)).toBeUndefined()
      continue
    }
    const local = command.replaceAll('http://127.0.0.1:8787', service.url)
    const run = spawnSync('bash', ['-c', local], { cwd: root, env, encoding: 'utf8' })
    expect(run.status, `${command}\n${run.stderr}`).toBe(0)
    expect(run.stdout, command).toMatch(answer)
  }
})

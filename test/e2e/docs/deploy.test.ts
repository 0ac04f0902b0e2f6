import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { experimental_getWranglerCommands } from 'wrangler'
import { readConfig } from '../../../scripts/config.ts'
import { listCommands, planDeployment } from '../../../scripts/deploy/plan.ts'
import { newStateDir, runScript } from '../../support/processes.ts'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/deploy.md'), 'utf8')
const inSh = [...guide.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.trim().split('\n')
)
const inText = [...guide.matchAll(/`(npx wrangler [^`]+)`/g)].map(([, command = '']) => command)

const config = readConfig()
const inEurope = {
  ...config,
  r2_buckets: config.r2_buckets.map((bucket) => ({ ...bucket, jurisdiction: 'eu' }))
}
const planned = [planDeployment(config, 'weur'), planDeployment(inEurope)].flatMap(listCommands)

const commands = [...planned.flatMap((line) => line.split(' || ')), ...inSh, ...inText].filter(
  (line) => line.startsWith('npx wrangler ')
)

/** Splits a shell line into words, without quotes. */
const split = (line: string): string[] =>
  (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''))

const { registry } = experimental_getWranglerCommands()

/** Returns the command that the first words name, and the remaining words. */
function findCommand(words: string[]): { command: typeof registry.definition; rest: string[] } {
  let node = registry
  for (const [place, word] of words.entries()) {
    const next = node.subtree.get(word)
    if (!next) {
      return { command: node.definition, rest: words.slice(place) }
    }
    node = next
  }
  return { command: node.definition, rest: [] }
}

/** Checks subcommands, arguments, flags and the choices of flags against the pinned version of wrangler. */
describe('a wrangler command of the deployment plan or guide', () => {
  it.each([...new Set(commands)])('is accepted by the pinned wrangler: %s', (line) => {
    const { command, rest } = findCommand(split(line).slice(2))
    if (command?.type !== 'command') {
      throw new Error('This command does not exist.')
    }
    const { args = {}, positionalArgs = [] } = command
    const firstFlag = rest.findIndex((word) => word.startsWith('-'))
    const positionals = firstFlag < 0 ? rest : rest.slice(0, firstFlag)

    expect(positionals.length).toBeLessThanOrEqual(positionalArgs.length)
    expect(positionals.length).toBeGreaterThanOrEqual(
      positionalArgs.filter((name) => args[name]?.demandOption).length
    )

    rest.slice(positionals.length).forEach((word, place, flags) => {
      if (!word.startsWith('-')) {
        return
      }
      const flag = args[word.replace(/^--/, '')]
      expect(flag, word).toBeDefined()
      expect(flag?.hidden, word).not.toBe(true)
      if (flag?.choices) {
        expect(flag.choices, word).toContain(flags[place + 1])
      }
    })
  })
})

it('finds more than 20 wrangler commands to check', () => {
  expect(new Set(commands).size).toBeGreaterThan(20)
})

it("the guide's commands that create the first user, project and key work locally", async () => {
  // Leaves out the project in `DB_2`: that database exists only after another step of the guide.
  const lines = inSh.filter((line) =>
    /^npm run (user|project|key) -- create .*(--email|--timezone|--project) /.test(line)
  )
  const stateDir = newStateDir()

  for (const line of lines) {
    const [, , noun = '', , ...args] = split(line.replace(' --remote', ''))
    const { code, stderr } = await runScript(noun, args, { STATE_DIR: stateDir })
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' })
  }
  expect(lines).toHaveLength(3)
})

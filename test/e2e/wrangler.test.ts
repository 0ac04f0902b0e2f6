import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listCommands, planDeployment } from '../../scripts/deploy/plan.ts'
import { readConfig, wrangler } from '../../scripts/local.ts'
import { newStateDir, npm } from '../support/service.ts'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/deploy.md'), 'utf8')
const inSh = [...guide.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'))
const inText = [...guide.matchAll(/`(npx wrangler [^`]+)`/g)].map(([, command = '']) => command)

const config = readConfig()
const inEurope = { ...config, r2_buckets: config.r2_buckets.map((bucket) => ({ ...bucket, jurisdiction: 'eu' })) }
const planned = [planDeployment(config, 'weur'), planDeployment(inEurope)].flatMap(listCommands)

const commands = [...planned.flatMap((line) => line.split(' || ')), ...inSh, ...inText].filter((line) =>
  line.startsWith('npx wrangler ')
)

/** The words of a shell line, without their quotes. */
const split = (line: string): string[] =>
  (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/["']/g, ''))

const helps = new Map<string, Promise<string>>()

function askHelp(words: string[]): Promise<string> {
  const key = words.join(' ')
  const asked = helps.get(key) ?? wrangler([...words, '--help']).then(({ stdout }) => stdout)
  helps.set(key, asked)
  return asked
}

/** Subcommand and flags are those of the pinned version, and so are the values of a flag that has only some. */
describe.concurrent('a command of wrangler that the operator is given', () => {
  it.each([...new Set(commands)])('%s', async (command) => {
    const [, , ...args] = split(command)
    const firstFlag = args.findIndex((arg) => arg.startsWith('-'))
    const words = firstFlag < 0 ? args : args.slice(0, firstFlag)
    const help = await askHelp(words)
    const usage = /^wrangler (.*)$/m.exec(help)?.[1]?.split(' ') ?? []

    expect(words.length).toBeLessThanOrEqual(usage.length)
    expect(words.length).toBeGreaterThanOrEqual(usage.filter((part) => !part.startsWith('[')).length)
    usage.forEach((part, place) => {
      if (!/^[<[]/.test(part)) expect(words[place]).toBe(part)
    })

    args.slice(words.length).forEach((flag, place, flags) => {
      if (!flag.startsWith('-')) return
      expect(help).toMatch(new RegExp(`(^|\\s)${flag}(,|\\s)`, 'm'))
      const [described = ''] = help.split(new RegExp(`\\s${flag}\\s`))[1]?.split(/\n +-/) ?? []
      const choices = /\[choices: ([^\]]+)\]/.exec(described)?.[1]?.replaceAll('"', '').split(', ')
      if (choices) expect(choices).toContain(flags[place + 1])
    })
  })

  it('is one of many', () => {
    expect(new Set(commands).size).toBeGreaterThan(20)
  })
})

it('has a guide whose first commands work, here on a local service', async () => {
  const lines = inSh.filter((line) =>
    /^npm run (user|project|key) -- create .*(--email|--timezone|--project) /.test(line)
  )
  const stateDir = newStateDir()

  for (const line of lines) {
    const [, , ...args] = split(line.replace(' --remote', ''))
    const { code, stderr } = await npm(['run', '--silent', ...args], { STATE_DIR: stateDir })
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' })
  }
  expect(lines).toHaveLength(3)
})

it('has a guide of at most 150 lines', () => {
  expect(guide.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

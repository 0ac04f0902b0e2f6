import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { drain } from '../../../scripts/drain.ts'
import { launchCommand, launchService, newStateDir, until } from '../../support/processes.ts'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/erasure.md'), 'utf8')
const [, path = ''] = /## The path, .*?\n(.*?)\n## What is removed/s.exec(guide) ?? []

/** Blocks of commands, each with the text that it prints, where `…` stands for anything. */
const blocks = [...path.matchAll(/```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)].map(
  ([, commands = '', text]) => ({ commands, text })
)

const patternOf = (text: string) =>
  new RegExp(`^${text.trim().split('…').map(RegExp.escape).join('.*')}$`, 's')

/** Opens a terminal that keeps variables and functions from one block to the next. */
function openTerminal(env: Record<string, string>) {
  const shell = spawn('bash', { cwd: root, env: { ...process.env, ...env } })
  onTestFinished(() => void shell.stdin.end())
  let printed = ''
  shell.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
  shell.stderr.setEncoding('utf8').on('data', (text) => (printed += text))
  return async (commands: string) => {
    printed = ''
    const mark = crypto.randomUUID()
    shell.stdin.write(`{\n${commands}\n} </dev/null\necho "${mark} $?"\n`)
    await until(() => printed.includes(`${mark} `), 120_000)
    const [text = '', code = ''] = printed.split(mark)
    return { text: text.trim(), code: Number(code) }
  }
}

/** A local service with the port that it got first, also after a restart. */
async function openService(stateDir: string) {
  let { ready, stop } = launchService(stateDir)
  onTestFinished(async () => void (await stop('SIGTERM')))
  const { url, token } = await ready
  return {
    url,
    stop: () => stop('SIGTERM'),
    async start() {
      const env = { STATE_DIR: stateDir, PORT: new URL(url).port }
      const started = launchCommand('npm', ['start'], env)
      stop = started.stop
      await until(() => started.output.stdout.includes('Ctrl-C stops it.'), 90_000)
    },
    async capture(distinctId: string) {
      const event = { api_key: token, event: 'came back', distinct_id: distinctId }
      const init = { method: 'POST', body: JSON.stringify(event) }
      expect((await fetch(`${url}/i/v0/e/`, init)).status).toBe(200)
      expect(await drain(url)).toBeUndefined()
    }
  }
}

it('the path from an e-mail to a receipt works, command by command', async () => {
  const stateDir = newStateDir()
  const home = newStateDir()
  const service = await openService(stateDir)
  const { port } = new URL(service.url)
  const run = openTerminal({ HOME: home, STATE_DIR: stateDir, PORT: port })

  for (const { commands, text } of blocks) {
    const local = commands
      .replaceAll('http://127.0.0.1:8787', service.url)
      .replaceAll('.wrangler/state', stateDir)
    // The guide asks to stop the service before its files are copied, and to start it afterwards.
    const needsRest = local.includes(stateDir)
    if (needsRest) {
      await service.stop()
    }
    let answer = await run(local)
    const isAsShown = () => text === undefined || patternOf(text).test(answer.text)
    // The guide says that a task takes seconds.
    for (let tries = 0; commands === 'follow\n' && !isAsShown() && tries < 20; tries++) {
      await sleep(500)
      answer = await run(local)
    }
    expect(answer.code, `${commands}\n${answer.text}`).toBe(0)
    if (text !== undefined) {
      expect(answer.text, commands).toMatch(patternOf(text))
    }
    if (needsRest) {
      await service.start()
    }
  }
  expect(blocks.filter(({ text }) => text !== undefined).length).toBeGreaterThan(15)

  // The receipts from before the restore exist only where they were saved.
  expect((await run('api "$RECEIPTS/$RECEIPT/" | pick answer.id')).text).toBe('Not found.')
  const { text: folder } = await run('echo "$FOLDER"')
  expectSaved(folder)

  await service.capture('user-1ca65641930b')
  const dropped = blocks.find(({ commands }) => commands.includes('events_dropped'))?.commands ?? ''
  expect((await run(dropped)).text).toMatch(/, 1 events dropped$/)
}, 240_000)

/** Expects files that name nobody, and a receipt that a machine with nothing else finds changed or genuine. */
function expectSaved(folder: string): void {
  const names = readdirSync(folder).sort()
  expect(names).toEqual([
    'ledger.json',
    'receipt-keys.json',
    'receipt.html',
    'receipt.json',
    'verify-receipt.mjs'
  ])
  for (const name of names) {
    expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(/rafael|costa|user-3d7463af1c09/i)
  }

  const empty = newStateDir()
  cpSync(folder, empty, { recursive: true })
  const verify = (...files: string[]) =>
    spawnSync(process.execPath, ['verify-receipt.mjs', ...files], {
      cwd: empty,
      env: {},
      encoding: 'utf8'
    })
  expect(verify('receipt.json', 'ledger.json').stdout).toMatch(/^Genuine: .* It is entry 3 of 3 /)
  const receipt = readFileSync(join(empty, 'receipt.json'), 'utf8')
  writeFileSync(join(empty, 'changed.json'), receipt.replace('"remaining":0', '"remaining":1'))
  expect(verify('changed.json', 'receipt-keys.json').stderr).toMatch(/^The signature is wrong/)
  expect(verify('receipt.json', 'receipt-keys.json', '--id', 'eve').stderr).toContain(
    'not about the distinct id'
  )
}

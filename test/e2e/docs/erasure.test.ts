import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { drain } from '../../../scripts/drain.ts'
import { launchCommand, launchService, newStateDir } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const root = join(import.meta.dirname, '../../..')
const guide = readFileSync(join(root, 'docs/erasure.md'), 'utf8')
const reference = readFileSync(join(root, 'docs/erasure-reference.md'), 'utf8')
const [requests = ''] = /^.*?\n(?=## The receipt\n)/s.exec(reference) ?? []

/** Blocks of commands, each with the text that it prints, where `…` stands for anything. */
const blocks = [
  ...`${guide}\n${requests}`.matchAll(/```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)
].map(([, commands = '', text]) => ({ commands, text }))

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
    await until(() => printed.includes(`${mark} `))
    const [text = '', code = ''] = printed.split(mark)
    return { text: text.trim(), code: Number(code) }
  }
}

/** Starts a local service that keeps its port when it is restarted. */
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
      await until(() => started.output.stdout.includes('Ctrl-C stops it.'))
    },
    async capture(distinctId: string) {
      const event = { api_key: token, event: 'came back', distinct_id: distinctId }
      const init = { method: 'POST', body: JSON.stringify(event) }
      expect((await fetch(`${url}/i/v0/e/`, init)).status).toBe(200)
      expect(await drain(url)).toBeUndefined()
    }
  }
}

/** Returns the only folder below `erasures` of a home folder, in which the guide saves a receipt. */
function folderOf(home: string): string {
  const [name = '', ...others] = readdirSync(join(home, 'erasures'))
  expect(others).toEqual([])
  return join(home, 'erasures', name)
}

/** Runs commands in a new shell, in a new folder that holds nothing but a copy of the files in `folder`. */
function runElsewhere(commands: string, folder: string) {
  const cwd = newStateDir()
  cpSync(folder, cwd, { recursive: true })
  const { stdout, stderr, status } = spawnSync('bash', ['-c', commands], { cwd, encoding: 'utf8' })
  return { text: `${stdout}${stderr}`.trim(), code: status }
}

it('every command of the path to a receipt and of the requests behind it works as shown', async () => {
  const stateDir = newStateDir()
  const home = newStateDir()
  const service = await openService(stateDir)
  const { port } = new URL(service.url)
  const run = openTerminal({ HOME: home, STATE_DIR: stateDir, PORT: port })

  for (const { commands, text } of blocks) {
    const local = commands
      .replaceAll('http://127.0.0.1:8787', service.url)
      .replaceAll('.wrangler/state', stateDir)
    // The guide says to stop the service before its files are copied.
    const isOffline = local.includes(stateDir)
    if (isOffline) {
      await service.stop()
    }
    let answer = commands.startsWith('node verify-receipt.mjs')
      ? runElsewhere(commands, folderOf(home))
      : await run(local)
    const isAsShown = () => text === undefined || patternOf(text).test(answer.text)
    // Repeats `follow` until the task is completed, which takes seconds according to the guide.
    if (commands === 'follow\n' && !isAsShown()) {
      await until(async () => {
        await sleep(400)
        answer = await run(local)
        return isAsShown()
      })
    }
    expect(answer.code, `${commands}\n${answer.text}`).toBe(0)
    if (text !== undefined) {
      expect(answer.text, commands).toMatch(patternOf(text))
    }
    if (isOffline) {
      await service.start()
    }
  }
  expect(blocks.filter(({ text }) => text !== undefined).length).toBeGreaterThan(15)

  // The receipts from before the restore exist only where they were saved.
  expect((await run('api "$RECEIPTS/$RECEIPT/" | pick answer.id')).text).toBe('Not found.')
  expectAnonymous(folderOf(home))
  expectNoForgery(folderOf(home))

  // The suppression is in force again.
  await service.capture('user-1ca65641930b')
  const dropped = blocks.find(({ commands }) => commands.includes('events_dropped'))?.commands ?? ''
  expect((await run(dropped)).text).toMatch(/, 1 events dropped$/)

  // The printed commands remove what else names a person.
  const [count = '', print = ''] = blocks
    .map(({ commands }) => commands)
    .filter((commands) => commands.includes('/mentions/'))
  await run(`UUID=$(api "$PERSONS/?limit=1" | pick 'answer.results[0].uuid')`)
  await run(`api "$HOST/api/projects/@current/insights/" -d "{\\"name\\": \\"It's about $UUID\\"}"`)
  expect((await run(count)).text).toContain('insights: 1 found')
  const { text: removals } = await run(print)
  expect((await run(removals)).text).toContain(`"name":"It's about [removed]"`)
  expect((await run(count)).text).toContain('insights: 0 found')
})

/** Expects the saved files to contain neither the name nor the distinct id of the erased person. */
function expectAnonymous(folder: string): void {
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
}

/** Expects the script to reject a changed receipt, and a receipt that is about another person. */
function expectNoForgery(folder: string): void {
  const verify = 'node verify-receipt.mjs receipt.json receipt-keys.json'
  const forge = `sed -i.old 's/"remaining":0/"remaining":1/' receipt.json`

  expect(runElsewhere(`${forge}; ${verify}`, folder)).toEqual({
    text: 'The signature is wrong: the receipt was changed, or somebody else wrote it.',
    code: 1
  })
  expect(runElsewhere(`${verify} --id eve`, folder)).toEqual({
    text: 'The receipt is genuine, but it is not about the distinct id eve.',
    code: 1
  })
}

import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { linkPackages, newClone } from '../../support/clone.ts'
import {
  type LocalService,
  launchCommand,
  launchService,
  newStateDir,
  readRows
} from '../../support/processes.ts'
import { until } from '../../support/until.ts'

/** Starts `npm run dev` on a state folder and waits until it is ready. */
async function develop(stateDir: string): Promise<LocalService> {
  const { ready, stop } = launchService(stateDir, { script: 'dev', byNpm: true })
  onTestFinished(async () => void (await stop('SIGTERM')))
  return ready
}

const wranglerBin = join(import.meta.dirname, '../../../node_modules/wrangler/bin/wrangler.js')

/**
 * Starts `npx wrangler dev` with arguments on a port that wrangler chooses, and waits until it is
 * ready. A port chosen before could be another program's by the time the worker is built.
 * @param clone the clone in which it runs; by default this one, whose state folder stays as it is
 */
async function startWrangler(args: string[], clone?: string) {
  const all = [wranglerBin, 'dev', '--port', '0', ...args]
  const env = clone === undefined ? { IS_PREPARED: '1' } : undefined
  const { child, output, stop } = launchCommand(process.execPath, all, env, clone)
  onTestFinished(async () => void (await stop('SIGTERM')))
  const findPort = () => /Ready on http:\/\/localhost:(\d+)/.exec(output.stdout)?.[1]
  await until(() => findPort() !== undefined || child.exitCode !== null)
  const port = findPort()
  if (port === undefined) {
    throw new Error(`wrangler printed:\n${output.stdout}${output.stderr}`)
  }
  return { url: `http://127.0.0.1:${port}`, output, stop }
}

const capture = (url: string, token: string, n: number) =>
  fetch(`${url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: token, event: 'seen', distinct_id: `visitor-${n}` })
  })

const countEvents = (stateDir: string) => readRows(stateDir, 'select 1 from events').length

describe('npm run dev', () => {
  it('keeps whatever it has acknowledged if Ctrl-C follows at once, and shares its data with npx wrangler dev', async () => {
    const stateDir = newStateDir()
    const first = await develop(stateDir)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => capture(first.url, first.token, n))
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await first.stop('SIGINT')

    const second = await develop(stateDir)

    await until(() => countEvents(stateDir) === 50)
    expect([second.token, second.key]).toEqual([first.token, first.key])
    expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
    // Systems give ports from 32768 on to programs that ask for any.
    expect([first, second].map(({ url }) => Number(new URL(url).port) < 32_768)).toEqual([
      true,
      true
    ])
    await second.stop('SIGINT')

    const bare = await startWrangler(['--persist-to', stateDir])
    const persons = await fetch(`${bare.url}/api/projects/@current/persons/`, {
      headers: { Authorization: `Bearer ${first.key}` }
    })
    expect(persons.status).toBe(200)
    expect((await capture(bare.url, first.token, 50)).status).toBe(200)
    await until(() => countEvents(stateDir) === 51)
  })
})

describe('npx wrangler dev', () => {
  it('works in a new clone: with databases, a project, and the secrets of npm start', async () => {
    const clone = newClone()
    linkPackages(clone)
    const devVars = join(clone, '.dev.vars')
    const state = join(clone, '.wrangler/state')

    const { url, output, stop } = await startWrangler([], clone)

    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const [, token = '', key = ''] = /export TOKEN=(\S+) KEY=(\S+)/.exec(output.stdout) ?? []
    expect((await capture(url, token, 1)).status).toBe(200)
    await until(() => countEvents(state) === 1)
    const persons = await fetch(`${url}/api/projects/@current/persons/`, {
      headers: { Authorization: `Bearer ${key}` }
    })
    expect(persons.status).toBe(200)
    expect(statSync(devVars).mode & 0o777).toBe(0o600)
    const secrets = readFileSync(devVars, 'utf8')
    expect(parseEnv(secrets)).toEqual(parseEnv(readFileSync(join(state, 'secrets.env'), 'utf8')))
    await stop('SIGINT')

    const started = launchService(state, { clone })
    onTestFinished(async () => void (await started.stop('SIGTERM')))
    expect(await started.ready).toMatchObject({ token, key })
    expect(readFileSync(devVars, 'utf8')).toBe(secrets)
  })

  it('says what helps when STATE_DIR names another folder, or a service runs on its own', async () => {
    const clone = newClone()
    linkPackages(clone)
    const build = (env: Record<string, string>) =>
      launchCommand(
        'npm',
        ['run', '--silent', 'bundle'],
        { WRANGLER_COMMAND: 'dev', ...env },
        clone
      )
    const other = newStateDir()

    const elsewhere = build({ STATE_DIR: other })
    await until(() => elsewhere.output.stderr.includes(`STATE_DIR=${other} npm run dev`))

    const state = join(clone, '.wrangler/state')
    const { ready, stop } = launchService(state, { clone })
    onTestFinished(async () => void (await stop('SIGTERM')))
    await ready
    const second = build({})
    await until(() => second.output.stderr.includes(`A service is already running on ${state}.`))
  })

  it('alone reads `.dev.vars`', async () => {
    const clone = newClone()
    linkPackages(clone)
    writeFileSync(join(clone, '.dev.vars'), 'RECEIPT_SECRET=short\nRECEIPT_KEY=short\n')
    for (const script of ['start', 'dev']) {
      const { ready, stop } = launchService(newStateDir(), { clone, script })
      onTestFinished(async () => void (await stop('SIGTERM')))
      const { url } = await ready

      expect((await fetch(`${url}/readyz`)).status, script).toBe(200)
      await stop('SIGTERM')
    }
  })

  it('answers 503 before the databases are migrated, and names the command that migrates them', async () => {
    const { url } = await startWrangler(['--persist-to', newStateDir()])
    const requests = [
      fetch(`${url}/api/projects/@current/persons/`, {
        headers: { Authorization: `Bearer phx_${'x'.repeat(43)}` }
      }),
      capture(url, 'phc_x', 1)
    ]

    const answers = await Promise.all(requests)

    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain('npm run dev')
    }
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
  })
})

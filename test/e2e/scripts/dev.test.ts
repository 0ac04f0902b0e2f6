import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

const wranglerBin = join(import.meta.dirname, '../../../node_modules/wrangler/bin/wrangler.js')

/** Starts bare `npx wrangler dev` on a state folder. */
async function startWrangler(stateDir: string) {
  const url = `http://127.0.0.1:${await freePort()}`
  const { port } = new URL(url)
  const args = [wranglerBin, 'dev', '--port', port, '--persist-to', stateDir]
  const { stop } = launchCommand(process.execPath, args)
  onTestFinished(async () => void (await stop('SIGTERM')))
  await until(() => fetch(`${url}/livez`).then(Boolean, () => false))
  return { url, stop }
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
    await second.stop('SIGINT')

    const bare = await startWrangler(stateDir)
    const persons = await fetch(`${bare.url}/api/projects/@current/persons/`, {
      headers: { Authorization: `Bearer ${first.key}` }
    })
    expect(persons.status).toBe(200)
    expect((await capture(bare.url, first.token, 50)).status).toBe(200)
    await until(() => countEvents(stateDir) === 51)
  })
})

describe('npx wrangler dev', () => {
  it('answers 503 before the databases are migrated, and names the command that migrates them', async () => {
    const { url } = await startWrangler(newStateDir())
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

import { spawnSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { drain } from '../../../scripts/drain.ts'
import {
  descendants,
  isAlive,
  knowsProcesses,
  type LocalService,
  launchService,
  newStateDir,
  npm,
  supervisorOf
} from '../../support/processes.ts'
import { administer } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const hasProcesses = knowsProcesses()

/** All tests but the last three share one state folder, and each of them continues from the state that the previous one left. */
describe('npm start', () => {
  const stateDir = newStateDir()
  const launched: ReturnType<typeof launchService>[] = []
  afterAll(() => Promise.all(launched.map(({ stop }) => stop('SIGTERM'))))

  const start = (): Promise<LocalService> => {
    const service = launchService(stateDir, { byNpm: true })
    launched.push(service)
    return service.ready
  }
  let first: LocalService
  let service: LocalService
  let personsBefore: number

  it('prints three curl lines', async () => {
    service = await start()
    first = service
    expect(curlLines(first)).toHaveLength(3)
  })

  it('prints a link to the console, which works once', async () => {
    const [, code] = /\/console\/#code=(\w+)/.exec(first.welcome) ?? []
    const redeem = () =>
      fetch(`${first.url}/api/invitations/redeem/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ code, label: 'Firefox' })
      })

    expect((await redeem()).status).toBe(201)
    expect((await redeem()).status).toBe(400)
  })

  it.runIf(hasCurl)('prints curl lines that work when pasted', async () => {
    const answers: string[] = []
    for (const line of curlLines(first)) {
      const [command = '', pause] = line.split(' && sleep 2')
      answers.push(spawnSync('bash', ['-c', command], { encoding: 'utf8' }).stdout)
      // Two seconds may be too short for a busy machine.
      if (pause !== undefined) {
        expect(await drain(first.url, 60_000)).toBeUndefined()
      }
    }

    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ status: 'Ok' })
    const ada = { distinct_ids: ['user-1'], properties: { email: 'ada@example.com' } }
    expect(JSON.parse(answers[1] ?? '')).toMatchObject({ count: 1, results: [ada] })
    expect(JSON.parse(answers[2] ?? '')).toMatchObject({ count: 1, results: [ada] })
  })

  it('acknowledges all requests before Ctrl-C and leaves no process behind', async () => {
    personsBefore = await countPersons(service)
    const started = hasProcesses ? descendants(service.pid) : []

    const statuses = await Promise.all(
      Array.from({ length: 200 }, (_, n) => identify(service, `drained-${n}`))
    )
    const { code } = await service.stop('SIGINT')

    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(code).toBe(0)
    expect(started.filter(isAlive)).toEqual([])
  })

  it('keeps its data and its key over a restart, and hides the key from other users of the machine', async () => {
    service = await start()

    const { projectId, token, key } = first
    expect(service).toMatchObject({ projectId, token, key })
    expect(statSync(join(stateDir, 'dev-key.json')).mode & 0o777).toBe(0o600)
    // Events that were still queued at Ctrl-C are stored after the restart.
    await until(async () => (await countPersons(service)) === personsBefore + 200)
  })

  it('creates a new key if the kept one is revoked', async () => {
    const [kept] = (await administer(stateDir, 'key', 'list')).keys
    await administer(stateDir, 'key', 'revoke', String(kept.id))
    await service.stop('SIGTERM')

    service = await start()

    expect(await status(service, service.key)).toBe(200)
    expect(await status(service, first.key)).toBe(401)
  })

  it.runIf(hasProcesses)(
    'ends the worker when the process of scripts/start.ts is killed',
    async () => {
      const started = descendants(service.pid)
      const supervisor = supervisorOf(service.pid)

      if (supervisor) {
        process.kill(supervisor, 'SIGKILL')
      }

      expect(started.length).toBeGreaterThan(2)
      await until(() => !started.some(isAlive))
    }
  )

  it('creates a new key if the kept one is lost', async () => {
    rmSync(join(stateDir, 'dev-key.json'))
    // Where processes can be listed, the previous test has ended the service.
    if (!hasProcesses) {
      await service.stop('SIGTERM')
    }

    const afterLoss = await start()

    expect(afterLoss.projectId).toBe(first.projectId)
    expect(new Set([first.key, service.key, afterLoss.key]).size).toBe(3)
    expect(await status(afterLoss, afterLoss.key)).toBe(200)
  })

  it('reports in one line that the port is in use', async () => {
    const { url } = inject('service')
    const { port } = new URL(url)

    const second = await npm(['start'], { STATE_DIR: newStateDir(), PORT: port })

    expect(second.code).toBe(1)
    expect(second.stderr.trim()).toBe(
      `Port ${port} is in use. Choose another: PORT=${Number(port) + 1} npm start`
    )
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  it('reports in one line that another service runs on the same data', async () => {
    const running = inject('service')

    const second = await npm(['start'], { STATE_DIR: running.stateDir, PORT: '0' })

    expect({ code: second.code, stderr: second.stderr.trim() }).toEqual({
      code: 1,
      stderr: `A service is already running on ${running.stateDir}. Stop it, or choose another folder: STATE_DIR=<folder> npm start`
    })
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
  })

  it('refuses an invalid port', async () => {
    const { code, stderr } = await npm(['start'], { STATE_DIR: newStateDir(), PORT: 'http' })
    expect({ code, stderr: stderr.trim() }).toEqual({
      code: 1,
      stderr: 'PORT must be a number from 0 to 65535; got http.'
    })
  })
})

const curlLines = ({ welcome }: LocalService): string[] =>
  welcome.split('\n').filter((line) => line.trim().startsWith('curl '))

const personsUrl = (service: LocalService) =>
  `${service.url}/api/environments/${service.projectId}/persons/`

async function status(service: LocalService, key: string): Promise<number> {
  const response = await fetch(personsUrl(service), { headers: { authorization: `Bearer ${key}` } })
  return response.status
}

async function countPersons(service: LocalService): Promise<number> {
  const response = await fetch(personsUrl(service), {
    headers: { authorization: `Bearer ${service.key}` }
  })
  return z.object({ count: z.int() }).parse(await response.json()).count
}

async function identify(service: LocalService, distinctId: string): Promise<number> {
  const response = await fetch(`${service.url}/i/v0/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: service.token, event: '$identify', distinct_id: distinctId })
  })
  return response.status
}

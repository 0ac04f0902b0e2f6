import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { drain } from '../../../scripts/drain.ts'
import { share } from '../../support/depth.ts'
import {
  descendants,
  isAlive,
  knowsProcesses,
  type LocalService,
  launchService,
  newStateDir,
  npm,
  readRows,
  rolesOf,
  runScript,
  supervisorOf
} from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const hasProcesses = knowsProcesses()

const Stored = z.tuple([z.object({ stored: z.int(), distinct: z.int() })])

describe('the local service', () => {
  const stateDir = newStateDir()
  let service: LocalService
  const launched: ReturnType<typeof launchService>[] = []

  async function start() {
    const starting = launchService(stateDir, { byNpm: true })
    launched.push(starting)
    service = await starting.ready
  }
  beforeAll(start)
  afterAll(() => Promise.all(launched.map(({ stop }) => stop('SIGTERM'))))

  const status = async (path: string) =>
    (await fetch(`${service.url}${path}`, { signal: AbortSignal.timeout(5000) })).status
  const answers = () =>
    status('/livez').then(
      (code) => code === 200,
      () => false
    )

  /** Sends an event. @returns whether it was acknowledged */
  const send = (distinctId: string) =>
    fetch(`${service.url}/i/v0/e/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: service.token, event: 'sent', distinct_id: distinctId }),
      signal: AbortSignal.timeout(5000)
    }).then(
      ({ status: code }) => code === 200,
      () => false
    )

  it.each([
    '/cdn-cgi/',
    '/cdn-cgi/explorer/api/d1/database/DB/raw',
    '/cdn-cgi/local/explorer/api/d1/database/DB/raw',
    '/cdn-cgi/handler/scheduled?cron=0+5+*+*+SUN',
    '/cdn-cgi/local/scheduled?cron=0+5+*+*+SUN',
    '/cdn-cgi/local/platform-proxy',
    '/cdn-cgi/local/r2/public/edge-analytics/capture/x',
    '/cdn-cgi/local/r2/s3/edge-analytics'
  ])('does not answer %s', async (path) => {
    expect(await status(path)).toBe(404)
  })

  it('closes its files to other users', async () => {
    // The log file appears when the service logs its first line.
    await until(() => existsSync(join(stateDir, 'service.log')))
    expect(statSync(stateDir).mode & 0o777).toBe(0o700)
    for (const file of ['service.log', 'secrets.env', 'dev-key.json', 'control.json']) {
      expect([file, statSync(join(stateDir, file)).mode & 0o777]).toEqual([file, 0o600])
    }
  })

  it('does not log an error for an upload that its client cuts off', async () => {
    for (const path of ['/batch/', '/s/', '/i/v0/e/']) {
      await breakOff(new URL(service.url), path)
    }

    const lines = () =>
      readFileSync(join(stateDir, 'service.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"POST"'))
    await until(() => lines().length >= 3)
    expect(lines().map((line) => JSON.parse(line).status)).toEqual([400, 400, 400])
    expect(readFileSync(join(stateDir, 'service.log'), 'utf8')).not.toContain('"level":"error"')
  })

  it.runIf(hasProcesses)('reports a damaged file in one line', async () => {
    await service.stop('SIGTERM')
    /** Starts the service on a copy of its state in which one file is overwritten. */
    const startDamaged = async (path: string, content: string) => {
      const folder = newStateDir()
      cpSync(stateDir, folder, { recursive: true })
      writeFileSync(join(folder, path), content)
      // Otherwise SQLite would take the data from the write-ahead log.
      rmSync(join(folder, `${path}-wal`), { force: true })
      rmSync(join(folder, `${path}-shm`), { force: true })
      const { code, stderr } = await npm(['start'], { STATE_DIR: folder, PORT: '0' })
      const lines = stderr.split('\n').filter((line) => line && line !== 'Starting…')
      return { code, lines: lines.map((line) => line.replaceAll(folder, '<state>')) }
    }
    const d1 = 'v3/d1/miniflare-D1DatabaseObject'
    const [database = ''] = readdirSync(join(stateDir, d1)).filter((name) =>
      /^[0-9a-f]{64}\.sqlite$/.test(name)
    )

    expect(await startDamaged('secrets.env', '')).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(
          /^In <state>\/secrets.env, these secrets are missing .*: RECEIPT_SECRET, RECEIPT_KEY\. Put the file back .* renew --accept-loss$/
        )
      ]
    })
    expect(await startDamaged('service.lock', 'x'.repeat(4096))).toEqual({
      code: 1,
      lines: ['<state>/service.lock is damaged. It holds no data: delete it.']
    })
    for (const content of ['x'.repeat(4096), '']) {
      expect(await startDamaged(`${d1}/${database}`, content)).toEqual({
        code: 1,
        lines: [expect.stringMatching(/^<state>\/v3\/d1\/\S+ is damaged\. Restore it from a copy/)]
      })
    }
    await start()
  })

  it.runIf(hasProcesses)(
    'neither loses nor duplicates an event, whichever of its processes is killed',
    async () => {
      const sent: string[] = []
      const victims = ['runtime', 'host', 'supervisor', 'runtime', 'host'] as const
      for (const [round, victim] of victims.slice(0, share === 1 ? 5 : 3).entries()) {
        const before = sent.length
        let isUp = true
        const clients = Array.from({ length: 4 }, async (_, client) => {
          for (let n = 0; isUp; n += 1) {
            const id = `${round}-${client}-${n}`
            if (await send(id)) {
              sent.push(id)
            }
          }
        })
        await until(() => sent.length > before + 20 + 10 * round)
        // Looks the processes up only now: right after a restart, the old ones may still be exiting.
        const { [victim]: pid } = await rolesOf(service)
        process.kill(pid, 'SIGKILL')
        isUp = false
        await Promise.all(clients)
        if (victim === 'supervisor') {
          await until(() => !isAlive(service.pid))
          await start()
        }
        await until(answers)
      }

      const stored = () =>
        Stored.parse(
          readRows(
            stateDir,
            `select count(*) as stored, count(distinct d.distinct_id) as 'distinct' from events e
           join distinct_ids d on d.key = e.identity where d.distinct_id in (${sent.map((id) => `'${id}'`).join()})`
          )
        )[0]
      await until(() => stored().distinct === sent.length)
      // Events that were sent again may still be queued.
      expect(await drain(service.url, 60_000)).toBeUndefined()
      expect(stored()).toEqual({ stored: sent.length, distinct: sent.length })
    }
  )

  it.runIf(hasProcesses)('ends processes left by a killed service when it starts', async () => {
    const { supervisor, host, runtime } = await rolesOf(service)
    process.kill(host, 'SIGKILL')
    process.kill(supervisor, 'SIGKILL')
    await until(() => !isAlive(service.pid))

    await start()

    expect(isAlive(runtime)).toBe(false)
    expect(await answers()).toBe(true)
  })

  it.runIf(hasProcesses)('can be stopped while it starts, and leaves no process', async () => {
    await service.stop('SIGTERM')
    for (const ms of [100, 800]) {
      const starting = launchService(stateDir, { byNpm: true })
      starting.ready.catch(() => {})
      // npm loses a signal that arrives in the milliseconds in which it starts the script.
      await until(() => supervisorOf(starting.pid) !== undefined)
      await sleep(ms)
      const started = descendants(starting.pid)
      const { code } = await starting.stop('SIGTERM')
      // A process that does not handle signals yet ends by the signal, without a code.
      expect([0, null]).toContain(code)
      await until(() => !started.some(isAlive))
    }
    await start()
  })

  it.runIf(hasProcesses)(
    'stops on Ctrl-C and leaves no process, even if its host and runtime have just died',
    async () => {
      const { host, runtime } = await rolesOf(service)
      const started = descendants(service.pid)
      process.kill(runtime, 'SIGKILL')
      process.kill(host, 'SIGKILL')

      const { code } = await service.stop('SIGINT')

      expect(code).toBe(0)
      await until(() => !started.some(isAlive))
    }
  )
})

describe.runIf(canMount())('a full disk', () => {
  const folder = newStateDir()
  beforeAll(() => void execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder]))
  afterAll(() => void execFileSync('umount', ['--lazy', folder]))

  it('answers 503 until there is space again, and keeps whatever was acknowledged', async () => {
    const stateDir = join(folder, 'state')
    const launched = launchService(stateDir)
    const service = await launched.ready
    const send = async (distinctId: string) =>
      (
        await fetch(`${service.url}/i/v0/e/`, {
          method: 'POST',
          body: JSON.stringify({
            api_key: service.token,
            event: '$identify',
            distinct_id: distinctId
          })
        })
      ).status
    const persons = async () => {
      const headers = { authorization: `Bearer ${service.key}` }
      const response = await fetch(`${service.url}/api/projects/${service.projectId}/persons/`, {
        headers
      })
      return response.ok
        ? z.object({ count: z.int() }).parse(await response.json()).count
        : undefined
    }

    expect(await send('before')).toBe(200)
    await until(async () => (await persons()) === 1)
    fill(join(folder, 'filler'))
    const refused = await Promise.all(Array.from({ length: 20 }, (_, n) => send(`full-${n}`)))
    rmSync(join(folder, 'filler'))
    await until(async () => (await send('after')) === 200)

    expect(new Set(refused)).toEqual(new Set([503]))
    await until(async () => (await persons()) === 2)
    expect((await launched.stop('SIGTERM')).code).toBe(0)
  })
})

describe.runIf(canMount())('the first start on a full disk', () => {
  it.each(['8k', '32k'])('ends with a sentence: %s', async (size) => {
    const folder = newStateDir()
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
    onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
    const stateDir = join(folder, 'state')

    const { code, stderr } = await runScript('start', [], { STATE_DIR: stateDir, PORT: '0' })

    const lines = stderr.split('\n').filter((line) => line && line !== 'Starting…')
    expect({ code, lines }).toEqual({
      code: 1,
      lines: [
        `The disk takes no data, probably the one with ${stateDir}: it is full or damaged. Free some space, and repeat the command.`
      ]
    })
  })
})

describe.runIf(canMount())('an escrow file on a full disk', () => {
  it('is not left behind, and the sentence names its folder', async () => {
    const stateDir = newStateDir()
    writeFileSync(join(stateDir, 'secrets.env'), `RECEIPT_SECRET=${'a'.repeat(64)}\n`)
    const folder = newStateDir()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder])
    onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
    fill(join(folder, 'filled'))
    const env = { STATE_DIR: stateDir, ESCROW_PASSPHRASE: 'correct horse battery staple' }
    const run = () => runScript('secrets', ['export', join(folder, 'escrow.json')], env)

    expect(await run()).toMatchObject({
      code: 1,
      stderr: `The disk with ${folder} takes no data: it is full or damaged. Nothing was written. Free some space, or choose another folder.\n`
    })

    expect(readdirSync(folder)).toEqual(['filled'])
    rmSync(join(folder, 'filled'))
    expect(await run()).toMatchObject({ code: 0 })
  })
})

function fill(file: string): void {
  try {
    execFileSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=4096'], { stdio: 'ignore' })
  } catch {
    // dd fails when the disk is full.
  }
}

/** Whether a small disk can be mounted: on Linux, as root. */
function canMount(): boolean {
  const folder = newStateDir()
  try {
    mkdirSync(folder, { recursive: true })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  }
}

/** Sends the head of a request and part of its body, then closes the connection. */
async function breakOff({ hostname, port }: URL, path: string): Promise<void> {
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 100000\r\n\r\n{"api_key":"${'x'.repeat(1000)}`
  )
  await sleep(200)
  socket.destroy()
}

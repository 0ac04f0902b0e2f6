import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import {
  descendants,
  knowsProcesses,
  newStateDir,
  openDatabase,
  runScript
} from '../../support/processes.ts'
import { administer, newProject } from '../../support/service.ts'
import { DAILY } from '../../support/subscriptions.ts'
import { until } from '../../support/until.ts'

const hasProcesses = knowsProcesses()

/** Whether a command that this process has started has a file of a folder open. */
const isInUse = (folder: string): boolean =>
  descendants(process.pid).some((pid) => {
    const open = `/proc/${pid}/fd`
    try {
      return readdirSync(open).some((file) =>
        readlinkSync(join(open, file)).startsWith(realpathSync(folder))
      )
    } catch {
      // Meanwhile, the process has ended or has closed a file.
      return false
    }
  })

describe('npm run key, project and user', () => {
  const stateDir = newStateDir()

  /** Runs a command on the state folder, which may be empty: commands migrate its database. */
  const run = (noun: string, ...args: string[]) => runScript(noun, args, { STATE_DIR: stateDir })

  /** Runs a command that must succeed. @returns the JSON object that it prints */
  async function json(noun: string, ...args: string[]) {
    const { code, stdout, stderr } = await run(noun, ...args, '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  beforeAll(async () => {
    await json('user', 'create', '--first-name', 'Ada', '--email', 'ada@example.com')
    await json('project', 'create', '--name', 'Web shop', '--timezone', 'Europe/Berlin')
  })

  it('prints users as one JSON object or as a table', async () => {
    const { users } = await json('user', 'list')
    expect(users).toEqual([expect.objectContaining({ id: 1, email: 'ada@example.com' })])
    expect((await run('user', 'list')).stdout).toContain('ada@example.com')
  })

  it.each([
    ['There is no key 99.', ['key', 'revoke', '99']],
    ['Unknown command: key rotate', ['key', 'rotate']]
  ])('exits with status 1 and a message: %s', async (message, [noun = '', ...args]) => {
    const { code, stdout, stderr } = await run(noun, ...args, '--json')
    expect({ code, stdout, message: stderr.split('\n')[0] }).toEqual({
      code: 1,
      stdout: '',
      message
    })
  })

  it('says in one line that a deployed service cannot be reached without credentials', async () => {
    const env = {
      STATE_DIR: stateDir,
      HOME: stateDir,
      XDG_CONFIG_HOME: stateDir,
      CLOUDFLARE_API_TOKEN: ''
    }
    const { code, stdout, stderr } = await runScript('key', ['list', '--remote', '--json'], env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.trim()).toMatch(
      /^The deployed service cannot be reached\. .*CLOUDFLARE_API_TOKEN.*$/
    )
  })

  it('works on the databases of the running service: keys work and are revoked at once', async () => {
    const { stateDir } = inject('service')
    const { url, projectId } = await newProject()
    const persons = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`${url}/api/projects/${projectId}/persons/`, { headers })).status
    }
    const newKey = (scope: string) =>
      administer(
        stateDir,
        'key',
        'create',
        '--label',
        'x',
        '--scopes',
        scope,
        '--project',
        `${projectId}`
      )

    const reader = await newKey('person:read')
    const other = await newKey('insight:read')

    expect(await persons(reader.key)).toBe(200)
    expect(await persons(other.key)).toBe(403)
    const revoked = await administer(stateDir, 'key', 'revoke', String(reader.id))
    expect(await persons(reader.key)).toBe(401)
    expect(revoked.revoked_at).toMatch(/Z$/)
  })

  it.runIf(hasProcesses).each([
    ['writes', 'begin immediate'],
    ['locks the databases', 'pragma locking_mode = exclusive; begin exclusive']
  ])('waits while another process %s, and gives up with a message', async (_, lock) => {
    const rename = () => run('project', 'update', '1', '--name', 'Web shop', '--json')
    const other = openDatabase(stateDir)
    other.exec(lock)
    let isEnded = false
    const waiting = rename().finally(() => {
      isEnded = true
    })
    await until(() => isInUse(stateDir) || isEnded)
    // The command needs the lock right after it has opened the database.
    await sleep(1000)
    const isWaiting = !isEnded
    other.close()
    expect({ isWaiting, code: (await waiting).code }).toEqual({ isWaiting: true, code: 0 })

    const another = openDatabase(stateDir)
    another.exec(lock)
    const { code, stdout, stderr } = await rename()
    another.close()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^Another process keeps the local databases busy; try again\.$/m)
  })

  it('reads while another process writes', async () => {
    const other = openDatabase(stateDir)
    other.exec('begin immediate')
    const { code } = await run('project', 'list', '--json')
    other.close()
    expect(code).toBe(0)
  })

  it('lets requests to the running service wait while it writes, for some seconds too', async () => {
    const { stateDir: shared } = inject('service')
    const { url, projectId } = await newProject()
    const scopes = ['--scopes', 'person:read,subscription:write', '--project', String(projectId)]
    const { key } = await administer(shared, 'key', 'create', '--label', 'test', ...scopes)
    const send = async (path: string, json?: object) => {
      const answer = await fetch(`${url}/api/projects/${projectId}/${path}`, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(json && { method: 'POST', body: JSON.stringify(json) })
      })
      return answer.status
    }
    const other = openDatabase(shared)
    other.exec('begin immediate')
    const reads = Array.from({ length: 5 }, () => send('persons/'))
    const writes = Array.from({ length: 5 }, () => send('subscriptions/', DAILY))
    await sleep(3_000)
    other.exec('commit')
    other.close()

    expect(await Promise.all(reads)).toEqual([200, 200, 200, 200, 200])
    expect(await Promise.all(writes)).toEqual([201, 201, 201, 201, 201])
  })

  it('shares the databases with a service under load', async () => {
    const { stateDir } = inject('service')
    const { url, token } = await newProject()
    const capture = async () => {
      const event = { api_key: token, event: 'load', distinct_id: crypto.randomUUID() }
      return (await fetch(`${url}/i/v0/e/`, { method: 'POST', body: JSON.stringify(event) })).status
    }

    let isCreated = false
    const creating = administer(
      stateDir,
      'project',
      'create',
      '--name',
      'Under load',
      '--owner',
      '1'
    )
    const created = creating.finally(() => (isCreated = true))
    const statuses = new Set<number>()
    for (let round = 0; round < 40 && !isCreated; round += 1) {
      for (const status of await Promise.all(Array.from({ length: 10 }, capture))) {
        statuses.add(status)
      }
    }

    expect(await created).toMatchObject({ name: 'Under load', timezone: 'UTC' })
    expect(statuses).toEqual(new Set([200]))
  })
})

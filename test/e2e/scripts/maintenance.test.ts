import { beforeAll, describe, expect, it } from 'vitest'
import { openLocal } from '../../../scripts/local.ts'
import { replayLocally } from '../../../scripts/replay.ts'
import { GENESIS, keyOf } from '../../../src/ledger/entry.ts'
import { Ledger } from '../../../src/ledger/ledger.ts'
import { startCloudflare } from '../../support/cloudflare.ts'
import { newStateDir, openDatabase, readRows, runScript } from '../../support/processes.ts'
import { administer, runAdmin } from '../../support/service.ts'
import { until } from '../../support/until.ts'

describe('npm run maintenance and replay, on local databases', () => {
  const stateDir = newStateDir()

  const run = (...words: string[]) => runAdmin([...words, '--json'], () => openLocal(stateDir))
  const deployed = async () => ({ ...(await openLocal(stateDir)), isDeployed: true })
  const held = () => readRows(stateDir, 'select held from projects')

  /** Resets the database to its state before it was first compared with the ledger. */
  function restore() {
    const database = openDatabase(stateDir)
    database.exec('delete from ledger_head')
    database.close()
  }

  beforeAll(async () => {
    const ada = ['--first-name', 'Ada', '--email', 'ada@example.com']
    await administer(stateDir, 'user', 'create', ...ada)
    await administer(stateDir, 'project', 'create', '--name', 'Shop')
    await administer(stateDir, 'ledger', 'replay')
  })

  it('hold every project back until a restored database has applied the ledger', async () => {
    expect((await run('maintenance', 'on')).stdout).toBe('{"maintenance":"on"}')
    expect(held()).toEqual([{ held: 'maintenance' }])
    restore()

    const refused = await run('maintenance', 'off')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('The database DB was restored and is behind the ledger')
    ])
    expect(held()).toEqual([{ held: 'maintenance' }])
    expect((await runAdmin(['maintenance', 'off'], deployed)).stderr).toContain(
      'Run npm run replay -- --remote first.'
    )

    expect(JSON.parse((await run('ledger', 'replay')).stdout).replayed).toEqual([
      { database: 'DB', applied: 0, erased: 0, restored: true }
    ])
    expect((await run('maintenance', 'off')).stdout).toBe('{"maintenance":"off"}')
    expect(held()).toEqual([{ held: null }])
  })

  it('hold the deployed service back, and wait until it has applied the ledger', async () => {
    restore()
    const waiting = runAdmin(['ledger', 'replay', '--json'], deployed)
    const isHeld = () => JSON.stringify(held()) === '[{"held":"replay"}]'
    // The command must not end before the ledger is applied.
    expect(await Promise.race([until(isHeld), waiting])).toBeUndefined()

    // Applies the ledger, as the deployed service does every minute.
    const service = await openLocal(stateDir)
    await replayLocally(service)
    await service.close()

    expect(JSON.parse((await waiting).stdout).replayed).toEqual([
      { database: 'DB', applied: 0, restored: true }
    ])
    expect(held()).toEqual([{ held: null }])
  })

  it('hold back a project that a replay holds, and a new project, until maintenance ends', async () => {
    const database = openDatabase(stateDir)
    database.exec("update projects set held = 'replay'")
    database.close()
    restore()

    await run('maintenance', 'on')
    await run('project', 'create', '--name', 'Second')
    await run('ledger', 'replay')
    expect(held()).toEqual([{ held: 'maintenance' }, { held: 'maintenance' }])

    await run('maintenance', 'off')
    await run('project', 'create', '--name', 'Third')
    expect(held()).toEqual([{ held: null }, { held: null }, { held: null }])
  })

  it.each(['0', '2', 'all'])('refuse to skip any entry but the next: %s', async (entry) => {
    const { code, stderr } = await run('ledger', 'replay', '--skip', entry)

    expect([code, stderr]).toEqual([1, expect.stringMatching(/^--skip: must be /)])
  })

  it('skip an entry only if it is damaged', async () => {
    const service = await openLocal(stateDir)
    const bucket = await service.bucket()
    const ledger = new Ledger(bucket, GENESIS)
    const append = () => ledger.append({ kind: 'test', project: 1 }, Date.now())
    const { seq } = await append()
    const skip = async () => {
      const { code, stderr } = await run('ledger', 'replay', '--skip', String(seq))
      return code === 0 ? 'skipped' : stderr
    }

    const intact = await skip()
    await append()
    const entry = (await (await bucket.get(keyOf(seq)))?.text()) ?? ''
    await bucket.put(keyOf(seq), entry.replace('test', 'forged'))
    const damaged = await skip()
    await service.close()

    expect(intact).toContain('--skip: must be the number of an entry that is missing or damaged')
    expect(damaged).toBe('skipped')
  })

  it('refuse to skip the last entry, and continue once it is deleted', async () => {
    const service = await openLocal(stateDir)
    const bucket = await service.bucket()
    const ledger = new Ledger(bucket, GENESIS)
    const { seq } = await ledger.append({ kind: 'test', project: 1 }, Date.now())
    await bucket.put(keyOf(seq), 'damaged')

    const refused = await run('ledger', 'replay', '--skip', String(seq))
    await bucket.delete(keyOf(seq))
    const continued = await run('ledger', 'replay')
    await service.close()

    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`delete the object ${keyOf(seq)} instead`)
    ])
    expect(continued.code).toBe(0)
  })
})

it('npm run maintenance -- on --remote sets a secret of the deployed service', async () => {
  const cloudflare = await startCloudflare()

  const { code, stdout } = await runScript(
    'maintenance',
    ['on', '--remote', '--json'],
    cloudflare.env
  )

  expect([code, stdout.trim()]).toEqual([0, '{"maintenance":"on"}'])
  expect(cloudflare.changes.map(({ body }) => body).join()).toContain('"MAINTENANCE"')
})

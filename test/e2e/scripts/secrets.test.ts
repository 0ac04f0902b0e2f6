import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decryptSecrets } from '../../../scripts/escrow.ts'
import { fingerprintOf } from '../../../src/ledger/secret.ts'
import { startCloudflare } from '../../support/cloudflare.ts'
import {
  type LocalService,
  launchService,
  newStateDir,
  runScript
} from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const PASSPHRASE = 'correct horse battery staple'

/** Where the ledger keeps the fingerprints of the first and the second secret. */
const FIRST = 'ledger/secrets/000000000001'
const SECOND = 'ledger/secrets/000000000002'

const OWN = { RECEIPT_SECRET: 'a'.repeat(64), RECEIPT_KEY: 'b'.repeat(64) }

/** Makes a state folder with the secrets `OWN`, and returns it with a function that runs `npm run secrets` on it. */
function newOwner(env: Record<string, string> = {}) {
  const folder = newStateDir()
  const lines = Object.entries(OWN).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(folder, 'secrets.env'), `${lines.join('')}AI_API_KEY=c\n`)
  const all = { ...env, STATE_DIR: folder, ESCROW_PASSPHRASE: PASSPHRASE }
  return { folder, run: (...args: string[]) => runScript('secrets', args, all) }
}

const opened = (file: string) => decryptSecrets(readFileSync(file, 'utf8'), PASSPHRASE)

it('a deployed service gets its secrets back, and others only if the loss is accepted', async () => {
  const { env, settings, secrets, objects } = await startCloudflare()
  const { folder, run } = newOwner(env)
  const file = join(folder, 'escrow.json')
  expect(await run('export', file)).toMatchObject({ code: 0, stderr: '' })
  expect(opened(file)).toEqual(OWN)
  const fingerprint = await fingerprintOf(OWN.RECEIPT_SECRET)
  objects.set(FIRST, JSON.stringify({ fingerprint, since: 0 }))
  secrets.set('RECEIPT_KEY', 'rotated')

  const imported = await run('import', file, '--remote')

  expect(imported).toMatchObject({ code: 0, stderr: '' })
  expect(imported.stdout).toContain('Put back, used at once: RECEIPT_SECRET.')
  // The key may have been rotated because somebody has seen the earlier one.
  const kept = { RECEIPT_SECRET: OWN.RECEIPT_SECRET, RECEIPT_KEY: 'rotated' }
  expect(Object.fromEntries(secrets)).toEqual(kept)
  for (const secret of [...Object.values(OWN), PASSPHRASE]) {
    expect(imported.stdout).not.toContain(secret)
  }

  const hasty = await run('renew', '--remote')
  expect(hasty).toMatchObject({ code: 1, stderr: expect.stringContaining('add --accept-loss') })
  expect(Object.fromEntries(secrets)).toEqual(kept)

  settings.failing = 'secrets-bulk'
  const next = join(folder, 'next.json')
  const failed = await run('renew', '--remote', '--accept-loss', '--escrow', next)
  expect([failed.code, existsSync(next), objects.has(SECOND)]).toEqual([1, false, false])

  settings.failing = ''
  const renewed = await run('renew', '--remote', '--accept-loss', '--escrow', next)
  expect(renewed).toMatchObject({ code: 0, stderr: '' })
  expect(opened(next)).toEqual(Object.fromEntries(secrets))
  expect(JSON.parse(objects.get(SECOND) ?? '')).toEqual({
    fingerprint: await fingerprintOf(secrets.get('RECEIPT_SECRET') ?? ''),
    since: expect.any(Number)
  })
})

it('a local service that has lost its secrets says so, erases nothing, and gets them back', async () => {
  const { folder: stateDir, run } = newOwner()
  const secretsFile = join(stateDir, 'secrets.env')
  const file = join(stateDir, 'escrow.json')
  const start = async () => {
    const { ready, stop } = launchService(stateDir)
    onTestFinished(async () => void (await stop('SIGTERM')))
    return ready
  }
  const first = await start()
  const ask = (
    { url, projectId, key }: Pick<LocalService, 'url' | 'projectId' | 'key'>,
    path: string,
    body: object
  ) =>
    fetch(`${url}/api/projects/${projectId}/persons/${path}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body)
    })
  await fetch(`${first.url}/e/`, {
    method: 'POST',
    body: JSON.stringify({ api_key: first.token, event: '$identify', distinct_id: 'ada' })
  })
  const erase = { distinct_ids: ['ada'], delete_events: true }
  await until(async () => {
    const answer = await (await ask(first, 'bulk_delete', erase)).json()
    return (answer as { persons_deleted: number }).persons_deleted === 1
  })
  expect(await run('export', file)).toMatchObject({ code: 0 })
  await first.stop('SIGTERM')
  rmSync(secretsFile)

  await expect(start()).rejects.toThrow(
    /secrets\.env is missing, but this service has used secrets\. .* npm run secrets -- import FILE\./
  )
  expect(existsSync(secretsFile)).toBe(false)
  writeFileSync(secretsFile, `RECEIPT_SECRET=${'c'.repeat(64)}\nRECEIPT_KEY=${OWN.RECEIPT_KEY}\n`)

  const second = await start()

  const response = await fetch(`${second.url}/readyz`)
  expect([response.status, await response.json()]).toMatchObject([
    503,
    { secrets: [{ name: 'RECEIPT_SECRET', status: 'changed' }, { status: 'ok' }] }
  ])
  expect((await ask(second, 'bulk_delete', erase)).status).toBe(503)
  const purged = await runScript('purge:now', [], { STATE_DIR: stateDir })
  expect(purged.code).toBe(1)
  expect(purged.stderr).toContain('RECEIPT_SECRET is not the secret that this deployment has used')
  const unused = join(stateDir, 'unused.json')
  expect(await run('export', unused)).toMatchObject({
    code: 1,
    stderr: `The RECEIPT_SECRET in ${secretsFile} is not the one that this service has used. Nothing was changed.\n`
  })
  expect(existsSync(unused)).toBe(false)
  const lost = parseEnv(readFileSync(secretsFile, 'utf8'))

  const imported = await run('import', file)
  expect(imported.stdout).toContain('Put back, used from its next start: RECEIPT_SECRET.')
  expect(parseEnv(readFileSync(secretsFile, 'utf8'))).toEqual({
    ...lost,
    RECEIPT_SECRET: OWN.RECEIPT_SECRET
  })

  expect(await run('renew', '--accept-loss')).toMatchObject({ code: 0 })
  const late = await run('import', file)
  expect(late.stderr).toContain('is not the one that this service has used.')

  await second.stop('SIGTERM')
  rmSync(secretsFile)
  expect(await run('renew', '--accept-loss')).toMatchObject({ code: 0 })
  const third = await start()
  expect((await fetch(`${third.url}/readyz`)).status).toBe(200)
})

describe('the passphrase of an escrow file', () => {
  it('is needed, from the environment or a terminal, and has at least 12 characters', async () => {
    const { folder } = newOwner()
    const run = (more: Record<string, string>) =>
      runScript('secrets', ['export', join(folder, 'none.json')], { STATE_DIR: folder, ...more })

    expect(await run({})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set ESCROW_PASSPHRASE in the environment')
    })
    const lost = join(folder, 'missing', 'none.json')
    const nowhere = await runScript('secrets', ['export', lost], { STATE_DIR: folder })
    expect(nowhere.stderr).toContain('No file can be created in')
    expect(await run({ ESCROW_PASSPHRASE: 'short' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('at least 12 characters')
    })
  })

  it.skipIf(process.platform !== 'linux')(
    'is asked twice on a terminal, which does not show it',
    async () => {
      const { folder } = newOwner()
      const file = join(folder, 'typed.json')
      const command = `${process.execPath} scripts/secrets.ts export ${file}`
      // `script` of util-linux runs the command on a terminal of its own.
      const terminal = spawn('script', ['-qec', command, '/dev/null'], {
        env: { ...process.env, STATE_DIR: folder }
      })
      onTestFinished(() => void terminal.kill())
      let shown = ''
      terminal.stdout.on('data', (chunk) => {
        shown += chunk
      })
      for (const question of [
        'New passphrase for the escrow file: ',
        'The same passphrase again: '
      ]) {
        await until(() => shown.includes(question))
        terminal.stdin.write(`${PASSPHRASE}\r`)
      }

      await until(() => shown.includes('Wrote the secrets'))

      expect(shown).not.toContain(PASSPHRASE)
      expect(opened(file)).toEqual(OWN)
    }
  )
})

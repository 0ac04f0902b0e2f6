import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decryptSecrets } from '../../../scripts/escrow.ts'
import { startCloudflare } from '../../support/cloudflare.ts'
import { newStateDir, runScript } from '../../support/processes.ts'

const configFile = join(import.meta.dirname, '../../../wrangler.toml')

/** Starts a fake of Cloudflare with an empty account, and returns it with a `deploy` that runs `npm run deploy` on it. */
async function newOperator() {
  const cloudflare = await startCloudflare()
  return {
    ...cloudflare,
    deploy: (args: string[] = [], more: Record<string, string> = {}) =>
      runScript('deploy', args, { ...cloudflare.env, ...more })
  }
}

const CREATIONS = /^POST (d1\/database|queues|r2\/buckets)$/

describe('npm run deploy', () => {
  it('deploys to an empty account, even after a failed migration, and creates nothing the next time', async () => {
    const config = readFileSync(configFile, 'utf8')
    const { deploy, changes, settings, secrets, logIn } = await newOperator()
    const escrow = join(newStateDir(), 'escrow.json')
    const passphrase = 'correct horse battery staple'
    const callsOf = () =>
      changes
        .splice(0)
        .map(({ call, body }) => ({ call: call.replaceAll(/[0-9a-f-]{36}/g, 'ID'), body }))
    settings.failing = '/query'

    const failed = await deploy(['--location', 'weur'])

    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('npx wrangler d1 migrations apply DB --remote failed: ')
    expect(failed.stderr).toContain('near "TABEL": syntax error')
    const before = callsOf()
    expect(before.map(({ call }) => call)).not.toContain('PUT workers/scripts/edge-analytics')
    const created = before
      .filter(({ call }) => CREATIONS.test(call))
      .map(({ call, body }) => [call, JSON.parse(body)])
    expect(created.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
      ['POST d1/database', { name: 'edge-analytics', primary_location_hint: 'weur' }],
      [
        'POST queues',
        { queue_name: 'edge-analytics-access', settings: { message_retention_period: 1209600 } }
      ],
      [
        'POST queues',
        { queue_name: 'edge-analytics-capture', settings: { message_retention_period: 1209600 } }
      ],
      [
        'POST queues',
        {
          queue_name: 'edge-analytics-capture-dead',
          settings: { message_retention_period: 1209600 }
        }
      ],
      [
        'POST queues',
        { queue_name: 'edge-analytics-columns', settings: { message_retention_period: 1209600 } }
      ],
      [
        'POST queues',
        { queue_name: 'edge-analytics-deliveries', settings: { message_retention_period: 1209600 } }
      ],
      [
        'POST queues',
        {
          queue_name: 'edge-analytics-deliveries-dead',
          settings: { message_retention_period: 1209600 }
        }
      ],
      [
        'POST queues',
        { queue_name: 'edge-analytics-erasures', settings: { message_retention_period: 1209600 } }
      ],
      [
        'POST queues',
        { queue_name: 'edge-analytics-recordings', settings: { message_retention_period: 1209600 } }
      ],
      ['POST r2/buckets', { name: 'edge-analytics', locationHint: 'weur' }]
    ])

    settings.failing = ''
    const first = await deploy(['--location', 'weur', '--escrow', escrow], {
      ESCROW_PASSPHRASE: passphrase
    })

    expect(first).toMatchObject({ code: 0, stderr: expect.not.stringContaining('ERROR') })
    expect(first.stdout).toContain(
      'Exists already: npx wrangler d1 create edge-analytics --location weur'
    )
    const deployed = callsOf()
    const calls = deployed.map(({ call }) => call)
    expect(calls.filter((call) => CREATIONS.test(call))).toEqual([])
    const migration = deployed.findIndex(
      ({ call, body }) =>
        call === 'POST d1/database/ID/query' && /CREATE TABLE `persons`/.test(body)
    )
    expect(migration).toBeGreaterThan(-1)
    expect(migration).toBeLessThan(calls.indexOf('PUT workers/scripts/edge-analytics'))
    expect(calls).toContain('PUT workers/scripts/edge-analytics/schedules')
    const upload = deployed.find(({ call }) => call === 'PUT workers/scripts/edge-analytics')?.body
    expect(upload).toMatch(/"name":"RECEIPT_SECRET","type":"secret_text","text":"[0-9a-f]{64}"/)
    expect(upload).toMatch(/\{[^{}]*"type":"send_email"[^{}]*\}/)
    expect(statSync(escrow).mode & 0o777).toBe(0o600)
    const kept = decryptSecrets(readFileSync(escrow, 'utf8'), passphrase)
    expect(Object.keys(kept)).toEqual(['RECEIPT_SECRET', 'RECEIPT_KEY'])
    expect(kept).toEqual(Object.fromEntries(secrets))
    expect(first.stdout).toContain(`npm run secrets -- import ${escrow} --remote`)
    for (const secret of [...Object.values(kept), passphrase]) {
      expect(first.stdout + first.stderr).not.toContain(secret)
    }
    const consumer = deployed.find(
      ({ call }) => call === 'POST queues/id-of-edge-analytics-capture/consumers'
    )
    expect(JSON.parse(consumer?.body ?? '')).toMatchObject({
      dead_letter_queue: 'edge-analytics-capture-dead'
    })
    expect(first.stdout).toContain(
      'npx wrangler d1 time-travel restore DB --bookmark 00000042-feed'
    )
    expect(first.stdout).toContain('curl https://edge-analytics.shop.workers.dev/readyz')
    expect(first.stdout).toContain(
      "npm run key -- create --label admin --scopes '*' --project 1 --remote"
    )

    // Deploys with a person's login; the deployments before used a token.
    const second = await deploy(['--location', 'weur'], logIn())

    expect(second).toMatchObject({ code: 0, stderr: expect.not.stringContaining('ERROR') })
    const again = callsOf()
    expect(again.filter(({ call }) => CREATIONS.test(call))).toEqual([])
    const version = again.find(
      ({ call }) => call === 'POST workers/scripts/edge-analytics/versions'
    )
    expect(version?.body).toContain('{"name":"RECEIPT_SECRET","type":"inherit"}')
    expect(version?.body).not.toContain('"type":"secret_text"')
    expect(readFileSync(configFile, 'utf8')).toBe(config)
  })

  it('puts the settings of the file DEPLOYMENT over those of wrangler.toml', async () => {
    const { deploy, changes } = await newOperator()
    const file = join(newStateDir(), 'shop.toml')
    const own = `name = "shop"
      [vars]
      EMAIL_FROM = "reports@shop.example"
      [[d1_databases]]
      binding = "DB"
      database_name = "shop-data"`
    writeFileSync(file, own)

    const { code, stdout, stderr } = await deploy([], { DEPLOYMENT: file })
    const missing = await deploy([], { DEPLOYMENT: `${file}l` })

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('ERROR') })
    expect(stdout).toContain('npx wrangler d1 create shop-data --config .wrangler/deployment/shop')
    const upload = changes.find(({ call }) => call === 'PUT workers/scripts/shop')?.body
    expect(upload).toContain('reports@shop.example')
    expect(upload).toMatch(/"name":"RECORDING_RETENTION_DAYS","type":"plain_text","text":"30"/)
    expect(changes.map(({ call }) => call)).toContain('PUT workers/scripts/shop/schedules')
    const migrations = changes.filter(({ body }) => body.includes('CREATE TABLE `persons`'))
    expect(migrations.length).toBeGreaterThan(0)
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('shop.tomll, which does not exist')
    })
  })

  it('refuses to overwrite a file, and to write an escrow file without new secrets', async () => {
    const { deploy, changes, secrets } = await newOperator()
    const folder = newStateDir()
    const file = join(folder, 'there.json')
    writeFileSync(file, 'mine')
    secrets.set('RECEIPT_SECRET', 'x').set('RECEIPT_KEY', 'y')
    const passphrase = { ESCROW_PASSPHRASE: 'correct horse battery staple' }

    const there = await deploy(['--escrow', file], passphrase)
    const late = await deploy(['--escrow', join(folder, 'new.json')], passphrase)

    expect(there).toMatchObject({ code: 1, stderr: expect.stringContaining('not overwritten') })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to write') })
    expect(changes).toEqual([])
  })

  it('makes no other secret when the Worker has lost the one that was used', async () => {
    const { deploy, changes, objects } = await newOperator()
    objects.set('ledger/secrets/000000000001', '{"fingerprint":"f","since":0}')

    const { code, stderr } = await deploy()

    expect(code).toBe(1)
    expect(stderr).toContain('The Worker has lost RECEIPT_SECRET')
    expect(changes).toEqual([])
  })

  it('reports in one line that nobody is logged in', async () => {
    const { deploy, changes } = await newOperator()

    const { code, stderr } = await deploy([], { CLOUDFLARE_API_TOKEN: '' })

    expect({ code, stderr: stderr.trim() }).toEqual({
      code: 1,
      stderr:
        'You are not logged in to Cloudflare: run npx wrangler login, or set CLOUDFLARE_API_TOKEN.'
    })
    expect(changes).toEqual([])
  })

  it('asks which account is meant when there are several', async () => {
    const { deploy, changes, settings } = await newOperator()
    settings.accounts = ['Shop', 'Blog']

    const { code, stderr } = await deploy()

    expect({ code, stderr: stderr.trim() }).toEqual({
      code: 1,
      stderr: 'Set CLOUDFLARE_ACCOUNT_ID to one of: shop (Shop), blog (Blog)'
    })
    expect(changes).toEqual([])
  })

  it('refuses an unknown location', async () => {
    const { deploy } = await newOperator()
    const { code, stderr } = await deploy(['--location', 'mars'])
    expect({ code, stderr: stderr.trim() }).toEqual({
      code: 1,
      stderr: "--location must be one of weur, eeur, wnam, enam, apac, oc; got 'mars'."
    })
  })
})

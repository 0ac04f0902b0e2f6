import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { isSignedBy } from '../../../src/erasures/receipts/check.ts'
import { openSigningKey, publishKey } from '../../../src/erasures/receipts/keys.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { GENESIS } from '../../../src/ledger/entry.ts'
import { Ledger, readAfter } from '../../../src/ledger/ledger.ts'
import { holdErasures, newReceipt, tablesWith } from '../../support/erasures.ts'
import { invoke } from '../../support/platform.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'
import { newTown } from '../../support/town.ts'

const KEYS = '/.well-known/receipt-keys.json'

beforeEach(async () => {
  const { objects } = await env.BUCKET.list({ prefix: 'ledger/keys/' })
  await env.BUCKET.delete(objects.map(({ key }) => key))
})

const open = (project: TestProject, id: number, query = '', accept = '*/*') =>
  request('GET', `/api/projects/${project.id}/receipts/${id}/${query}`, {
    Authorization: `Bearer ${project.key}`,
    Accept: accept
  })

it('a receipt is signed once, with a published key', async () => {
  const project = await newProject()
  const receipt = await newReceipt(project)

  const again = await open(project, receipt.id)
  const { status, body, headers } = await request('GET', KEYS)

  expect([again.status, again.body]).toEqual([200, receipt])
  expect(status).toBe(200)
  expect(headers.get('Cache-Control')).toBe('public, max-age=300')
  expect(body.keys).toEqual([
    {
      kty: 'OKP',
      crv: 'Ed25519',
      use: 'sig',
      alg: 'EdDSA',
      kid: receipt.key,
      x: expect.any(String),
      created_at: expect.any(String),
      retired_at: null
    }
  ])
  expect(await isSignedBy(receipt, body.keys[0].x)).toBe(true)
})

it('a receipt that was changed in the database has no valid signature', async () => {
  const project = await newProject()
  const receipt = await newReceipt(project)
  await db.run(
    sql`update erasures set receipt = ${JSON.stringify({ ...receipt, late_events_dropped: 9 })} where id = ${receipt.id}`
  )
  const changed = (await open(project, receipt.id)).body
  const { body: answer } = await project.send('POST', 'persons/deletion_receipts/verify', changed)
  expect(answer.valid).toBe(false)
})

it('receipts stay valid when the key is rotated, and both keys stay published', async () => {
  const project = await newProject()
  const before = await newReceipt(project, ['eve'])
  const rotated = { RECEIPT_KEY: 'the next key, which is long enough as well' }

  const { body } = await request('GET', KEYS, {}, undefined, rotated)

  expect(body.keys.map(({ kid }: { kid: string }) => kid)).toEqual([
    before.key,
    expect.not.stringMatching(before.key)
  ])
  expect(body.keys[0].retired_at).toBe(body.keys[1].created_at)
  const verified = await request(
    'POST',
    `/api/projects/${project.id}/persons/deletion_receipts/verify/`,
    { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
    JSON.stringify(before),
    rotated
  )
  expect(verified.body.valid).toBe(true)
})

it('an earlier key that is in use again is not retired', async () => {
  const first = (await request('GET', KEYS)).body.keys[0].kid
  const rotated = { RECEIPT_KEY: 'the next key, which is long enough as well' }
  const { body } = await request('GET', KEYS, {}, undefined, rotated)
  expect(body.keys[0]).toMatchObject({ kid: first, retired_at: expect.any(String) })

  const { body: again } = await request('GET', KEYS)

  expect(again.keys).toMatchObject([{ kid: first, retired_at: null }, { retired_at: null }])
})

it('a key that two requests publish at the same time has one time, in the ledger too', async () => {
  const key = await openSigningKey({ RECEIPT_KEY: `a key of this test: ${crypto.randomUUID()}` })
  if (!key) {
    throw new Error('The key is too short.')
  }
  const times = [Date.UTC(2026, 10, 20, 10), Date.UTC(2026, 10, 20, 11)]
  await Promise.all(
    times.map((now) =>
      invoke(env, ({ BUCKET }) => publishKey(BUCKET, key, new Ledger(BUCKET, GENESIS), now))
    )
  )

  const stored = await env.BUCKET.get(`ledger/keys/${key.fingerprint}`)
  const { created_at } = (await stored?.json<{ created_at: string }>()) ?? {}
  const entries = (await readAfter(env.BUCKET, GENESIS, 1_000)).filter(
    ({ body }) => body.kid === key.fingerprint
  )
  expect(entries.length).toBeGreaterThan(0)
  expect(entries.map(({ body }) => body.created_at)).toEqual(entries.map(() => created_at))
})

it('a key stored under the fingerprint of another key is ignored', async () => {
  const project = await newProject()
  const receipt = await newReceipt(project)
  const forged = { x: 'A'.repeat(43), created_at: '2026-11-20T10:00:00Z' }
  await env.BUCKET.put(`ledger/keys/${receipt.key}`, JSON.stringify(forged))

  const { body } = await project.send('POST', 'persons/deletion_receipts/verify', receipt)

  expect(body.valid).toBe(false)
})

it('neither the salt nor a distinct id is in the database', async () => {
  const project = await newProject()
  const { call, drain } = holdErasures()
  const [name, anon] = [crypto.randomUUID(), crypto.randomUUID()]
  // The event stays, and its properties quote only the anonymous id.
  const properties = { $anon_distinct_id: anon }
  await project.ingest([{ event: '$identify', distinct_id: name, properties }])
  expect(await tablesWith(name)).toContain('distinct_ids')

  await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: [name] })
  await drain()

  const { body } = await call(project, 'GET', 'persons/deletion_status?status=completed')
  const { subject } = body.results[0].receipt
  expect(subject.distinct_ids).toHaveLength(2)
  expect(await tablesWith(name)).toEqual([])
  expect(await tablesWith(subject.salt)).toEqual([])
  expect(await tablesWith(subject.distinct_ids[0])).toEqual(['erased_identities', 'erasures'])
})

it('the page of a receipt is requested with `Accept` or with `format`', async () => {
  const project = await newProject()
  const receipt = await newReceipt(project)

  const pages = await Promise.all([
    open(project, receipt.id, '', 'text/html,application/xhtml+xml'),
    open(project, receipt.id, '?format=html')
  ])

  for (const { status, headers, text } of pages) {
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(headers.get('Content-Security-Policy')).toMatch(/script-src 'nonce-[^']+'/)
    expect(text).toContain(receipt.signature)
  }
  expect((await open(project, receipt.id, '?format=json', 'text/html')).body).toEqual(receipt)
})

it('the page of a receipt has plain words for every store', async () => {
  const { project, ada, call, cron, drain } = await newTown()
  const everything = 'delete_events=true&delete_recordings=true'
  await call(project, 'DELETE', `persons/${ada.id}?${everything}`)
  await cron(WEEKLY, Date.now() + 1_000)
  await drain()
  const { body } = await call(project, 'GET', 'persons/deletion_status')
  const { receipt } = body.results[0]

  const { text } = await open(project, receipt.id, '?format=html')

  const names = [...text.matchAll(/<th scope="row">([^<]*)<\/th>/g)].map(([, name]) => name)
  expect(names).toHaveLength(receipt.stores.length)
  expect(names.filter((name) => !/^[A-Z][a-z, ]+$/.test(name ?? ''))).toEqual([])
})

it('a receipt of another project, of no erasure or of an open erasure is not found', async () => {
  const [project, other] = [await newProject(), await newProject()]
  const receipt = await newReceipt(project)
  await db.run(sql`update erasures set status = 'running' where id = ${receipt.id}`)

  expect((await open(project, receipt.id)).status).toBe(404)
  expect((await open(project, 999_999)).status).toBe(404)
  await db.run(sql`update erasures set status = 'completed' where id = ${receipt.id}`)
  expect((await open(other, receipt.id)).status).toBe(404)
  expect((await open(project, receipt.id)).status).toBe(200)
})

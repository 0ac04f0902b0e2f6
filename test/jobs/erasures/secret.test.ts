import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { MINUTE } from '../../../src/calendar/units.ts'
import { EVERY_15_MINUTES, EVERY_MINUTE, WEEKLY } from '../../../src/jobs/cron.ts'
import { replaceFingerprint } from '../../../src/ledger/fingerprint.ts'
import { fingerprintOf } from '../../../src/ledger/secret.ts'
import { listenToLog } from '../../support/log.ts'
import { db, request } from '../../support/project.ts'
import { backUp } from '../../support/restore.ts'
import { newTown, status, type Town } from '../../support/town.ts'

const OTHER = { RECEIPT_SECRET: 'another secret, which is long enough, too' }

/** Where the ledger keeps the fingerprint of the first secret. */
const FIRST = 'ledger/secrets/000000000001'

const WRONG = {
  status: 503,
  body: {
    code: 'unavailable',
    detail: expect.stringContaining(
      'RECEIPT_SECRET is not the secret that this deployment has used so far.'
    )
  }
}

beforeEach(async () => {
  listenToLog()
  for (const prefix of ['ledger/', 'marks/']) {
    const { objects } = await env.BUCKET.list({ prefix })
    await env.BUCKET.delete(objects.map(({ key }) => key))
  }
  await db.run(sql`delete from ledger_head`)
  await db.run(sql`delete from event_removals`)
  await db.run(sql`update projects set held = null`)
})

/** Requests that erase, with Bob as the person. */
const ERASURES: [string, string, object?][] = [
  ['POST', 'persons/bulk_delete', { distinct_ids: ['bob'] }],
  ['POST', 'persons/complete_deletion', { distinct_ids: ['bob'] }],
  ['POST', 'persons/suppressions', { distinct_ids: ['bob'] }],
  ['POST', 'events/delete', { events: ['event 1'], dry_run: true }],
  ['DELETE', 'session_recordings/none']
]

/** Erases Ada and the events named `event 0`, and suppresses Eve. */
async function erase({ call, project, ada, drain, cron }: Town) {
  await call(project, 'DELETE', `persons/${ada.id}`)
  const filters = { events: ['event 0'] }
  const tried = await call(project, 'POST', 'events/delete', { ...filters, dry_run: true })
  const token = tried.body.token
  const removal = await call(project, 'POST', 'events/delete', { ...filters, token })
  const suppressed = await call(project, 'POST', 'persons/suppressions', { distinct_ids: ['eve'] })
  await cron(WEEKLY, Date.now() + 1_000)
  await drain()
  return {
    receipt: (await call(project, 'GET', 'persons/deletion_status')).body.results[0].receipt,
    removal: removal.body.id as string,
    suppression: suppressed.body.results[0].suppressions[0] as string
  }
}

describe('another secret than the one that the deployment has used', () => {
  it('erases nothing and neither returns nor verifies receipts, while capture and reads go on', async () => {
    const town = await newTown()
    const { project } = town
    const { receipt, removal, suppression } = await erase(town)
    const { body: persons } = await project.call('GET', 'persons')
    const [bob] = persons.results
    const asked: [string, string, object?][] = [
      ...ERASURES,
      ['DELETE', `persons/${bob.id}`],
      ['POST', `persons/${bob.id}/delete_property`, { $unset: 'plan' }],
      ['GET', 'persons/deletion_status'],
      ['GET', `receipts/${receipt.id}`],
      ['GET', 'events/deletions'],
      ['GET', `events/deletions/${removal}`],
      ['GET', `persons/suppressions/${suppression}/receipt`],
      ['POST', 'persons/deletion_receipts/verify', receipt]
    ]

    for (const [method, path, body] of asked) {
      const answer = await project.send(method, path, body, OTHER)
      expect([method, path, answer]).toMatchObject([method, path, WRONG])
      expect(answer.headers.get('Retry-After')).not.toBeNull()
      expect(answer.text).not.toContain(OTHER.RECEIPT_SECRET)
    }

    const reads = await project.send('GET', 'persons', undefined, OTHER)
    expect([reads.status, reads.body.results]).toEqual([200, persons.results])
    const captured = await request(
      'POST',
      '/e/',
      {},
      JSON.stringify({ api_key: project.token, event: 'seen', distinct_id: 'bob' }),
      OTHER
    )
    expect(captured.status).toBe(200)
    const { body: verified } = await project.send(
      'POST',
      'persons/deletion_receipts/verify',
      receipt
    )
    expect(verified.valid).toBe(true)
  })

  it('shows in /readyz with a sentence, also after a restore from before the first use', async () => {
    const { project, ada, call } = await newTown()
    const before = await request('GET', '/readyz', {}, undefined, OTHER)
    await call(project, 'DELETE', `persons/${ada.id}`)

    for (const restored of [false, true]) {
      if (restored) {
        await db.run(sql`delete from ledger_head`)
      }
      const { status, body, text } = await request('GET', '/readyz', {}, undefined, OTHER)
      expect([status, body.status]).toEqual([503, 'unavailable'])
      expect(body.secrets).toContainEqual({
        name: 'RECEIPT_SECRET',
        status: 'changed',
        detail: WRONG.body.detail
      })
      expect(text).not.toContain(OTHER.RECEIPT_SECRET)
    }

    expect(before.status).toBe(200)
    const own = await request('GET', '/readyz')
    expect(own.body.secrets).toContainEqual({ name: 'RECEIPT_SECRET', status: 'ok' })
  })

  it.each([
    ['the database', () => env.BUCKET.delete(FIRST)],
    ['the ledger', () => db.run(sql`update ledger_head set secret = null`)]
  ])('is told by the copy of %s alone, and the other copy is made again', async (_, lose) => {
    const { project, cron } = await newTown()
    await cron(EVERY_MINUTE)
    await lose()

    for (const [method, path, body] of ERASURES) {
      expect(await project.send(method, path, body, OTHER)).toMatchObject(WRONG)
    }

    await cron(EVERY_MINUTE)
    expect(await env.BUCKET.head(FIRST)).not.toBeNull()
    expect(await db.all(sql`select 1 from ledger_head where secret is null`)).toEqual([])
  })

  it('applies no entry of the ledger after a restore, and the database stays held back', async () => {
    const town = await newTown()
    const { project, ada, call, cron } = town
    await cron(EVERY_MINUTE)
    const restore = await backUp(project.id)
    await call(project, 'DELETE', `persons/${ada.id}`)
    await cron(EVERY_MINUTE, Date.now())
    await restore()

    await cron(EVERY_MINUTE, Date.now(), OTHER)
    expect((await project.send('GET', `persons/${ada.uuid}`, undefined, OTHER)).status).toBe(503)

    await cron(EVERY_MINUTE)
    expect((await project.call('GET', `persons/${ada.uuid}`)).status).toBe(404)
    expect((await status(town)).results).toMatchObject([{ person_uuid: ada.uuid }])
  })

  it('lets the erasures and removals in the queue wait, untouched, until the secret is back', async () => {
    const town = await newTown()
    const { project, ada, call, cron, drain } = town
    const filters = { events: ['event 1'] }
    const tried = await call(project, 'POST', 'events/delete', { ...filters, dry_run: true })
    const { token } = tried.body
    const removal = await call(project, 'POST', 'events/delete', { ...filters, token })
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    const countOf = async (table: string) =>
      (
        await db.all<{ count: number }>(
          sql`select count(*) as count from ${sql.identifier(table)} where project_id = ${project.id}`
        )
      )[0]?.count
    const counts = async () => [await countOf('events'), await countOf('person_versions')]
    const before = await counts()

    await cron(WEEKLY, Date.now() + 1_000, OTHER)
    await drain(OTHER)

    expect(await counts()).toEqual(before)
    const waiting = (await status(town)).results
    expect(waiting).toMatchObject([{ receipt: null, error: WRONG.body.detail }])
    const deletion = `events/deletions/${removal.body.id}`
    expect((await project.call('GET', deletion)).body).toMatchObject({
      receipt: null,
      error: WRONG.body.detail
    })

    await db.run(sql`update erasures set progress_at = progress_at - ${20 * MINUTE}`)
    await db.run(sql`update event_removals set progress_at = progress_at - ${20 * MINUTE}`)
    await cron(EVERY_15_MINUTES)
    await cron(WEEKLY, Date.now() + 1_000)
    await drain()

    expect((await status(town)).results).toMatchObject([{ status: 'completed', error: null }])
    expect((await project.call('GET', deletion)).body).toMatchObject({ status: 'completed' })
  })
})

describe('a secret that an operator has replaced', () => {
  it('works on, and earlier receipts are shown without their signature', async () => {
    const town = await newTown()
    const { project, call, drain } = town
    const { receipt, removal, suppression } = await erase(town)
    const fingerprint = await fingerprintOf(OTHER.RECEIPT_SECRET)
    await replaceFingerprint(env.BUCKET, { fingerprint, since: Date.now() })
    expect((await request('GET', '/readyz', {}, undefined, OTHER)).status).toBe(200)

    const bulk = { distinct_ids: ['bob'] }
    expect((await call(project, 'POST', 'persons/bulk_delete', bulk, OTHER)).status).toBe(200)
    await drain(OTHER)

    const { body } = await project.send('GET', 'persons/deletion_status', undefined, OTHER)
    const [newest, oldest] = body.results.map((task: { receipt: unknown }) => task.receipt)
    const { subject: _, ...shown } = receipt
    expect(oldest).toEqual({ ...shown, signature: null })
    expect(newest).toMatchObject({ signature: expect.any(String), subject: expect.any(Object) })
    for (const saved of [newest, receipt]) {
      const verified = await project.send('POST', 'persons/deletion_receipts/verify', saved, OTHER)
      expect(verified.body.valid).toBe(true)
    }
    const { body: deletion } = await project.send(
      'GET',
      `events/deletions/${removal}`,
      undefined,
      OTHER
    )
    expect(deletion).toMatchObject({ status: 'completed', receipt: null })
    const { body: stated } = await project.send(
      'GET',
      `persons/suppressions/${suppression}/receipt`,
      undefined,
      OTHER
    )
    expect(stated.subject.distinct_ids).toEqual([])
    expect(await project.send('GET', 'persons/deletion_status')).toMatchObject(WRONG)
  })
})

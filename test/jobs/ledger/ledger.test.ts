import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { MINUTE } from '../../../src/calendar/units.ts'
import { EVERY_MINUTE, WEEKLY } from '../../../src/jobs/cron.ts'
import { type Entry, GENESIS, type Head, headOf, keyOf } from '../../../src/ledger/entry.ts'
import { Ledger, readAfter } from '../../../src/ledger/ledger.ts'
import { readApplied } from '../../../src/ledger/store.ts'
import { failingBucket } from '../../support/bindings.ts'
import { countRows, holdErasures, newReceipt } from '../../support/erasures.ts'
import { aroundCalls } from '../../support/faults.ts'
import { invoke } from '../../support/platform.ts'
import { db, newProject, request } from '../../support/project.ts'
import { newTown, status } from '../../support/town.ts'

/** Age of an entry at which no request is still working on it, ms. */
const LATER = 2 * MINUTE

beforeEach(async () => {
  const { objects } = await env.BUCKET.list({ prefix: 'ledger/entries/' })
  await env.BUCKET.delete(objects.map(({ key }) => key))
  await env.BUCKET.delete(
    (await env.BUCKET.list({ prefix: 'marks/' })).objects.map(({ key }) => key)
  )
  await db.run(sql`delete from ledger_head`)
})

const body = (project: number) => ({ kind: 'note', project })

/** Returns the projects of the entries after `head`, oldest first. */
const read = async (head: Head = GENESIS) =>
  (await readAfter(env.BUCKET, head, 100)).map((entry) => entry.body.project)

describe('the ledger', () => {
  it('gives each entry a number of its own when many are appended at once', async () => {
    const projects = Array.from({ length: 12 }, (_, i) => i)

    const heads = await Promise.all(
      projects.map((project) =>
        invoke(env, ({ BUCKET }) => new Ledger(BUCKET, GENESIS).append(body(project), 1))
      )
    )

    expect(heads.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(projects.map((i) => i + 1))
    expect((await read()).sort((a, b) => a - b)).toEqual(projects)
  })

  it('finds its end from any earlier entry', async () => {
    const ledger = new Ledger(env.BUCKET, GENESIS)
    const heads = [GENESIS]
    for (let project = 1; project <= 9; project++) {
      for (const head of heads) {
        expect(await read(head)).toHaveLength(heads.length - 1 - head.seq)
      }
      heads.push(await ledger.append(body(project), 1))
    }
    for (const [i, head] of heads.entries()) {
      expect((await new Ledger(env.BUCKET, head).append(body(0), 1)).seq).toBe(10 + i)
    }
  })

  it.each<[string, (entry: Entry) => object | undefined, RegExp]>([
    ['missing', () => undefined, /Entry 2 of the ledger is missing/],
    [
      'changed',
      (entry) => ({ ...entry, body: body(99) }),
      /Entry 2 of the ledger is damaged or forged/
    ],
    [
      'forged, with a digest of its own',
      (entry) => ({ ...entry, link: { ...entry.link, at: 2 } }),
      /Entry 2 or entry 3 of the ledger is damaged: entry 3 does not follow entry 2/
    ]
  ])('refuses an entry that is %s', async (_, forge, fault) => {
    const ledger = new Ledger(env.BUCKET, GENESIS)
    for (const project of [1, 2, 3]) {
      await ledger.append(body(project), 1)
    }
    const [, second] = await readAfter(env.BUCKET, GENESIS, 100)
    const forged = second && forge(second)

    await (forged ? env.BUCKET.put(keyOf(2), JSON.stringify(forged)) : env.BUCKET.delete(keyOf(2)))

    await expect(read()).rejects.toThrow(fault)
  })

  it.each([
    ['at', 2, 2],
    ['prev', 2, 2],
    ['prev', 3, 3],
    ['prev', 1, 1]
  ])('names the entry whose %s is changed: %i', async (member, seq, damaged) => {
    const ledger = new Ledger(env.BUCKET, GENESIS)
    for (const project of [1, 2, 3, 4]) {
      await ledger.append(body(project), 1)
    }
    const entry = (await readAfter(env.BUCKET, GENESIS, 100))[seq - 1]
    const value = member === 'at' ? 2 : 'f'.repeat(64)
    const forged = { ...entry, link: { ...entry?.link, [member]: value } }
    await env.BUCKET.put(keyOf(seq), JSON.stringify(forged))

    await expect(read()).rejects.toThrow(`Entry ${damaged} of the ledger is damaged`)
  })
})

describe('an erasure', () => {
  it('is in the ledger before anything is deleted, and names no distinct id', async () => {
    const { project, ada, call } = await newTown()
    const before = await countRows(project.id)
    const readEntry = async () => (await readAfter(env.BUCKET, GENESIS, 100))[0]
    /** The rows after each batch that began before the ledger had the entry. */
    const unannounced: Record<string, number>[] = []
    const DB = aroundCalls(env.DB, async (run, _, statements) => {
      const isAnnounced = (await readEntry()) !== undefined
      const answer = await run()
      if (statements.length > 1 && !isAnnounced) {
        unannounced.push(await countRows(project.id))
      }
      return answer
    })

    await call(project, 'DELETE', `persons/${ada.id}?delete_events=true`, undefined, { DB })

    expect(unannounced.length).toBeGreaterThan(0)
    for (const rows of unannounced) {
      expect(rows).toEqual(before)
    }
    expect(await countRows(project.id)).toMatchObject({ persons: 1 })
    const entry = await readEntry()
    expect(entry?.body).toMatchObject({
      kind: 'erasure',
      project: project.id,
      persons: [ada.uuid],
      delete_events: true
    })
    expect(JSON.stringify(entry)).not.toMatch(/"(ada|anon-ada|ada@example\.com)"/)
  })

  it('is refused while the bucket takes no entry, and nothing is deleted', async () => {
    const { project, ada, call } = await newTown()
    const before = await countRows(project.id)

    const { status, body } = await call(project, 'DELETE', `persons/${ada.id}`, undefined, {
      BUCKET: failingBucket()
    })

    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(await countRows(project.id)).toEqual(before)
  })

  it('of three persons is one entry, and of none no entry', async () => {
    const project = await newProject()
    const names = ['a', 'b', 'c']
    await project.ingest(names.map((distinct_id) => ({ event: 'x', distinct_id })))
    await project.ingest(
      names.map((distinct_id) => ({ event: '$set', distinct_id, properties: { $set: { a: 1 } } }))
    )
    const { call } = holdErasures()
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: names })
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['nobody'] })

    expect(await read()).toEqual([project.id])
  })

  it('has its receipt in the ledger', async () => {
    const project = await newProject()
    await newReceipt(project)

    const entries = await readAfter(env.BUCKET, GENESIS, 100)

    expect(entries.map((entry) => entry.body.kind)).toEqual(['erasure', 'key', 'receipt'])
  })
})

describe('a database that knows less than the ledger', () => {
  /** Brings back a person as a restore would: with the rows from before the erasure. */
  async function restore() {
    const town = await newTown()
    const { project, ada, call, drain, cron } = town
    const tables = ['persons', 'distinct_ids', 'counters'] as const
    const kept = await Promise.all(
      tables.map((name) =>
        db.all<Record<string, unknown>>(
          sql`select * from ${sql.identifier(name)} where project_id = ${project.id}`
        )
      )
    )
    await call(project, 'DELETE', `persons/${ada.id}?delete_events=true`)
    await drain()
    const [first] = (await status(town)).results
    for (const name of ['erased_identities', 'erasures', ...tables]) {
      await db.run(sql`delete from ${sql.identifier(name)} where project_id = ${project.id}`)
    }
    for (const [i, name] of tables.entries()) {
      for (const { email: _generated, ...row } of kept[i] ?? []) {
        const columns = Object.keys(row).map((column) => sql.identifier(column))
        const values = Object.values(row).map((value) => sql`${value}`)
        await db.run(
          sql`insert into ${sql.identifier(name)} (${sql.join(columns, sql`, `)}) values (${sql.join(values, sql`, `)})`
        )
      }
    }
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(200)
    return { ...town, first, cron }
  }

  it('repeats the erasures in the ledger by itself, with the time of the first request', async () => {
    const town = await restore()
    const { project, ada, call, drain, cron, first } = town

    await cron(EVERY_MINUTE, Date.now())
    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(200)
    expect((await request('GET', '/readyz')).body.ledger).toBe('ok')
    await db.run(sql`delete from ledger_head`)
    await age()
    const behind = await request('GET', '/readyz')
    expect([behind.status, behind.body.ledger]).toEqual([503, 'behind'])
    await cron(EVERY_MINUTE, Date.now())
    await drain()

    expect((await call(project, 'GET', `persons/${ada.id}`)).status).toBe(404)
    expect((await request('GET', '/readyz')).body.ledger).toBe('ok')
    await cron(WEEKLY, Date.now() + 1000)
    await drain()
    const [task] = (await status(town)).results
    expect(task).toMatchObject({
      status: 'completed',
      created_at: first.created_at,
      person_uuid: ada.uuid
    })
    expect(await countRows(project.id)).toMatchObject({ persons: 1, events: 10 })
    expect(await db.$count(sql`erasures`, sql`project_id = ${project.id}`)).toBe(1)
  })

  it('erases no new person with an erased distinct id, and nobody twice', async () => {
    const { project, call, drain, cron } = await newTown()
    await call(project, 'POST', 'persons/bulk_delete', { distinct_ids: ['ada'] })
    await drain()
    await project.ingest([{ event: '$set', distinct_id: 'ada', properties: { $set: { a: 1 } } }])
    await age()

    await cron(EVERY_MINUTE, Date.now())
    await cron(EVERY_MINUTE, Date.now())

    expect((await call(project, 'GET', 'persons?distinct_id=ada')).body.count).toBe(1)
    expect(await db.$count(sql`erasures`, sql`project_id = ${project.id}`)).toBe(1)
    // The erasure, the key, and the receipt.
    expect((await readApplied(db)).seq).toBe(3)
  })

  it('is not ready when an entry is missing', async () => {
    const ledger = new Ledger(env.BUCKET, GENESIS)
    await ledger.append(body(1), 1)
    await ledger.append(body(2), 1)
    await env.BUCKET.delete(keyOf(1))

    const { status, body: health } = await request('GET', '/readyz')

    expect([status, health.ledger]).toEqual([503, 'damaged'])
  })

  /** Writes the ledger again as if its entries were two minutes older. */
  async function age() {
    const entries = await readAfter(env.BUCKET, GENESIS, 100)
    let prev = GENESIS
    for (const { link, body } of entries) {
      const older = { link: { ...link, prev: prev.hash, at: link.at - LATER }, body }
      await env.BUCKET.put(keyOf(link.seq), JSON.stringify(older))
      prev = headOf(older)
    }
  }
})

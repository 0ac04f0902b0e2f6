import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { query, readBatch, template, writeBatch } from '../../../src/db/batch.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { aroundCalls } from '../../support/faults.ts'

beforeAll(async () => {
  await env.DB.prepare('create table marks (n integer)').run()
})

const isStrict = sql.placeholder('isStrict')

/** A query that finds the number, or nothing. */
const find = (n: number | null) =>
  template<{ isStrict: boolean }>(
    sql`select ${n} as n, json(iif(${n} is null and ${isStrict}, '', '{}')) as is_found`
  )

function openWith(n: number | null, accept: () => Promise<D1DatabaseSession | undefined>) {
  const asked = find(n)
  return openDb(env.DB, newUsage(), { query: (isStrict) => asked({ isStrict }), accept })
}

const readMarks = (db: ReturnType<typeof openWith>['db']) =>
  readBatch(db, query<{ n: number }>(sql`select n from marks`))

const countMarks = () => env.DB.prepare('select count(*) as n from marks').first('n')

describe('what a session begins with', () => {
  it('is asked once, together with the first reads', async () => {
    const accept = vi.fn(async () => undefined)
    const { db } = openWith(1, accept)
    await Promise.all([readMarks(db), readMarks(db)])
    await db.$client.open()
    expect(accept.mock.calls).toEqual([[[{ n: 1, is_found: '{}' }]]])
  })

  it('lets nothing be read, now or later, that it does not accept', async () => {
    const refusal = new Error('refused')
    const { db } = openWith(1, () => Promise.reject(refusal))
    const answers = await Promise.allSettled([readMarks(db), readMarks(db), db.$client.open()])
    expect(answers.map((answer) => answer.status === 'rejected' && answer.reason)).toEqual([
      refusal,
      refusal,
      refusal
    ])
    await expect(readMarks(db)).rejects.toBe(refusal)
  })

  it.each([
    ['insert', sql`insert into marks values (1)`],
    ['with … insert', sql`with one(n) as (select 1) insert into marks select n from one`],
    ['replace', sql`replace into marks values (1)`]
  ])('comes before a write: %s', async (_, write) => {
    const before = await countMarks()
    const { db } = openWith(1, () => Promise.reject(new Error('refused')))
    await expect(writeBatch(db, [write])).rejects.toThrow('refused')
    expect(await countMarks()).toBe(before)
  })

  it('is asked by itself where it finds nothing, and what was sent along with it costs nothing', async () => {
    const usage = newUsage()
    const asked = find(null)
    const accept = vi.fn(() => Promise.reject(new Error('nobody')))
    const { db } = openDb(env.DB, usage, { query: (isStrict) => asked({ isStrict }), accept })
    await expect(readMarks(db)).rejects.toThrow('nobody')
    expect(accept).toHaveBeenCalledExactlyOnceWith([{ n: null, is_found: '{}' }])
    expect(usage.rowsRead).toBe(0)
  })

  it('has all read again where the session goes on with another database', async () => {
    const { DB_TWO } = env as typeof env & { DB_TWO: D1Database }
    await DB_TWO.prepare('create table marks (n integer)').run()
    await DB_TWO.prepare('insert into marks values (2)').run()
    const { db } = openWith(1, async () => DB_TWO.withSession('first-primary'))
    expect(await readMarks(db)).toEqual([[{ n: 2 }]])
  })
})

describe('a database that another process keeps busy', () => {
  /** The database, whose first calls fail with these words. */
  const failing = (times: number, message: string) => {
    const calls = { made: 0 }
    const database = aroundCalls(env.DB, async (run, call) => {
      calls.made = call
      if (call <= times) {
        throw new Error(message)
      }
      return run()
    })
    return { db: openDb(database, newUsage()).db, calls }
  }
  const LOCKED = 'D1_ERROR: database is locked: SQLITE_BUSY'
  const write = sql`insert into marks values (7)`

  it('is asked again for a write, which was not done', async () => {
    const before = Number(await countMarks())
    const { db, calls } = failing(3, LOCKED)

    await writeBatch(db, [write, write])

    expect(calls.made).toBe(4)
    expect(await countMarks()).toBe(before + 2)
  })

  it('is not asked for ever', async () => {
    const before = await countMarks()
    const { db, calls } = failing(100, LOCKED)

    await expect(writeBatch(db, [write])).rejects.toMatchObject({ code: 'unavailable' })

    expect(calls.made).toBe(10)
    expect(await countMarks()).toBe(before)
  })

  it('is not asked again for a write that may have been done', async () => {
    const { db, calls } = failing(1, 'D1_ERROR: Failed to get session commit token')

    await expect(writeBatch(db, [write])).rejects.toMatchObject({ code: 'unavailable' })

    expect(calls.made).toBe(1)
  })
})

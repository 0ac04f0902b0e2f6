import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { writeBatch } from '../../../src/db/batch.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { apiKeys, projects, users } from '../../../src/db/schema.ts'
import { aroundCalls } from '../../support/faults.ts'
import { db, newProject } from '../../support/project.ts'

beforeAll(async () => {
  await env.DB.prepare('create table marks (n integer)').run()
})

const countMarks = () => env.DB.prepare('select count(*) as n from marks').first('n')

describe('a join by the query builder', () => {
  it('keeps columns with the same name apart', async () => {
    const project = await newProject()
    const owned = db
      .select({ id: projects.id, project: projects, user: users, twice: { id: users.id } })
      .from(projects)
      .innerJoin(users, eq(users.id, projects.ownerId))
      .leftJoin(apiKeys, eq(apiKeys.id, -1))

    const [row] = await owned.where(eq(projects.id, project.id))

    const [own] = await db.select().from(projects).where(eq(projects.id, project.id))
    const [owner] = await db.select().from(users).where(eq(users.id, project.user.id))
    expect(row).toEqual({ id: project.id, project: own, user: owner, twice: { id: owner?.id } })
  })

  it('returns null for the missing side of a left join', async () => {
    const { id } = await newProject()
    const rows = await db
      .select()
      .from(projects)
      .leftJoin(apiKeys, eq(apiKeys.id, -1))
      .where(eq(projects.id, id))

    expect(rows).toEqual([{ projects: expect.objectContaining({ id }), api_keys: null }])
  })
})

describe('a database that another process keeps busy', () => {
  /** Returns the database, but its first `times` calls fail with this message. */
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

  it('is tried again for a write that was not done', async () => {
    const before = Number(await countMarks())
    const { db, calls } = failing(3, LOCKED)

    await writeBatch(db, [write, write])

    expect(calls.made).toBe(4)
    expect(await countMarks()).toBe(before + 2)
  })

  it('is not tried forever', async () => {
    const before = await countMarks()
    const { db, calls } = failing(Number.POSITIVE_INFINITY, LOCKED)
    vi.useFakeTimers({ toFake: ['setTimeout'] })

    const written = expect(writeBatch(db, [write])).rejects.toMatchObject({ code: 'unavailable' })
    await vi.advanceTimersByTimeAsync(10_100)
    vi.useRealTimers()
    await written

    // Between two calls, 20 to 80 ms pass.
    expect(calls.made).toBeGreaterThan(125)
    expect(calls.made).toBeLessThan(502)
    expect(await countMarks()).toBe(before)
  })

  it('is not tried again for a write that may have been done', async () => {
    const { db, calls } = failing(1, 'D1_ERROR: Failed to get session commit token')

    await expect(writeBatch(db, [write])).rejects.toMatchObject({ code: 'unavailable' })

    expect(calls.made).toBe(1)
  })
})

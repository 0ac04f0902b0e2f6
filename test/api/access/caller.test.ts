import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { findCallerAndRead } from '../../../src/access/caller.store.ts'
import { hashKey, newApiKey } from '../../../src/access/key.ts'
import { createKey, revokeKey } from '../../../src/access/store.ts'
import { planRead, query } from '../../../src/db/batch.ts'
import { newUsage, openControl } from '../../../src/db/client.ts'
import { db, newProject, request, type TestProject } from '../../support/project.ts'

const NOW = Date.UTC(2026, 10, 21)

let ours: TestProject
let theirs: TestProject

beforeAll(async () => {
  ours = await newProject()
  theirs = await newProject()
})

/** Reads two values in the round trip of the key check. Returns the values and the cost. */
async function readWith(key: string, projectId: number) {
  const usage = newUsage()
  const read = planRead(
    [query<{ n: number }>(sql`select 1 as n`), query<{ n: number }>(sql`select 2 as n`)],
    ([[one], [two]]) => [one?.n, two?.n]
  )
  const sought = { hash: hashKey(key), projectId, now: NOW }
  const found = await findCallerAndRead(openControl(env, usage).db, sought, read)
  return { found, usage }
}

async function keyOf(project: TestProject, expiresAt?: Date) {
  const input = { label: 'test', scopes: ['*'], projectIds: [project.id], userId: project.user.id }
  return createKey(db, { ...input, expiresAt }, new Date(NOW))
}

describe('a read in the round trip of the key check', () => {
  it('returns its answer with the caller and the project', async () => {
    const { found } = await readWith(ours.key, ours.id)

    expect(found?.readAnswer()).toEqual([1, 2])
    expect(found?.caller.user.id).toBe(ours.user.id)
    expect(found?.caller.project?.id).toBe(ours.id)
  })

  it.each([
    ['an unknown key', async () => newApiKey()],
    ['an expired key', async () => (await keyOf(ours, new Date(NOW))).key],
    [
      'a revoked key',
      async () => {
        const { id, key } = await keyOf(ours)
        await revokeKey(db, id, new Date(NOW))
        return key
      }
    ],
    ['a key of another project', async () => theirs.key]
  ])('does not run for %s', async (_, key) => {
    const { found, usage } = await readWith(await key(), ours.id)

    expect(found).toBeUndefined()
    expect(usage.rowsRead).toBe(0)
  })

  it('reports an invalid parameter only to a caller with a valid key', async () => {
    const path = `/api/projects/${ours.id}/persons?limit=none`

    const stranger = await request('GET', path, { Authorization: `Bearer ${newApiKey()}` })
    const owner = await request('GET', path, { Authorization: `Bearer ${ours.key}` })

    expect([stranger.status, stranger.body.code]).toEqual([401, 'authentication_failed'])
    expect([owner.status, owner.body.attr]).toEqual([400, 'limit'])
  })
})

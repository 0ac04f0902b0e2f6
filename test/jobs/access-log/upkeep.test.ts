import { env } from 'cloudflare:workers'
import { v7 as uuidv7 } from 'uuid'
import { expect, it } from 'vitest'
import type { AccessEntry } from '../../../src/access-log/entry.ts'
import { folderOf, writeEntries } from '../../../src/access-log/lines.ts'
import { keepAccessLog } from '../../../src/access-log/upkeep.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { NIGHTLY } from '../../../src/jobs/cron.ts'
import { accessObjects } from '../../support/access-log.ts'
import { override } from '../../support/bindings.ts'
import { holdErasures } from '../../support/erasures.ts'
import { newProject } from '../../support/project.ts'

const NOW = Date.parse('2026-11-20T03:30:00Z')

const entry = (projectId: number, at: number): AccessEntry => ({
  id: uuidv7({ msecs: at }),
  at,
  project_id: projectId,
  request_id: 'request',
  key: null,
  user: null,
  operation: 'persons_retrieve',
  object: 'person',
  object_id: null,
  filters: {},
  count: 1,
  persons: []
})

const write = async (entries: AccessEntry[]) => {
  for (const one of entries) {
    await writeEntries(env.BUCKET, folderOf(one), [one])
  }
}

/** Reads the ids of all entries in the bucket; an entry that is there twice is in the list twice. */
async function idsOf(projectId: number): Promise<string[]> {
  const contents = await Promise.all(
    (await accessObjects(projectId)).map(async (key) => (await env.BUCKET.get(key))?.text())
  )
  return contents
    .flatMap((content) => content?.trim().split('\n') ?? [])
    .map((line) => JSON.parse(line).id)
    .sort()
}

it('deletes what is older than 13 months, and nothing else', async () => {
  const { id } = await newProject()
  const kept = entry(id, Date.parse('2025-10-20T00:00:00Z'))
  await write([entry(id, Date.parse('2025-10-19T23:59:59Z')), entry(id, NOW - 800 * DAY), kept])

  expect(await keepAccessLog(env.BUCKET, id, NOW)).toEqual({ deleted: 2, joined: 0 })
  expect(await idsOf(id)).toEqual([kept.id])
})

it('joins the objects of the last days, but not of today, and keeps each entry once', async () => {
  const { id } = await newProject()
  const days = [0, 1, 2].flatMap((n) => [1, 2, 3].map((s) => entry(id, NOW - n * DAY + s)))
  await write(days)
  const yesterday = days.slice(3, 6)
  await writeEntries(env.BUCKET, folderOf({ project_id: id, at: NOW - DAY }), yesterday)

  expect(await keepAccessLog(env.BUCKET, id, NOW)).toEqual({ deleted: 0, joined: 6 })
  expect(await accessObjects(id)).toHaveLength(5)
  expect(await idsOf(id)).toEqual(days.map((one) => one.id).sort())
  expect(await keepAccessLog(env.BUCKET, id, NOW)).toEqual({ deleted: 0, joined: 0 })
})

it('loses nothing if it is interrupted before it deletes', async () => {
  const { id } = await newProject()
  const entries = [1, 2].map((s) => entry(id, NOW - DAY + s))
  await write(entries)
  const broken = override<R2Bucket>(env.BUCKET, {
    delete: () => Promise.reject(new Error('cut off'))
  })

  await expect(keepAccessLog(broken, id, NOW)).rejects.toThrow('cut off')
  expect(new Set(await idsOf(id))).toEqual(new Set(entries.map((one) => one.id)))
  await keepAccessLog(env.BUCKET, id, NOW)
  expect(await idsOf(id)).toEqual(entries.map((one) => one.id).sort())
})

it('runs every night', async () => {
  const { id } = await newProject()
  await write([entry(id, Date.now() - 500 * DAY)])
  await holdErasures().cron(NIGHTLY)

  expect(await accessObjects(id)).toEqual([])
})

import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { nameOf } from '../../../src/access-log/lines.ts'
import { DAY } from '../../../src/calendar/units.ts'
import { newSpillKey } from '../../../src/capture/message.ts'
import { deadLetters, eventRemovals, recordings } from '../../../src/db/schema.ts'
import { insertDeadLetter } from '../../../src/dead-letters/store.ts'
import { digestOf, LISTS_PREFIX, writeList } from '../../../src/erasures/events/list.ts'
import { openSigningKey, publishKey } from '../../../src/erasures/receipts/keys.ts'
import { GENESIS } from '../../../src/ledger/entry.ts'
import { settleFingerprint } from '../../../src/ledger/fingerprint.ts'
import { Ledger } from '../../../src/ledger/ledger.ts'
import { readChecked } from '../../../src/queues/checked.ts'
import { markerOf, objectOf, prefixOf } from '../../../src/recordings/part.ts'
import { OBJECT_KINDS, prefixOfKind } from '../../../src/service/objects/kinds.ts'
import type { ObjectFault } from '../../../src/service/objects/tally.ts'
import { verifyBucket } from '../../../src/service/objects/verify.ts'
import { db } from '../../support/project.ts'
import { newStage, snapshotEvent, visit } from '../../support/recordings.ts'

const REMOVAL = '01a1fc87-0000-7000-8000-000000000002'
const UUIDS = ['0'.repeat(32), 'f'.repeat(32)]
const PART = '01a1fc87-0000-7000-8000-0000000000aa'
const OTHER_PART = '01a1fc87-0000-7000-8000-0000000000ab'
const OTHER_PAGE = 'https://shop.example/another/page'

let stage: Awaited<ReturnType<typeof newStage>>

/** A key of each kind of object, by the kind's prefix. */
const keys: Record<string, string> = {}

/** Stores an object of each kind. */
beforeAll(async () => {
  await clear()
  stage = await newStage()
  const { project } = stage
  await stage.record(
    snapshotEvent(project, { uuid: PART }),
    snapshotEvent(project, { uuid: OTHER_PART, snapshots: visit(Date.now(), OTHER_PAGE) })
  )
  await db.delete(eventRemovals)
  await db.delete(deadLetters)
  const removal = { id: REMOVAL, projectId: project.id }
  await writeList(env.BUCKET, removal, UUIDS)
  await db.insert(eventRemovals).values({
    ...removal,
    events: UUIDS.length,
    digest: digestOf(UUIDS),
    requestedAt: 1,
    requestedBy: {},
    dueAt: 1,
    progressAt: 1
  })
  const message = {
    project_id: project.id,
    received_at: 1,
    events: [{ uuid: PART, event: 'x', distinct_id: 'ada', timestamp: 1, properties: {}, place: 0 }]
  }
  const dead = 'dead/one.json'
  await insertDeadLetter(db, {
    id: 'one',
    object: dead,
    projectId: project.id,
    error: 'no',
    attempts: 12,
    createdAt: 1
  })
  const part = {
    project_id: project.id,
    session_id: 'session',
    part_id: PART,
    distinct_id: 'ada',
    source: 'web' as const,
    skew: 0,
    received_at: 1
  }
  const key = await openSigningKey(env)
  if (!key) {
    throw new Error('There is no key.')
  }
  await publishKey(env.BUCKET, key, new Ledger(env.BUCKET, GENESIS), 1)
  await settleFingerprint(env.BUCKET, db, 'a fingerprint')
  const contents: [string, string][] = [
    [newSpillKey(message), JSON.stringify(message)],
    [markerOf(part), JSON.stringify(part)],
    [dead, JSON.stringify({ error: 'no', attempts: 12, dead: message })],
    ['ledger/skipped/ledger/entries/000000000009', ''],
    [`access-log/1/2026-11-22/${nameOf('{}\n')}`, '{}\n'],
    ['salts/2026-11-22', 'x'.repeat(32)],
    ['marks/DB.json', '{}'],
    ['sweeps/capture.json', '{}']
  ]
  for (const [name, content] of contents) {
    await env.BUCKET.put(name, content)
  }
  const { objects } = await env.BUCKET.list()
  for (const { key: name } of objects) {
    keys[prefixOfKind(name) ?? 'none'] ??= name
  }
  keys['recordings/'] = objectOf(project.id, 'session', PART)
})

/** Objects as they were, to put them back after a test. */
let kept: [string, Uint8Array][]

beforeEach(async () => {
  kept ??= await Promise.all(
    (await env.BUCKET.list()).objects.map(
      async ({ key }) =>
        [key, (await readChecked(env.BUCKET, key))?.bytes ?? new Uint8Array()] as const
    )
  ).then((entries) => entries.map(([key, bytes]) => [key, bytes]))
  await clear()
  for (const [key, bytes] of kept) {
    await env.BUCKET.put(key, bytes)
  }
})

async function clear(): Promise<void> {
  const { objects } = await env.BUCKET.list()
  await env.BUCKET.delete(objects.map(({ key }) => key))
}

const verify = (now = new Date()) =>
  verifyBucket({ bucket: env.BUCKET, env, databases: ['DB'], now })

/** What is said about an object that is deleted, cut, or empty. The walk of the ledger verifies its entries. */
const SAID: Record<
  string,
  { deleted?: ObjectFault; cut?: ObjectFault; empty?: ObjectFault; flipped?: ObjectFault }
> = {
  'ledger/entries/': {},
  // Its key says everything.
  'ledger/skipped/': {},
  'ledger/removals/': { deleted: 'missing', cut: 'damaged', empty: 'damaged', flipped: 'damaged' },
  // A key is named by an entry of the ledger, whose walk misses it.
  'ledger/keys/': { cut: 'damaged', empty: 'damaged', flipped: 'damaged' },
  // The database has a copy, and the next use of the secret puts it back.
  'ledger/secrets/': { cut: 'damaged', empty: 'damaged' },
  'recordings/': { deleted: 'missing', cut: 'damaged', empty: 'damaged', flipped: 'damaged' },
  // No row names an object that waits, and another copy of its message may process it at any time.
  'capture/': { cut: 'damaged', empty: 'damaged' },
  'queued/': { cut: 'damaged', empty: 'damaged' },
  'dead/': { deleted: 'missing', cut: 'damaged', empty: 'damaged' },
  'salts/': { cut: 'damaged', empty: 'damaged' },
  'access-log/': { cut: 'damaged', empty: 'damaged', flipped: 'damaged' },
  'marks/': { cut: 'damaged', empty: 'damaged' },
  'sweeps/': { cut: 'damaged', empty: 'damaged' }
}

const WAYS: Record<string, (bytes: Uint8Array) => Uint8Array | undefined> = {
  deleted: () => undefined,
  cut: (bytes) => bytes.slice(0, -1),
  empty: () => new Uint8Array(),
  flipped: (bytes) => bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte))
}

it('nothing is wrong with objects of all kinds', async () => {
  expect(Object.keys(keys).sort()).toEqual(Object.keys(OBJECT_KINDS).sort())
  expect(Object.keys(SAID).sort()).toEqual(Object.keys(OBJECT_KINDS).sort())

  expect(await verify()).toEqual({
    objects: kept.length,
    unnamed: 0,
    first_unnamed: [],
    wrong: 0,
    first_wrong: []
  })
})

describe('an object is named if it is', () => {
  const cases = Object.entries(SAID).flatMap(([prefix, faults]) =>
    Object.entries(faults).map(([way, fault]) => [way, prefix, fault] as const)
  )

  it.each(cases)('%s: %s', async (way, prefix, fault) => {
    const key = keys[prefix] ?? ''
    const bytes = (await readChecked(env.BUCKET, key))?.bytes ?? new Uint8Array()
    const damaged = WAYS[way]?.(bytes)
    await (damaged ? env.BUCKET.put(key, damaged) : env.BUCKET.delete(key))

    expect(await verify()).toMatchObject({ wrong: 1, first_wrong: [{ key, fault }] })
  })

  it('replaced by another part of the recording, of another size', async () => {
    const other = await readChecked(env.BUCKET, objectOf(stage.project.id, 'session', OTHER_PART))
    await env.BUCKET.put(keys['recordings/'] ?? '', other?.bytes ?? '')

    const key = prefixOf(stage.project.id, 'session')
    expect(await verify()).toMatchObject({ wrong: 1, first_wrong: [{ key, fault: 'wrong size' }] })
  })
})

it('the stored size of a recording differs', async () => {
  const isIts = eq(recordings.projectId, stage.project.id)
  await db
    .update(recordings)
    .set({ bytes: sql`${recordings.bytes} + 1` })
    .where(isIts)

  expect(await verify()).toMatchObject({
    wrong: 1,
    first_wrong: [{ key: prefixOf(stage.project.id, 'session'), fault: 'wrong size' }]
  })
  await db
    .update(recordings)
    .set({ bytes: sql`${recordings.bytes} - 1` })
    .where(isIts)
})

it('counts the objects that nothing names; parts of recordings once no queue can hold their message', async () => {
  const unnamed = [
    'else/what',
    'dead/unknown.json',
    `${LISTS_PREFIX}${stage.project.id}/unknown.json`,
    `${LISTS_PREFIX}999999/unknown.json`,
    objectOf(stage.project.id, 'session', REMOVAL),
    objectOf(stage.project.id, 'unknown', PART)
  ]
  for (const key of unnamed) {
    await env.BUCKET.put(key, JSON.stringify({ error: '', attempts: 1, dead: null }))
  }
  const young = await verify()
  expect([young.wrong, young.unnamed]).toEqual([0, 4])

  const { wrong, first_unnamed } = await verify(new Date(Date.now() + 16 * DAY))

  expect(wrong).toBe(0)
  expect(first_unnamed.sort()).toEqual(unnamed.sort())
})

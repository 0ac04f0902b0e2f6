import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../scripts/local.ts'
import { openLocal } from '../../../scripts/local.ts'
import { GENESIS, keyOf } from '../../../src/ledger/entry.ts'
import { Ledger } from '../../../src/ledger/ledger.ts'
import { noteApplied, readState } from '../../../src/ledger/store.ts'
import { readObject } from '../../../src/queues/waiting-objects.ts'
import { newStateDir } from '../../support/processes.ts'
import { runAdmin } from '../../support/service.ts'

const UUID = '01a1fc87-0000-7000-8000-000000000001'
const stateDir = newStateDir()

let service: Service

/** Runs a command. @returns its answer, and the exit status of the process */
async function run(...words: string[]) {
  const open = async () => ({ ...service, close: async () => {} })
  const { code, stdout, stderr } = await runAdmin([...words, '--json'], open)
  const status = code || Number(process.exitCode ?? 0)
  process.exitCode = 0
  return { status, answer: stdout && JSON.parse(stdout), stderr }
}

const verify = () => run('counts', 'verify')

beforeAll(async () => {
  service = await openLocal(stateDir)
  await run('user', 'create', '--first-name', 'Ada', '--email', 'ada@example.com')
  await run('project', 'create', '--name', 'Shop')
  const ledger = new Ledger(await service.bucket(), GENESIS)
  for (const project of [1, 2, 3]) {
    await ledger.append({ kind: 'note', project }, 1)
  }
  await run('ledger', 'replay')
})
afterAll(() => service.close())

it('an applied entry that is changed is named by npm run verify and npm run replay, until it is given up', async () => {
  const intact = { entries: 3, fault: null }
  expect(await verify()).toMatchObject({
    status: 0,
    answer: { ledger: intact, bucket: { unnamed: 0, wrong: 0 } }
  })
  expect(await run('ledger', 'replay')).toMatchObject({ status: 0, answer: { ledger: intact } })
  const bucket = await service.bucket()
  const text = (await (await bucket.get(keyOf(2)))?.text()) ?? ''
  await bucket.put(keyOf(2), text.replace('note', 'nota'))

  const damaged = {
    status: 1,
    answer: { ledger: { entries: 1, fault: 'Entry 2 of the ledger is damaged or forged.' } }
  }
  expect(await verify()).toMatchObject(damaged)
  expect(await run('ledger', 'replay')).toMatchObject(damaged)
  expect(await run('ledger', 'replay', '--skip', '3')).toMatchObject({
    status: 1,
    stderr: '--skip: must be the number of an entry that is missing or damaged'
  })

  const skipped = await run('ledger', 'replay', '--skip', '2')

  expect(skipped).toMatchObject({ status: 0, answer: { ledger: { fault: null } } })
  expect(await verify()).toMatchObject({ status: 0, answer: { ledger: { fault: null } } })
  expect(await run('ledger', 'export')).toMatchObject({
    status: 0,
    answer: { links: [{ seq: 1 }, { seq: 3 }], keys: [], given_up: [2] }
  })
})

it('npm run verify names the last entry that a database has applied if it is missing', async () => {
  const bucket = await service.bucket()
  const last = await new Ledger(bucket, GENESIS).append({ kind: 'note', project: 4 }, 1)
  await noteApplied(service.db, last)
  const text = (await (await bucket.get(keyOf(last.seq)))?.text()) ?? ''
  await bucket.delete(keyOf(last.seq))

  expect(await verify()).toMatchObject({
    status: 1,
    answer: { ledger: { fault: `Entry ${last.seq} of the ledger is missing.` } }
  })

  await bucket.put(keyOf(last.seq), text)
  expect(await verify()).toMatchObject({ status: 0, answer: { ledger: { fault: null } } })
})

it('a missing last entry that a database has applied is given up', async () => {
  const bucket = await service.bucket()
  const append = (project: number) =>
    new Ledger(bucket, GENESIS).append({ kind: 'note', project }, 1)
  const last = await append(5)
  await noteApplied(service.db, last)
  await bucket.delete(keyOf(last.seq))
  expect((await run('ledger', 'replay')).stderr).toContain(`Entry ${last.seq} of the ledger`)

  expect(await run('ledger', 'replay', '--skip', String(last.seq))).toMatchObject({
    status: 0,
    answer: { ledger: { fault: null } }
  })
  expect(await run('ledger', 'replay')).toMatchObject({ status: 0 })
})

it('an entry whose link is damaged when it is applied is named by the replay, and can be skipped', async () => {
  const bucket = await service.bucket()
  const { head } = await readState(service.db)
  const ledger = new Ledger(bucket, head)
  const { seq } = await ledger.append({ kind: 'note', project: 6 }, 1)
  const entry = JSON.parse((await (await bucket.get(keyOf(seq)))?.text()) ?? '')
  await ledger.append({ kind: 'note', project: 7 }, 1)
  await ledger.append({ kind: 'note', project: 7 }, 1)
  await bucket.put(keyOf(seq), JSON.stringify({ ...entry, link: { ...entry.link, at: 2 } }))

  const named = `Entry ${seq} of the ledger is damaged: entry ${seq + 1} does not follow entry ${seq}.`
  expect(await run('ledger', 'replay')).toMatchObject({ status: 1, stderr: named })
  expect((await readState(service.db)).head.seq).toBe(seq)

  expect(await run('ledger', 'replay', '--skip', String(seq))).toMatchObject({
    status: 0,
    answer: { ledger: { fault: null } }
  })
  expect((await readState(service.db)).head.seq).toBe(seq + 2)
})

it('of the last two entries, both are named if nothing tells which link is damaged', async () => {
  const bucket = await service.bucket()
  const { head } = await readState(service.db)
  const ledger = new Ledger(bucket, head)
  const { seq } = await ledger.append({ kind: 'note', project: 8 }, 1)
  await ledger.append({ kind: 'note', project: 9 }, 1)
  const entry = JSON.parse((await (await bucket.get(keyOf(seq)))?.text()) ?? '')
  await bucket.put(keyOf(seq), JSON.stringify({ ...entry, link: { ...entry.link, at: 2 } }))

  expect(await run('ledger', 'replay')).toMatchObject({
    status: 1,
    stderr: `Entry ${seq} or entry ${seq + 1} of the ledger is damaged: entry ${seq + 1} does not follow entry ${seq}.`
  })
  expect(await run('ledger', 'replay', '--skip', String(seq))).toMatchObject({ status: 0 })
  expect((await readState(service.db)).head.seq).toBe(seq + 1)
})

it('a byte of a waiting request that differs on the disk is noticed, and the request is not read', async () => {
  const bucket = await service.bucket()
  const key = 'capture/1/2026-11-22T05:00:00.000Z/y.json'
  const event = { event: 'paid-once', distinct_id: 'ada', timestamp: 1, properties: {} }
  const request = { project_id: 1, received_at: 1, events: [{ ...event, uuid: UUID, place: 0 }] }
  await bucket.put(key, JSON.stringify(request))
  expect((await verify()).answer.bucket).toMatchObject({ wrong: 0 })
  const blobs = readdirSync(join(stateDir, 'v3/r2'), { recursive: true, encoding: 'utf8' })
    .map((file) => join(stateDir, 'v3/r2', file))
    .filter((file) => file.includes('/blobs/') && readFileSync(file).includes('paid-once'))
  expect(blobs).toHaveLength(1)
  for (const blob of blobs) {
    writeFileSync(blob, readFileSync(blob, 'utf8').replace('paid-once', 'paid-oncf'))
  }

  await expect(readObject(bucket, key)).rejects.toThrow(
    `The object ${key} in the bucket is damaged`
  )
  const { status, answer } = await verify()

  expect(status).toBe(1)
  expect(answer.bucket).toMatchObject({ wrong: 1, first_wrong: [{ key, fault: 'damaged' }] })
  await bucket.delete(key)
})

it('a damaged object makes npm run verify fail, and names the object', async () => {
  const bucket = await service.bucket()
  await bucket.put('capture/1/2026-11-22T05:00:00.000Z/x.json', '{"project_id":1')
  await bucket.put('else/what', '')

  const { status, answer } = await verify()

  expect(status).toBe(1)
  expect(answer.bucket).toMatchObject({
    unnamed: 1,
    first_unnamed: ['else/what'],
    wrong: 1,
    first_wrong: [{ key: 'capture/1/2026-11-22T05:00:00.000Z/x.json', fault: 'damaged' }]
  })
})

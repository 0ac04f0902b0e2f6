import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, globSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { v7 as uuidv7 } from 'uuid'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { fireCron } from '../../../scripts/control.ts'
import { isSignedBy } from '../../../src/erasures/receipts/check.ts'
import { WEEKLY } from '../../../src/jobs/cron.ts'
import { share } from '../../support/depth.ts'
import {
  launchService,
  newStateDir,
  openDatabase,
  readRows,
  runScript
} from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const Persons = z.object({
  count: z.int().optional(),
  results: z.array(z.object({ uuid: z.guid(), distinct_ids: z.array(z.string()) }))
})
const Recordings = z.object({ results: z.array(z.object({ id: z.string() })) })
const Tasks = z.object({
  results: z.array(z.object({ person_uuid: z.guid(), receipt: z.looseObject({ id: z.int() }) }))
})

const Ledger = z.object({
  links: z.array(z.looseObject({})),
  keys: z.array(z.looseObject({ x: z.string() }))
})

const Subject = z.object({
  subject: z.object({ salt: z.string(), distinct_ids: z.array(z.string()) })
})

const Suppressions = z.object({
  results: z.array(z.object({ events_dropped: z.int() }))
})

const Token = z.object({ token: z.string() })
const Events = z.object({ results: z.array(z.object({ id: z.string() })) })
const Deletions = z.object({
  results: z.array(z.object({ id: z.string(), status: z.string() }))
})
const Removals = z.object({ results: z.array(z.object({ receipt: z.looseObject({}) })) })

const Ready = z.object({ ledger: z.string() })

/** Numbers of persons: all, those with events and a recording, and how many of these are erased. */
const [ALL, ACTIVE, ERASED] = share === 1 ? [10_000, 60, 50] : [1_000, 16, 10]

/** Number of persons who are suppressed, in addition to those who are erased. */
const SUPPRESSED = 5

it('a restored database erases the persons in the ledger again before it answers', async () => {
  const stateDir = newStateDir()
  const copy = newStateDir()
  const databases = join(stateDir, 'v3/d1')
  const zeroth = await start(stateDir)
  await zeroth.capture(ACTIVE)
  await zeroth.stop()
  addPersons(stateDir, zeroth.projectId, ALL - ACTIVE)
  cpSync(databases, copy, { recursive: true })

  const first = await start(stateDir)
  expect(Persons.parse(await first.read('persons/')).count).toBe(ALL)
  const erased = Array.from({ length: ERASED }, (_, i) => `user-${i}`)
  await first.send('persons/bulk_delete/', {
    distinct_ids: erased,
    delete_events: true,
    delete_recordings: true
  })
  const visitor = `user-${ERASED + SUPPRESSED}`
  await first.removeEventsOf(visitor)
  const before = await first.complete(ERASED)
  expect(await first.eventsOf(visitor)).toEqual([])
  const uuids = before.map((task) => task.person_uuid).sort()
  const suppressed = Array.from({ length: SUPPRESSED }, (_, i) => `user-${ERASED + i}`)
  await first.send('persons/suppressions/', { distinct_ids: suppressed })
  await first.stop()

  rmSync(databases, { recursive: true })
  cpSync(copy, databases, { recursive: true })
  const countBack = () =>
    readRows(
      stateDir,
      `select count(*) as count from persons where uuid in (${uuids.map((uuid) => `'${uuid}'`)})`
    )
  expect(countBack()).toEqual([{ count: ERASED }])

  const second = await start(stateDir)
  expect(await second.eventsOf(visitor)).toEqual([])
  expect(Persons.parse(await second.read('persons/')).count).toBe(ALL - ERASED)
  for (const uuid of uuids) {
    expect(await second.statusOf(`persons/${uuid}/`)).toBe(404)
  }
  for (const id of erased) {
    expect(Persons.parse(await second.read(`persons/?distinct_id=${id}`)).results).toEqual([])
  }
  const recordings = Recordings.parse(await second.read('session_recordings/?limit=100')).results
  expect(recordings.map(({ id }) => id).sort()).toEqual(
    Array.from({ length: ACTIVE - ERASED }, (_, i) => `session-${ERASED + i}`)
  )
  await second.seen([...suppressed, 'newcomer'])
  for (const id of suppressed) {
    const { results } = Suppressions.parse(
      await second.read(`persons/suppressions/?distinct_id=${id}`)
    )
    expect(results.map(({ events_dropped }) => events_dropped)).toEqual([1])
  }
  const after = await second.complete(ERASED)
  const removals = await second.removals()
  expect(after.map((task) => task.person_uuid).sort()).toEqual(uuids)
  const ids = [...before, ...after].map(({ receipt }) => receipt.id)
  expect(new Set(ids).size).toBe(2 * ERASED)
  expect(await second.ready()).toMatchObject({ status: 200, ledger: 'ok' })
  await second.stop()

  const env = { STATE_DIR: stateDir }
  expect((await runScript('verify', [], env)).code).toBe(0)
  const { code, stdout } = await runScript('ledger', ['--json'], env)
  expect(code).toBe(0)
  const ledger = Ledger.parse(JSON.parse(stdout))
  // The key, the three requests, and two receipts each for the deletion of events and for every erased person.
  expect(ledger.links).toHaveLength(4 + 2 * (ERASED + 1))
  for (const { receipt } of [...before, ...after, ...removals]) {
    expect(await isSignedBy(receipt, ledger.keys[0]?.x ?? '')).toBe(true)
  }
  const receipt = after[0]?.receipt
  expect(verify({ receipt, ledger }, idOf(receipt, erased))).toMatch(/^Genuine: .* It is entry /)
})

it('a deletion of events with a damaged list does not stop others, and can be skipped', async () => {
  const stateDir = newStateDir()
  const env = { STATE_DIR: stateDir }
  const service = await start(stateDir)
  await service.capture(2)
  await service.removeEventsOf('user-0')
  await service.removeEventsOf('user-1')
  const list = async () => Deletions.parse(await service.read('events/deletions/')).results
  const [whole, lost] = (await list()).map(({ id }) => id)
  damageList(stateDir, lost ?? '')

  const purged = await runScript('purge:now', [], env)

  expect(purged.code).toBe(1)
  expect(purged.stderr).toContain(`${lost}.json in the bucket, is damaged.`)
  expect(purged.stderr).not.toMatch(/^ {4}at /m)
  expect((await list()).map(({ status }) => status)).toEqual(['completed', 'running'])
  const skip = (id = '') => runScript('replay', ['--skip-deletion', id], env)
  expect((await skip(whole)).code).toBe(1)
  expect((await skip(lost)).code).toBe(0)
  expect((await list()).map(({ status }) => status)).toEqual(['completed', 'failed'])
})

/** Overwrites the list of a deletion of events, in the bucket of a state folder. */
function damageList(stateDir: string, id: string): void {
  const bucket = join(stateDir, 'v3/r2')
  const [file = ''] = globSync('miniflare-R2BucketObject/*.sqlite', {
    cwd: bucket,
    exclude: (name) => name.endsWith('metadata.sqlite')
  })
  const database = new DatabaseSync(join(bucket, file), { readOnly: true })
  const row = database
    .prepare('select blob_id from _mf_objects where key like ?')
    .get(`ledger/removals/%/${id}.json`)
  database.close()
  const [blob = ''] = globSync(`*/blobs/${row?.blob_id}`, { cwd: bucket })
  const path = join(bucket, blob)
  writeFileSync(path, 'x'.repeat(statSync(path).size))
}

/** Returns which of the distinct ids a receipt is about. */
function idOf(receipt: object | undefined, ids: string[]): string {
  const { salt, distinct_ids: hashes } = Subject.parse(receipt).subject
  const hash = (id: string) => createHash('sha256').update(`${salt}${id}`).digest('hex')
  return ids.find((id) => hashes.includes(hash(id))) ?? 'nobody'
}

/** Verifies a receipt with the script and the files alone. @returns what is printed */
function verify(files: Record<string, unknown>, id: string): string {
  const folder = newStateDir()
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, `${name}.json`)
    writeFileSync(path, JSON.stringify(content))
    return path
  })
  const script = join(import.meta.dirname, '../../../scripts/verify-receipt.mjs')
  return execFileSync(process.execPath, [script, ...paths, '--id', id], { encoding: 'utf8' })
}

/** Adds persons with a distinct id each to a stopped service, as the consumer would store them. */
function addPersons(stateDir: string, projectId: number, count: number): void {
  const database = openDatabase(stateDir)
  try {
    database.exec('begin')
    const person = database.prepare(`insert into persons
      (id, project_id, uuid, created_at, is_identified, properties, writes, search, version, versions, copy_credit, revision)
      select max(id) + 1, ?, ?, ?, 1, '{}', '{"stamps":[],"keys":{}}', '', 0, 0, 65536, 0 from persons`)
    const identity =
      database.prepare(`insert into distinct_ids (key, project_id, distinct_id, person_id)
      select max(key) + 1, ?, ?, (select max(id) from persons) from distinct_ids`)
    for (let i = 0; i < count; i++) {
      person.run(projectId, uuidv7(), Date.now())
      identity.run(projectId, `other-${i}`)
    }
    database
      .prepare(`update counters set value = value + ? where project_id = ? and name = 'persons'`)
      .run(count, projectId)
    database
      .prepare(`update sequences set value = value + ? where name in ('person', 'identity')`)
      .run(2 * count)
    database.exec('commit')
  } finally {
    database.close()
  }
}

/** Starts the service on a state folder. */
async function start(stateDir: string) {
  const { ready, stop } = launchService(stateDir)
  onTestFinished(async () => void (await stop('SIGTERM')))
  const { url, projectId, token, key } = await ready
  const ask = (path: string, body?: object) =>
    fetch(`${url}/api/projects/${projectId}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) })
    })
  const read = async (path: string): Promise<unknown> => (await ask(path)).json()
  const post = async (path: string, body: object) => {
    const { status } = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    expect(status).toBe(200)
  }
  return {
    projectId,
    read,
    send: async (path: string, body: object): Promise<unknown> => (await ask(path, body)).json(),
    statusOf: async (path: string) => (await ask(path)).status,
    stop: () => stop('SIGTERM'),
    async ready() {
      const answer = await fetch(`${url}/readyz`)
      return { status: answer.status, ...Ready.parse(await answer.json()) }
    },
    /** Captures persons with two ids, three events and a recording each, and waits until all are stored. */
    async capture(count: number) {
      const users = Array.from({ length: count }, (_, i) => i)
      const batch = users.flatMap((i) => {
        const distinct_id = `user-${i}`
        const properties = { $anon_distinct_id: `anon-${i}`, $set: { name: `User ${i}` } }
        return [
          { event: '$pageview', distinct_id: `anon-${i}` },
          { event: '$identify', distinct_id, properties },
          { event: '$pageview', distinct_id }
        ]
      })
      await post('/batch/', { api_key: token, batch })
      const at = Date.now()
      const snapshots = users.map((i) => ({
        uuid: uuidv7(),
        event: '$snapshot',
        properties: {
          token,
          distinct_id: `user-${i}`,
          $session_id: `session-${i}`,
          $window_id: 'window',
          $snapshot_data: [{ type: 4, timestamp: at, data: { href: '/', width: 8, height: 6 } }]
        }
      }))
      await post('/s/', snapshots)
      const isStored = async (path: string) =>
        z.object({ results: z.array(z.unknown()) }).parse(await read(path)).results.length === count
      await until(() => isStored('session_recordings/?limit=100'))
      await until(() => isStored('persons/?limit=100&search=User'))
    },
    /** Captures an event of each of these visitors, and waits until the last one is a person. */
    async seen(ids: string[]) {
      const batch = ids.map((distinct_id) => ({ event: 'seen', distinct_id }))
      await post('/batch/', { api_key: token, batch })
      await until(async () => {
        const found = Persons.parse(await read(`persons/?distinct_id=${ids.at(-1)}`))
        return found.results.length === 1
      })
    },
    /** Requests the deletion of the events with a distinct id, which the next weekly run carries out. */
    async removeEventsOf(distinct_id: string) {
      const dryRun = await ask('events/delete/', { distinct_id, dry_run: true })
      const { token } = Token.parse(await dryRun.json())
      expect((await ask('events/delete/', { distinct_id, token })).status).toBe(201)
    },
    async eventsOf(distinctId: string) {
      return Events.parse(await read(`events/?distinct_id=${distinctId}`)).results
    },
    /** Returns the deletions of events once all are completed. */
    async removals() {
      const list = async () => Removals.safeParse(await read('events/deletions/')).data?.results
      await until(async () => (await list()) !== undefined)
      return (await list()) ?? []
    },
    /** Starts the weekly run, and returns the tasks once `count` of them are completed. */
    async complete(count: number) {
      await fireCron(stateDir, WEEKLY)
      const tasks = async () =>
        Tasks.safeParse(await read('persons/deletion_status/?status=completed&limit=100')).data
          ?.results ?? []
      await until(async () => (await tasks()).length === count)
      return tasks()
    }
  }
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import { expect, inject, it } from 'vitest'
import { z } from 'zod'
import { fireCron } from '../../../scripts/control.ts'
import { EVERY_MINUTE, WEEKLY } from '../../../src/jobs/cron.ts'
import { isGzip } from '../../support/browser.ts'
import { type LocalService, openDatabase, readRows, runScript } from '../../support/processes.ts'
import { administer, newProject } from '../../support/service.ts'
import { until } from '../../support/until.ts'

type Person = { id: number; uuid: string }
const Counts = z.array(z.object({ uuid: z.string(), events: z.int() }))

type Task = { status: string; person_uuid: string; events: { removed: number }; receipt: object }

async function api<Body>(
  service: Pick<LocalService, 'url' | 'projectId' | 'key'>,
  method: string,
  path: string,
  body?: object
): Promise<{ status: number; body: Body }> {
  const { url, projectId, key } = service
  const response = await fetch(`${url}/api/environments/${projectId}/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text || 'null') as Body }
}

/** Counts the events of each person of a project, and those without a person, straight from the database. */
function countEvents(stateDir: string, projectId: number) {
  const rows = readRows(
    stateDir,
    `select coalesce(p.uuid, 'nobody') as uuid, count(*) as events from events e
     left join distinct_ids d on d.key = e.identity left join persons p on p.id = d.person_id
     where e.project_id = ${projectId} group by 1`
  )
  return new Map(Counts.parse(rows).map(({ uuid, events }) => [uuid, events]))
}

const sum = (counts: Iterable<number>): number =>
  [...counts].reduce((total, count) => total + count, 0)

/** Unpacks a gzipped file, as far as it is written yet. */
const unpack = (content: Buffer) => gunzipSync(content, { finishFlush: constants.Z_SYNC_FLUSH })

/**
 * Copies the files of a running service. Another process does so: when a process closes a file, it loses its locks on it, so reading
 * a database's file here would let the service discard what this worker's connection writes to the database from then on.
 */
function copyOf(stateDir: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'edge-analytics-copy-'))
  const { status, stderr } = spawnSync('cp', ['-r', `${stateDir}/.`, copy], { encoding: 'utf8' })
  // A file may go while its folder is copied.
  const others = stderr.split('\n').filter((line) => line && !line.includes('No such file'))
  expect([others, status === null]).toEqual([[], false])
  return copy
}

/** Lists the files of a service that contain a text, in UTF-8 or in UTF-16. Gzipped files are unpacked first. */
function filesWith(stateDir: string, text: string): { name: string; isGzipped: boolean }[] {
  const spellings = [Buffer.from(text), Buffer.from(text, 'utf16le')]
  const folder = copyOf(stateDir)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .flatMap((name) => {
      const path = join(folder, name)
      if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
        return []
      }
      const file = readFileSync(path)
      const isGzipped = isGzip(file)
      const content = isGzipped ? unpack(file) : file
      const isFound = spellings.some((spelling) => content.includes(spelling))
      return isFound ? [{ name, isGzipped }] : []
    })
}

// Both tests are in one file, so that they never run at the same time: a purge takes the deletions of all projects.

it('the weekly run erases ten persons and exactly their events, and npm run purge:now an eleventh', async () => {
  const service = inject('service')
  const { stateDir, projectId } = service
  const env = { STATE_DIR: stateDir, PORT: new URL(service.url).port }
  const demo = await runScript(
    'demo',
    ['--persons', '40', '--days', '7', '--anchor', '2026-11-01'],
    env
  )
  expect(demo.code).toBe(0)
  const before = countEvents(stateDir, projectId)
  const { results } = (await api<{ results: Person[] }>(service, 'GET', 'persons/?limit=11')).body
  const erased = results.slice(0, 10)

  for (const { id } of erased) {
    expect((await api(service, 'DELETE', `persons/${id}/?delete_events=true`)).status).toBe(204)
  }
  await fireCron(stateDir, WEEKLY)
  const tasks = async (): Promise<Task[]> =>
    (await api<{ results: Task[] }>(service, 'GET', 'persons/deletion_status/?status=completed'))
      .body.results
  await until(async () => (await tasks()).length === 10)

  const theirs = erased.map(({ uuid }) => before.get(uuid) ?? 0)
  expect(sum(theirs)).toBeGreaterThan(20)
  const removed = (await tasks()).map(({ person_uuid, events }) => [person_uuid, events.removed])
  expect(removed.sort()).toEqual(erased.map(({ uuid }, i) => [uuid, theirs[i]]).sort())
  for (const { receipt } of await tasks()) {
    expect(
      (await api(service, 'POST', 'persons/deletion_receipts/verify/', receipt)).body
    ).toMatchObject({
      valid: true
    })
  }
  const after = countEvents(stateDir, projectId)
  expect(sum(before.values()) - sum(after.values())).toBe(sum(theirs))
  expect(erased.some(({ uuid }) => after.has(uuid))).toBe(false)

  await api(service, 'DELETE', `persons/${results[10]?.uuid}/?delete_events=true`)
  const { code, stdout } = await runScript('purge:now', ['--json'], env)
  expect({ code, answer: JSON.parse(stdout) }).toEqual({
    code: 0,
    answer: {
      runs: [{ database: 'DB', tasks: 1, resumed: 0, completed: 1 }]
    }
  })
  await until(async () => (await tasks()).length === 11)
})

it('no file contains the distinct id of an erased person, neither as plain text nor gzipped', async () => {
  const { stateDir } = inject('service')
  const { url, projectId, token } = await newProject()
  const scope = ['--label', 'officer', '--scopes', '*', '--project', String(projectId)]
  const { key } = await administer(stateDir, 'key', 'create', ...scope)
  const name = `marie-${crypto.randomUUID()}`
  // Not searched for: the id of a deleted recording is kept, so that parts of it that arrive later are refused.
  const session = crypto.randomUUID()
  const call = async (path: string, method = 'GET', body?: object) =>
    fetch(`${url}/api/projects/${projectId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) })
    })
  const send = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body)
    })
    expect(response.status).toBe(200)
  }
  await send('/batch/', {
    api_key: token,
    batch: Array.from({ length: 300 }, (_, n) => ({
      event: 'viewed page',
      distinct_id: name,
      properties: {
        $current_url: `https://shop.example/orders/${name}/${n}`,
        $session_id: session,
        customer: name,
        $set: { email: `${name}@example.com`, orders: n }
      }
    }))
  })
  await send('/s/', {
    event: '$snapshot',
    properties: {
      token,
      distinct_id: name,
      $session_id: session,
      $window_id: name,
      $snapshot_data: [
        { type: 4, timestamp: Date.now(), data: { href: `https://shop.example/${name}` } }
      ]
    }
  })
  /** Has an e-mail sent with the events of today by the values of a property. */
  const mailAbout = async (property: string) => {
    const filters = {
      events: [{ id: 'viewed page' }],
      date_from: 'dStart',
      breakdown: property,
      breakdown_type: 'event'
    }
    const insight = await (await call('insights/', 'POST', { name: 'Customers', filters })).json()
    const subscription = await call('subscriptions/', 'POST', {
      insight: (insight as { id: number }).id,
      target_type: 'email',
      target_value: 'officer@example.com',
      frequency: 'daily',
      start_date: '2100-01-01T08:00:00Z'
    })
    const { id } = (await subscription.json()) as { id: number }
    const database = openDatabase(stateDir)
    database
      .prepare('update subscriptions set next_delivery_date = ? where id = ?')
      .run(Date.now(), id)
    database.close()
    await fireCron(stateDir, EVERY_MINUTE)
  }
  await until(async () => (await call(`session_recordings/${session}/`)).status === 200)
  const persons = async () =>
    ((await (await call(`persons/?distinct_id=${name}`)).json()) as { results: { id: number }[] })
      .results
  await until(async () => (await persons()).length === 1)
  await mailAbout('customer')
  await until(() => filesWith(stateDir, name).some((file) => file.name.startsWith('tmp/')))
  // The parts of a recording are gzipped, everything else is plain text.
  const found = filesWith(stateDir, name).map(({ isGzipped }) => isGzipped)
  expect(new Set(found)).toEqual(new Set([true, false]))

  const [person] = await persons()
  const erased = await call(
    `persons/${person?.id}/?delete_events=true&delete_recordings=true`,
    'DELETE'
  )
  expect(erased.status).toBe(204)
  const env = { STATE_DIR: stateDir, PORT: new URL(url).port }
  // Does not check stderr: the simulator reports there that a database was busy, although the command tries again.
  expect(await runScript('purge:now', [], env)).toMatchObject({ code: 0 })

  expect(filesWith(stateDir, name)).toEqual([])
})

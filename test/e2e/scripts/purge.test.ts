import { expect, it, onTestFinished, vi } from 'vitest'
import { openLocal } from '../../../scripts/local.ts'
import { newUsage, openDb } from '../../../src/db/client.ts'
import { settleFingerprint } from '../../../src/ledger/fingerprint.ts'
import { fingerprintOf } from '../../../src/ledger/secret.ts'
import { aroundCalls } from '../../support/faults.ts'
import { newStateDir } from '../../support/processes.ts'
import { runAdmin } from '../../support/service.ts'

/**
 * Returns a function that says for each call whether the database is busy: after one call for ten calls, which makes the
 * database client give up, then after two calls, and so on.
 */
function newBusyTimes() {
  let free = 1
  let call = 0
  return () => {
    call += 1
    const isBusy = call > free
    if (call === free + 10) {
      free += 1
      call = 0
    }
    return isBusy
  }
}

const SECRETS = {
  RECEIPT_KEY: 'a key of the tests, which is long enough',
  RECEIPT_SECRET: 'a secret of the tests, long enough'
}

/** Creates a service with a project. Returns a function that runs a command on it, with some members replaced. */
async function newService() {
  const local = await openLocal(newStateDir())
  onTestFinished(() => local.close())
  const close = async () => {}
  const run = (words: string[], more: Partial<typeof local> = {}) =>
    runAdmin(words, async () => ({ ...local, secrets: SECRETS, close, ...more }))
  await run(['user', 'create', '--first-name', 'Ada', '--email', 'ada@example.com'])
  await run(['project', 'create', '--name', 'Shop'])
  return { local, run }
}

/** Creates a service with a project and three erasures. */
async function openErasures() {
  const { local, run } = await newService()

  // `a` waits for its run, `b` was cut off in an earlier run, and `c` keeps the events and was cut off before its purge.
  await local.env.DB.prepare(
    `insert into erasures (project_id, person_id, person_uuid, requested_at, requested_by, delete_events, status, run,
                           progress_at)
     values (1, 1, 'a', 1, '{}', true, 'queued', null, 1), (1, 2, 'b', 1, '{}', true, 'running', 2, 1),
            (1, 3, 'c', 1, '{}', false, 'queued', null, 1)`
  ).run()
  return { local, run }
}

const COMPLETED = { runs: [{ database: 'DB', tasks: 1, resumed: 2, completed: 3 }] }

it('counts each erasure once, however often the database is busy', async () => {
  const { local, run } = await openErasures()
  const isBusy = newBusyTimes()
  const DB = aroundCalls(local.env.DB, async (call) => {
    if (isBusy()) {
      throw new Error('D1_ERROR: database is locked: SQLITE_BUSY')
    }
    return call()
  })

  const { stdout, stderr } = await run(['purge', 'now', '--json'], { env: { ...local.env, DB } })

  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(COMPLETED)
})

it('repeats what a broken connection has interrupted', async () => {
  const { local, run } = await openErasures()
  const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
  let listings = 0
  const bucket = async () => {
    const opened = await local.bucket()
    const list: typeof opened.list = async (options) => {
      listings += 1
      if (listings <= 2) {
        throw new TypeError('fetch failed', { cause })
      }
      return opened.list(options)
    }
    return { ...opened, list }
  }

  const { stdout, stderr } = await run(['purge', 'now', '--json'], { bucket })

  expect(stderr).toBe('')
  expect(listings).toBeGreaterThan(2)
  expect(JSON.parse(stdout)).toEqual(COMPLETED)
})

it('says in a sentence and in the tasks that the secret is not the one of the deployment', async () => {
  const { local, run } = await openErasures()
  const { db } = openDb(local.env.DB, newUsage())
  await settleFingerprint(await local.bucket(), db, await fingerprintOf('another secret'))
  await local.env.DB.prepare(
    `insert into event_removals (id, project_id, filters, events, digest, requested_at, requested_by, due_at, progress_at)
     values ('r', 1, '{}', 1, '', 1, '{}', 1, 1)`
  ).run()

  const { code, stderr } = await run(['purge', 'now', '--json'])

  expect([code, stderr]).toEqual([1, expect.stringMatching(/^RECEIPT_SECRET is not the secret/)])
  const { results } = await local.env.DB.prepare(
    'select error from erasures union all select error from event_removals'
  ).all<{ error: string }>()
  expect(results.map(({ error }) => error)).toEqual(Array.from({ length: 4 }, () => stderr))
})

it('is held up neither by an object that cannot be read nor by a task that fails', async () => {
  const { local, run } = await newService()
  const bucket = await local.bucket()
  const object = 'dead/damaged.json'
  await bucket.put('capture/1/2026-11-22T05:00:00.000Z/damaged.json', 'damaged')
  // The first task has no project.
  await local.env.DB.prepare(
    `insert into erasures (project_id, person_id, person_uuid, requested_at, requested_by, delete_events, status, progress_at)
     values (2, 1, ?1, ?3, '{}', true, 'queued', 1), (1, 1, ?2, ?3, '{}', true, 'queued', 1)`
  )
    .bind(crypto.randomUUID(), crypto.randomUUID(), Date.now())
    .run()

  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => {
    printed.mockRestore()
    process.exitCode = undefined
  })

  const { stdout } = await run(['purge', 'now', '--json'])

  expect(printed.mock.calls.join()).toContain('There is no project 2.')
  expect(JSON.parse(stdout)).toEqual({
    runs: [{ database: 'DB', tasks: 2, resumed: 0, completed: 1 }]
  })
  expect(process.exitCode).toBe(1)
  expect(await bucket.head(object)).not.toBeNull()
  const { results } = await local.env.DB.prepare(
    'select receipt from erasures where project_id = 1'
  ).all<{ receipt: string }>()
  expect(results[0]?.receipt).toContain(object)
})

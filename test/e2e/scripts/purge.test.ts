import { expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../../scripts/local.ts'
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

it('counts each erasure once, however often the database is busy', async () => {
  const local = await openLocal(newStateDir())
  onTestFinished(() => local.close())
  const isBusy = newBusyTimes()
  const DB = aroundCalls(local.env.DB, async (run) => {
    if (isBusy()) {
      throw new Error('D1_ERROR: database is locked: SQLITE_BUSY')
    }
    return run()
  })
  const close = async () => {}
  const secrets = {
    RECEIPT_KEY: 'a key of the tests, which is long enough',
    RECEIPT_SECRET: 'a secret of the tests, long enough'
  }
  const run = (words: string[], env: typeof local.env) =>
    runAdmin(words, async () => ({ ...local, env, secrets, close }))
  const user = ['--first-name', 'Ada', '--email', 'ada@example.com']
  await run(['user', 'create', ...user], local.env)
  await run(['project', 'create', '--name', 'Shop'], local.env)

  // `a` waits for its run, `b` was cut off in an earlier run, and `c` keeps the events and was cut off before its purge.
  await local.env.DB.prepare(
    `insert into erasures (project_id, person_id, person_uuid, requested_at, requested_by, delete_events, status, run,
                           progress_at)
     values (1, 1, 'a', 1, '{}', true, 'queued', null, 1), (1, 2, 'b', 1, '{}', true, 'running', 2, 1),
            (1, 3, 'c', 1, '{}', false, 'queued', null, 1)`
  ).run()
  const { stdout, stderr } = await run(['purge', 'now', '--json'], { ...local.env, DB })

  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    runs: [{ database: 'DB', tasks: 1, resumed: 2, completed: 3 }]
  })
})

import { expect, it, onTestFinished } from 'vitest'
import { launchService, newStateDir, openDatabase, runScript } from '../../support/processes.ts'

it('npm run cron says which jobs ran, and which of them failed for what reason', async () => {
  const stateDir = newStateDir()
  const { ready, stop } = launchService(stateDir)
  onTestFinished(async () => void (await stop('SIGTERM')))
  await ready
  const fire = () => runScript('cron', ['30 3 * * *'], { STATE_DIR: stateDir })

  const fine = await fire()

  expect(fine).toMatchObject({ code: 0, stderr: '' })
  expect(fine.stdout).toMatch(
    /^Ran sealing, sweep of deliveries, upkeep of the access log, walk of the ledger, nightly verification, in \d+ ms\.\n$/
  )

  const database = openDatabase(stateDir)
  database.exec(
    `insert into event_names (id, project_id, name) values (1, 1, 'x');
     insert into event_counts (project_id, event_id, slot, count) values (1, 1, 1, 5)`
  )
  database.close()

  const failed = await fire()

  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(/^Ran sealing, /)
  expect(failed.stderr).toMatch(
    /^The job "nightly verification" failed in DB: Error: Wrong event counts: 1; .*\.\n$/
  )
})

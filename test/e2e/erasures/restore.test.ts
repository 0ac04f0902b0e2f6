import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { fireCron } from '../../../scripts/control.ts'
import { launchService, newStateDir, readRows, runScript, until } from '../../support/processes.ts'

const Persons = z.object({
  results: z.array(z.object({ uuid: z.guid(), distinct_ids: z.array(z.string()) }))
})
const Tasks = z.object({
  results: z.array(z.object({ person_uuid: z.guid(), receipt: z.looseObject({ id: z.int() }) }))
})

const Ready = z.object({ ledger: z.string() })

const COUNT = 20

it('a restored database erases again, before it answers, whom the ledger names', async () => {
  const stateDir = newStateDir()
  const copy = newStateDir()
  const databases = join(stateDir, 'v3/d1')
  const empty = await start(stateDir)
  const env = { STATE_DIR: stateDir, PORT: empty.port }
  const demo = await runScript('demo', ['--persons', '200', '--days', '7'], env)
  expect(demo.code).toBe(0)
  await empty.stop()
  cpSync(databases, copy, { recursive: true })

  const first = await start(stateDir)
  const { results: persons } = Persons.parse(await first.read('persons/?limit=100'))
  const erased = persons.slice(0, COUNT)
  const uuids = erased.map(({ uuid }) => uuid).sort()
  await first.send('persons/bulk_delete/', {
    ids: uuids,
    delete_events: true,
    delete_recordings: true
  })
  const before = await first.complete(COUNT)
  await first.stop()

  rmSync(databases, { recursive: true })
  cpSync(copy, databases, { recursive: true })
  const count = () =>
    readRows(
      stateDir,
      `select count(*) as count from persons where uuid in (${uuids.map((uuid) => `'${uuid}'`)})`
    )
  expect(count()).toEqual([{ count: COUNT }])

  const second = await start(stateDir)
  for (const { uuid, distinct_ids: ids } of erased) {
    expect(await second.statusOf(`persons/${uuid}/`)).toBe(404)
    const found = Persons.parse(await second.read(`persons/?distinct_id=${ids[0]}`))
    expect(found.results).toEqual([])
  }
  const after = await second.complete(COUNT)
  for (const task of [...before, ...after]) {
    expect(uuids).toContain(task.person_uuid)
    expect(await second.send('persons/deletion_receipts/verify/', task.receipt)).toMatchObject({
      valid: true
    })
  }
  expect(await second.ready()).toMatchObject({ status: 200, ledger: 'ok' })
  await second.stop()
  expect((await runScript('verify', [], env)).code).toBe(0)
  const { code, stdout } = await runScript('ledger', ['--json'], env)
  expect(code).toBe(0)
  // The request, a receipt for each person, and a receipt for each person erased again.
  expect(JSON.parse(stdout).links).toHaveLength(1 + 2 * COUNT)
}, 300_000)

/** Starts the service on a folder. */
async function start(stateDir: string) {
  const { ready, stop } = launchService(stateDir)
  onTestFinished(async () => void (await stop('SIGTERM')))
  const { url, projectId, key } = await ready
  const ask = (path: string, body?: object) =>
    fetch(`${url}/api/projects/${projectId}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) })
    })
  const read = async (path: string): Promise<unknown> => (await ask(path)).json()
  return {
    port: new URL(url).port,
    read,
    send: async (path: string, body: object): Promise<unknown> => (await ask(path, body)).json(),
    statusOf: async (path: string) => (await ask(path)).status,
    stop: () => stop('SIGTERM'),
    async ready() {
      const answer = await fetch(`${url}/readyz`)
      return { status: answer.status, ...Ready.parse(await answer.json()) }
    },
    /** Runs the weekly batch, and returns the tasks once all are completed. */
    async complete(count: number) {
      await fireCron(stateDir, '0 5 * * SUN')
      const tasks = async () =>
        Tasks.safeParse(await read('persons/deletion_status/?status=completed')).data?.results ?? []
      await until(async () => (await tasks()).length === count, 60_000)
      return tasks()
    }
  }
}

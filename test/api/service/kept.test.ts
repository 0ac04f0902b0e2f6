import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { Health } from '../../../src/service/health/check.ts'
import { failingDatabase } from '../../support/bindings.ts'
import { invoke } from '../../support/platform.ts'
import { BASE } from '../../support/project.ts'

const broken = { DB: failingDatabase('D1_ERROR: Network connection lost.') }

/** An app whose clock stands still at `clock.ms`, and whose isolate has the work `work`. */
function newApp(seconds = '5') {
  const clock = { ms: Date.parse('2026-11-25T12:00:00Z') }
  const work = { consuming: 0, retrying: 0 }
  const app = createApp(
    () => new Date(clock.ms),
    () => work
  )
  const open = (path: string, bindings: Partial<Env> = {}) =>
    invoke({ ...env, HEALTH_SECONDS: seconds, ...bindings }, (limited) =>
      app.fetch(new Request(`${BASE}${path}`), limited, createExecutionContext())
    )
  return {
    clock,
    work,
    async readyz(bindings?: Partial<Env>) {
      const answer = await open('/readyz', bindings)
      return { code: answer.status, health: Health.parse(await answer.json()) }
    },
    home: async (bindings?: Partial<Env>) => (await open('/', bindings)).text()
  }
}

it('what the databases say is read once in five seconds, by / and /readyz together', async () => {
  const { clock, readyz, home } = newApp()
  expect((await readyz()).code).toBe(200)

  clock.ms += 4_999

  expect((await readyz(broken)).code).toBe(200)
  expect(await home(broken)).toContain('Everything is in order.')
})

it('a failure shows after five seconds, and so does its end', async () => {
  const { clock, readyz, home } = newApp()
  await readyz()

  clock.ms += 5_000
  expect((await readyz(broken)).code).toBe(503)
  expect(await home()).toContain('The service is not ready.')

  clock.ms += 5_000
  expect((await readyz()).code).toBe(200)
})

it('secrets, waiting messages and the work of the isolate are always current', async () => {
  const { work, readyz } = newApp()
  await readyz()

  work.consuming = 2
  const backlogOf = (backlogCount: number) =>
    ({ metrics: async () => ({ backlogCount }) }) as unknown as Queue
  const { code, health } = await readyz({
    RECEIPT_KEY: '',
    CAPTURE_QUEUE: backlogOf(7)
  })

  expect(code).toBe(503)
  expect(health.secrets).toContainEqual({ name: 'RECEIPT_KEY', status: 'missing' })
  expect(health.queue).toMatchObject({ backlog: 7, consuming: 2 })
})

it.each(['0', '', 'often'])('HEALTH_SECONDS = "%s" reads each time', async (seconds) => {
  const { readyz } = newApp(seconds)
  await readyz()

  expect((await readyz(broken)).code).toBe(503)
})

import { expect, it } from 'vitest'
import { WORKER } from '../../../scripts/operator.ts'

it('fires crons and calls the bucket only for requests with the secret', async () => {
  const { default: worker } = await import(`data:text/javascript,${encodeURIComponent(WORKER)}`)
  const fired: unknown[] = []
  const scheduled = async (event: unknown) => {
    fired.push(event)
    return { outcome: 'ok' }
  }
  const ask = async (headers: Record<string, string>, path = '/cron') => {
    const body = JSON.stringify({ cron: '0 5 * * SUN', scheduledTime: '2026-11-22T05:00:00.000Z' })
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body })
    return (await worker.fetch(request, { SECRET: 'secret', SERVICE: { scheduled } })).status
  }

  expect([await ask({}), await ask({ Authorization: 'other' })]).toEqual([403, 403])
  expect(await ask({}, '/bucket')).toBe(403)
  expect(fired).toEqual([])
  expect(await ask({ Authorization: 'secret' })).toBe(200)
  expect(fired).toEqual([
    { cron: '0 5 * * SUN', scheduledTime: new Date('2026-11-22T05:00:00.000Z') }
  ])
})

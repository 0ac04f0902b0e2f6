import { expect, it } from 'vitest'
import { WORKER } from '../../../scripts/operator.ts'

it('runs statements only for requests with the secret', async () => {
  const { default: worker } = await import(`data:text/javascript,${encodeURIComponent(WORKER)}`)
  const asked: unknown[] = []
  const batch = async (statements: unknown[]) => {
    asked.push(statements)
    return []
  }
  const ask = async (headers: Record<string, string>) => {
    const request = new Request('http://localhost/DB', { method: 'POST', headers, body: '[]' })
    return (await worker.fetch(request, { SECRET: 'secret', DB: { batch } })).status
  }

  expect([await ask({}), await ask({ Authorization: 'other' })]).toEqual([403, 403])
  expect(asked).toEqual([])
  expect(await ask({ Authorization: 'secret' })).toBe(200)
  expect(asked).toEqual([[]])
})

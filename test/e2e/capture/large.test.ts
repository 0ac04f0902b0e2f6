import { expect, it } from 'vitest'
import { newProject } from '../../support/service.ts'

it('a body that is too large gets a 413, not a broken connection', async () => {
  const { url, token } = await newProject()
  const body = JSON.stringify({ api_key: token, event: 'x'.repeat(12_000_000), distinct_id: 'ada' })

  const answer = await fetch(`${url}/i/v0/e/`, { method: 'POST', body })

  expect(answer.status).toBe(413)
  expect(await answer.json()).toMatchObject({ code: 'request_too_large' })
})

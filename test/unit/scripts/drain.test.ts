import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { drain } from '../../../scripts/drain.ts'

/**
 * Starts a service with empty queues.
 * @param delayOf returns how long to delay the answer to the nth check, ms; n starts at 1
 */
async function startService(delayOf: (check: number) => number) {
  let checks = 0
  const server = createServer(async (_, response) => {
    checks += 1
    await sleep(delayOf(checks))
    response.end(JSON.stringify({ queue: { backlog: 0, consuming: 0, retrying: 0 } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, checks: () => checks }
}

it('checks twice that the queues are empty', async () => {
  const { url, checks } = await startService(() => 0)

  expect(await drain(url)).toBeUndefined()
  expect(checks()).toBe(2)
})

it('does not know what is left if time runs out before the second answer', async () => {
  const { url } = await startService((check) => (check === 1 ? 0 : 1000))

  expect(await drain(url, 400)).toBe('an unknown number of messages')
})

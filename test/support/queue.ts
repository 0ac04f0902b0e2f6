import { vi } from 'vitest'
import { request } from './project.ts'

/** Waits until the real queues are empty and idle, so that a test file leaves no work behind. */
export const untilQuiet = () =>
  vi.waitUntil(
    async () => {
      const { backlog, consuming } = (await request('GET', '/readyz')).body.queue
      return backlog === 0 && consuming === 0
    },
    { timeout: 60_000, interval: 200 }
  )

import { vi } from 'vitest'
import { request } from './project.ts'

/** Waits until the real queues are empty and nobody works on them: a file of tests leaves nothing running behind. */
export const untilQuiet = () =>
  vi.waitUntil(
    async () => {
      const { backlog, consuming } = (await request('GET', '/readyz')).body.queue
      return backlog === 0 && consuming === 0
    },
    { timeout: 60_000, interval: 200 }
  )

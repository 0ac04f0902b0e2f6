import { request } from './project.ts'
import { until } from './until.ts'

/** Waits until the real queues are empty and idle, so that a test file leaves no work behind. */
export const untilQuiet = () =>
  until(async () => {
    const { backlog, consuming } = (await request('GET', '/readyz')).body.queue
    return backlog === 0 && consuming === 0
  })

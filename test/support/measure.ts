import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { Json } from '../../src/input/json.ts'
import { listenToLog } from './log.ts'
import type { TestProject } from './project.ts'

/**
 * Sends a request. Returns its answer and its cost: the rows read and written, and the round trips
 * to the database.
 */
export async function measure(
  project: TestProject,
  path: string,
  method = 'GET',
  json?: Json | object
) {
  const log = listenToLog()
  const session = env.DB.withSession()
  const statement = Object.getPrototypeOf(session.prepare('select 1'))
  const asked = [
    vi.spyOn(Object.getPrototypeOf(session), 'batch'),
    ...['all', 'run', 'first', 'raw'].map((name) => vi.spyOn(statement, name))
  ]
  try {
    const { status, body } = await project.send(method, path, json)
    const [line] = log.lines('request')
    const trips = asked.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    return {
      status,
      body,
      rows: Number(line?.rows_read),
      written: Number(line?.rows_written),
      trips
    }
  } finally {
    log.stop()
    for (const spy of asked) {
      spy.mockRestore()
    }
  }
}

import { randomBytes } from 'node:crypto'

/** Known only to this process: the runtime's port is open to every user of the machine. */
export const SECRET = randomBytes(32).toString('hex')

/** A worker that fires a cron of the worker bound as `SERVICE`. A request needs `SECRET`. */
export const WORKER = `export default {
  async fetch(request, env) {
    if (request.headers.get('Authorization') !== env.SECRET) {
      return new Response('Forbidden', { status: 403 })
    }
    const { cron, scheduledTime } = await request.json()
    try {
      const { outcome } = await env.SERVICE.scheduled({ cron, scheduledTime: new Date(scheduledTime) })
      return new Response(outcome)
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  }
}`

/** Sends a request to `WORKER`. */
export type Dispatch = (
  url: string,
  request: { method: string; headers: { Authorization: string }; body: string }
) => Promise<{ text(): Promise<string> }>

/** Fires a cron of the worker bound as `SERVICE`, and waits for it. @returns the outcome: `ok`, or the fault */
export async function runCron(
  dispatch: Dispatch,
  event: { cron: string; scheduledTime: Date }
): Promise<string> {
  const response = await dispatch('http://localhost/', {
    method: 'POST',
    headers: { Authorization: SECRET },
    body: JSON.stringify(event)
  })
  return response.text()
}

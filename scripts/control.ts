import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import { isRefused, OperatorError } from './faults.ts'
import { newSecret } from './state.ts'

/**
 * Address and token for orders to the running service. They are in a file in the state folder,
 * which other users cannot read.
 */
const Control = z.object({ url: z.url(), token: z.string() })

const fileOf = (folder: string) => join(folder, 'control.json')

/**
 * Listens on a separate port for orders to fire a Cron Trigger. Only processes that can read the
 * state folder know the token.
 * @param fire throws OperatorError when the run fails
 */
export async function openControl(folder: string, fire: (cron: string) => Promise<void>) {
  const token = newSecret()
  const isKnown = (given = '') => timingSafeEqual(digestOf(given), digestOf(token))

  const server = createServer(async (request, response) => {
    if (!isKnown(request.headers['x-control-token']?.toString())) {
      response.writeHead(404).end()
      return
    }
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const failure = await fire(searchParams.get('cron') ?? '').then(
      () => undefined,
      (error) => (error instanceof OperatorError ? error.message : String(error))
    )
    response.writeHead(failure ? 500 : 200).end(failure)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (!address || typeof address === 'string') {
    throw new Error('The server listens on no port.')
  }
  const control = { url: `http://127.0.0.1:${address.port}`, token }
  writeFileSync(fileOf(folder), JSON.stringify(control), { mode: 0o600 })
  return {
    close() {
      server.close()
      rmSync(fileOf(folder), { force: true })
    }
  }
}

/** Returns a text's SHA-256: digests have the same length, as `timingSafeEqual` requires. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Fires a Cron Trigger on the service running on a state folder, and waits for the run.
 * @throws OperatorError when no service is running there, or the run fails
 */
export async function fireCron(folder: string, cron: string): Promise<void> {
  const { url, token } = readControl(folder)
  const response = await fetch(`${url}/?${new URLSearchParams({ cron })}`, {
    method: 'POST',
    headers: { 'x-control-token': token }
  }).catch((error) => {
    throw isRefused(error)
      ? notRunning(folder)
      : new OperatorError(
          'The service has not answered, and the cron may still be running: its log shows the end.'
        )
  })
  if (!response.ok) {
    throw new OperatorError((await response.text()) || `The service answered ${response.status}.`)
  }
}

function readControl(folder: string): z.infer<typeof Control> {
  try {
    return Control.parse(JSON.parse(readFileSync(fileOf(folder), 'utf8')))
  } catch {
    throw notRunning(folder)
  }
}

const notRunning = (folder: string) =>
  new OperatorError(`No service is running on ${folder}. Start it first: npm start`)

import { relative } from 'node:path'
import { claimState } from './claim.ts'
import { runCron, startCrons } from './crons.ts'
import { openFront } from './front.ts'
import { OperatorError, openLocal, readConfig } from './local.ts'
import { ensureProject, ensureSecrets } from './seed.ts'
import { drain, logFile, Worker, waitUntilReady } from './worker.ts'

/** npm passes on the Ctrl-C that the terminal has already delivered; within this time it is the same one. */
const SAME_SIGNAL_MS = 500

let worker: Worker | undefined
let front: Awaited<ReturnType<typeof openFront>> | undefined
let crons: ReturnType<typeof startCrons> | undefined
let stoppedAt = 0

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, stop)
}

try {
  const upstream = Promise.withResolvers<number>()
  front = await openPort(upstream.promise)
  const url = `http://127.0.0.1:${front.port}`
  const claim = claimState()
  process.on('exit', () => claim.close())

  console.error('Starting…')
  const service = await openLocal()
  const { project, key } = await ensureProject(service.db, new Date())
  await service.close()
  const secrets = await ensureSecrets()

  if (!stoppedAt) {
    worker = new Worker(secrets)
    const died = worker.ended.then(fail)
    upstream.resolve(worker.port)
    await Promise.race([waitUntilReady(url), died])
    worker.isReady = true
    const { triggers } = readConfig()
    const own = `http://127.0.0.1:${await worker.port}`
    if (!stoppedAt) {
      crons = startCrons(triggers.crons, (cron, minute) => runCron(own, cron, minute))
    }
    if (!stoppedAt) {
      console.log(welcome(url, project.id, project.captureToken, key))
    }
  }
} catch (error) {
  await fail(error)
}

async function openPort(upstream: Promise<number>) {
  const port = Number(process.env.PORT || 8787)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new OperatorError(`PORT=${process.env.PORT} is not a port.`)
  }
  try {
    return await openFront(port, upstream)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw new OperatorError(
      isTaken
        ? `Port ${port} is taken. Choose another: PORT=${port + 1} npm start`
        : `Cannot listen on ${port}: ${error}`
    )
  }
}

function welcome(url: string, projectId: number, token: string, key: string): string {
  const event = {
    api_key: token,
    event: '$identify',
    distinct_id: 'user-1',
    properties: { $set: { email: 'ada@example.com' } }
  }
  const persons = `${url}/api/environments/${projectId}/persons/`
  const authorization = `-H 'Authorization: Bearer ${key}'`
  return `
Edge Analytics answers on ${url}

  Project id     ${projectId}
  Capture token  ${token}
  API key        ${key}
  Log            ${relative(process.cwd(), logFile)}

Send an event, and give it the second it takes to be processed:
  curl -H 'Content-Type: application/json' -d '${JSON.stringify(event)}' ${url}/i/v0/e/ && sleep 2

List the persons:
  curl ${authorization} '${persons}'

Find a person by e-mail:
  curl ${authorization} '${persons}?email=ada@example.com'

Ctrl-C stops it.`
}

/** The first time in good order: no new requests and crons, then empty queues, then the end. The second time at once. */
async function stop(): Promise<void> {
  if (stoppedAt) {
    if (Date.now() - stoppedAt < SAME_SIGNAL_MS) {
      return
    }
    worker?.kill()
    process.exit(1)
  }
  stoppedAt = Date.now()
  if (worker?.isReady) {
    console.error('\nStopping…')
    await Promise.all([crons?.stop(), front?.close()])
    const left = await drain(`http://127.0.0.1:${await worker.port}`)
    if (left) {
      console.error(`The queues did not get empty. Not processed: ${left}.`)
    }
  }
  await worker?.end()
  process.exit(0)
}

async function fail(error: unknown): Promise<never> {
  if (stoppedAt) {
    return new Promise(() => {})
  }
  console.error(error instanceof OperatorError ? error.message : error)
  await worker?.end()
  process.exit(1)
}

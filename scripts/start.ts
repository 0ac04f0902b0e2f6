import { chmodSync, mkdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { claimState } from './claim.ts'
import { openFront } from './front.ts'
import { OperatorError, stateDir } from './local.ts'
import { LogFile } from './log.ts'
import { type Ready, Service } from './service.ts'

/** npm passes on the Ctrl-C that the terminal has already delivered; within this time it is the same one. */
const SAME_SIGNAL_MS = 500

/** A service that ends by itself so often, in so many ms, is not started again. */
const MAX_ENDS = 3
const ENDS_WITHIN_MS = 60_000

const log = new LogFile(join(stateDir, 'service.log'))
let service: Service | undefined
let front: Awaited<ReturnType<typeof openFront>> | undefined
/** The port of the service that runs, or of the one that is being started. */
let port = Promise.withResolvers<number>()
let stoppedAt: number | undefined

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, stop)
}

try {
  const isInMemory = readOptions()
  front = await openPort()
  mkdirSync(stateDir, { recursive: true })
  // People's data lies in it, also in what the simulator keeps for itself.
  chmodSync(stateDir, 0o700)
  const claim = claimState()
  process.on('exit', () => claim.close())
  console.error('Starting…')
  await keepRunning(isInMemory)
} catch (error) {
  if (stoppedAt === undefined) {
    service?.kill()
    console.error(error instanceof OperatorError ? error.message : error)
    process.exit(1)
  }
}

function readOptions(): boolean {
  try {
    const { values } = parseArgs({ options: { 'in-memory': { type: 'boolean' } } })
    return values['in-memory'] ?? false
  } catch {
    throw new OperatorError(
      'npm start -- [--in-memory]\n\n--in-memory  faster: events that are answered but not yet processed are lost when the service is killed'
    )
  }
}

async function openPort() {
  const asked = Number(process.env.PORT || 8787)
  if (!Number.isInteger(asked) || asked < 0 || asked > 65_535) {
    throw new OperatorError(`PORT=${process.env.PORT} is not a port.`)
  }
  try {
    return await openFront(asked, () => port.promise)
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw new OperatorError(
      isTaken
        ? `Port ${asked} is taken. Choose another: PORT=${asked + 1} npm start`
        : `Cannot listen on ${asked}: ${error}`
    )
  }
}

/** Runs the service, and starts it again when it ends by itself. @throws OperatorError when it cannot be kept running */
async function keepRunning(isInMemory: boolean): Promise<void> {
  const ends: number[] = []
  for (let isFirst = true; stoppedAt === undefined; isFirst = false) {
    service = new Service(log, isInMemory ? ['--in-memory'] : [])
    const ended = service.ended
    const ready = await Promise.race([service.ready, ended.then(fail)])
    port.resolve(ready.port)
    if (isFirst) {
      console.log(welcome(ready))
    }
    const end = await ended
    if (stoppedAt !== undefined) {
      return
    }
    port = Promise.withResolvers()
    ends.push(performance.now())
    if (ends.length >= MAX_ENDS && (ends.at(-MAX_ENDS) ?? 0) > performance.now() - ENDS_WITHIN_MS) {
      throw end
    }
    console.error('The service ended by itself, and is started again.')
  }
}

function fail(error: OperatorError): never {
  throw error
}

function welcome({ project, key }: Ready): string {
  const url = `http://127.0.0.1:${front?.port}`
  const event = {
    api_key: project.token,
    event: '$identify',
    distinct_id: 'user-1',
    properties: { $set: { email: 'ada@example.com' } }
  }
  const persons = `${url}/api/environments/${project.id}/persons/`
  const authorization = `-H 'Authorization: Bearer ${key}'`
  return `
Edge Analytics answers on ${url}

  Project id     ${project.id}
  Capture token  ${project.token}
  API key        ${key}
  Log            ${relative(process.cwd(), log.path)}

Send an event, and give it the second it takes to be processed:
  curl -H 'Content-Type: application/json' -d '${JSON.stringify(event)}' ${url}/i/v0/e/ && sleep 2

List the persons:
  curl ${authorization} '${persons}'

Find a person by e-mail:
  curl ${authorization} '${persons}?email=ada@example.com'

Ctrl-C stops it.`
}

/** The first time in good order: no new requests, then the queues, then the end. The second time at once. */
async function stop(): Promise<void> {
  if (stoppedAt !== undefined) {
    if (performance.now() - stoppedAt < SAME_SIGNAL_MS) {
      return
    }
    service?.kill()
    process.exit(1)
  }
  stoppedAt = performance.now()
  console.error('\nStopping…')
  await front?.close()
  const left = await service?.stop()
  if (left) {
    console.error(`The queues did not get empty. Lost: ${left}.`)
  }
  process.exit(0)
}

import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { describeFault, OperatorError, readPort, stateDir } from './local.ts'
import { claimState, endLeftovers } from './lock.ts'
import { LogFile } from './log.ts'
import { groupFile, Service } from './service.ts'
import { openFront } from './tcp-proxy.ts'
import { welcome } from './welcome.ts'

/** npm passes on the Ctrl-C that the terminal has already delivered; within this time it is the same one. */
const SAME_SIGNAL_MS = 500

/** A service that ends by itself so often, in so many ms, is not started again. */
const MAX_ENDS = 3
const ENDS_WITHIN_MS = 60_000

/** How long the service may take to come to its end; with copies on disk, not longer than it is pleasant to wait. */
const STOP_MS = 3300
const STOP_IN_MEMORY_MS = 45_000

const log = new LogFile(join(stateDir, 'service.log'))
let service: Service | undefined
let front: Awaited<ReturnType<typeof openFront>> | undefined
/** The port of the service that runs, or of the one that is being started. */
let port = Promise.withResolvers<number>()
let stoppedAt: number | undefined
let isInMemory = false
let isWelcomed = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, stop)
}

try {
  isInMemory = readOptions()
  front = await openPort()
  claimState()
  endLeftovers(groupFile)
  console.error('Starting…')
  await keepRunning()
} catch (error) {
  if (stoppedAt === undefined) {
    service?.kill()
    console.error(describeFault(error))
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
  const asked = readPort()
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
async function keepRunning(): Promise<void> {
  const ends: number[] = []
  while (stoppedAt === undefined) {
    const end = await runService()
    ends.push(performance.now())
    const last = ends.slice(-MAX_ENDS)
    const isHopeless =
      last.length === MAX_ENDS && performance.now() - (last[0] ?? 0) < ENDS_WITHIN_MS
    if (stoppedAt === undefined && (!isWelcomed || isHopeless)) {
      throw end
    }
    if (stoppedAt === undefined) {
      console.error('The service ended by itself, and is started again.')
    }
  }
}

/** Runs the service until it ends. @returns why it ended */
async function runService(): Promise<OperatorError> {
  service = new Service(log, isInMemory ? ['--in-memory'] : [])
  const { ended } = service
  const ready = await Promise.race([service.ready, ended.then(() => undefined)])
  if (ready && stoppedAt === undefined) {
    port.resolve(ready.port)
    if (!isWelcomed) {
      const url = `http://127.0.0.1:${front?.port}`
      console.log(welcome(url, ready, relative(process.cwd(), log.path)))
      isWelcomed = true
    }
  }
  const end = await ended
  port = Promise.withResolvers()
  return end
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
  const left = await service?.stop(isInMemory ? STOP_IN_MEMORY_MS : STOP_MS)
  if (left) {
    console.error(`The queues did not get empty. Lost: ${left}.`)
  }
  process.exit(0)
}

import { join, relative } from 'node:path'
import { MINUTE } from '../src/calendar/units.ts'
import { explainPort, readPort } from './config.ts'
import { stateDir } from './environment.ts'
import type { OperatorError } from './faults.ts'
import { claimState, endLeftovers } from './lock.ts'
import { LogFile } from './log.ts'
import { groupFile, Service } from './service.ts'
import { openFront } from './tcp-proxy.ts'
import { readCommandLine } from './usage.ts'
import { welcome } from './welcome.ts'

const USAGE = `npm start -- [--in-memory]

Runs the service on this machine. PORT=<number> changes its port (default: 8787), STATE_DIR=<folder> where its data is.

--in-memory  faster, but a killed service loses events that it has accepted but not processed`

/**
 * Time within which a second signal counts as the first one, ms: npm forwards the Ctrl-C that the
 * terminal has delivered already.
 */
const SAME_SIGNAL_MS = 500

/** A service that ends by itself this often, within this time in ms, is not restarted. */
const MAX_ENDS = 3
const ENDS_WITHIN_MS = MINUTE

/**
 * Time to stop, ms. Short, because everything is on disk; with `--in-memory`, long enough to drain
 * the queues.
 */
const STOP_MS = 3300
const STOP_IN_MEMORY_MS = 45_000

const log = new LogFile(join(stateDir, 'service.log'))
let service: Service | undefined
let front: Awaited<ReturnType<typeof openFront>> | undefined
/** The port of the running or starting service. */
let port = Promise.withResolvers<number>()
let stoppedAt: number | undefined
let isInMemory = false
let isWelcomed = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, stop)
}

try {
  const { values } = readCommandLine(USAGE, { options: { 'in-memory': { type: 'boolean' } } })
  isInMemory = values['in-memory'] ?? false
  front = await openPort()
  claimState(front.port)
  endLeftovers(groupFile)
  console.error('Starting…')
  await keepRunning()
} catch (error) {
  // After a signal, `stop` ends the process.
  if (stoppedAt === undefined) {
    service?.kill()
    throw error
  }
}

async function openPort() {
  const wanted = readPort()
  try {
    return await openFront(wanted, () => port.promise)
  } catch (error) {
    throw explainPort(error, wanted, 'npm start')
  }
}

/**
 * Runs the service, and restarts it when it ends by itself.
 * @throws OperatorError when the first start fails, or the service keeps ending
 */
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
      console.error('The service ended unexpectedly; restarting.')
    }
  }
}

/** Runs the service until it ends. @returns the reason */
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

/**
 * Stops the service. At the first signal it refuses new requests and drains the queues; a second
 * signal kills it at once.
 */
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
    console.error(`The queues did not drain in time. Lost: ${left}.`)
  }
  process.exit(0)
}

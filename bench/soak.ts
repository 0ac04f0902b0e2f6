import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  descendants,
  type LocalService,
  launchService,
  newStateDir,
  rolesOf
} from '../test/support/processes.ts'
import { busyBatch, NEW_PERSONS } from './support/batches.ts'
import { send } from './support/client.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { countStored } from './support/stored.ts'

const MINUTE = 60_000
const MINUTES = 15
/** Interval of requests with 100 events, ms. */
const BATCH_INTERVAL_MS = 500
/** Interval of reads, ms. The key's rate limit refuses four out of five. */
const READ_INTERVAL_MS = 50
/** Interval of uploads that their client cuts off, ms. */
const BREAK_INTERVAL_MS = 10_000
/** Target: resident memory of all processes of `npm start`, MB. */
const MAX_MEGABYTES = 1_200

const READS = [
  'persons/?limit=100',
  'persons/?search=user',
  'session_recordings/',
  'insights/trend/?events=[{"id":"search"}]&date_from=-7d&interval=day'
]

/** Measures the memory of `npm start` per minute, under steady capture and reads. */
export async function benchSoak(isSmoke: boolean): Promise<Outcome> {
  const [minutes, minuteMs] = isSmoke ? [2, 1_000] : [MINUTES, MINUTE]
  const stateDir = newStateDir()
  const launched = launchService(stateDir)
  try {
    const service = await launched.ready
    const { memories, done } = await measureLoaded(service, minutes, minuteMs)
    return report(memories, done, await countLost(stateDir, done.sent))
  } finally {
    await launched.stop('SIGTERM')
  }
}

/** Loads a service, and measures its memory at the end of each minute. */
async function measureLoaded(service: LocalService, minutes: number, minuteMs: number) {
  const memories: Memory[] = []
  const load = startLoad(service)
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      await sleep(minuteMs)
      memories.push(await measureMemory(service))
    }
  } finally {
    await load.stop()
  }
  return { memories, done: load.done }
}

function report(memories: Memory[], done: Done, lost: number): Outcome {
  const { sent, reads, refused, failed, broken, times } = done
  const most = Math.max(...memories.map(({ total }) => total))
  return {
    table: [
      [
        'minute',
        'runtime, MB',
        'its host, MB',
        'others, MB',
        `all, MB (at most ${MAX_MEGABYTES.toLocaleString('en')})`
      ],
      ...memories.map(({ runtime, host, others, total }, i) => [
        String(i + 1),
        ...[runtime, host, others, total].map(rounded)
      ])
    ],
    notes: [
      `${sent.length.toLocaleString('en')} events in batches of 100, ${reads.toLocaleString('en')} reads of persons, recordings and trends, median ${rounded(percentile(times, 0.5))} ms and p95 ${rounded(percentile(times, 0.95))} ms; ${refused.toLocaleString('en')} more reads were refused by the key's rate limit, ${failed} requests failed, ${broken} uploads were cut off by their client, ${lost} events were lost. The table shows the resident memory of \`npm start\` with all its processes.`
    ],
    missed: [
      ...(most > MAX_MEGABYTES ? [`${rounded(most)} MB`] : []),
      ...(failed > 0 ? [`${failed} requests failed`] : []),
      ...(lost > 0 ? [`${lost} events lost`] : [])
    ]
  }
}

/** The requests of a load by outcome, the uuids of acknowledged events, and the times of answered reads in ms. */
type Done = {
  sent: string[]
  reads: number
  refused: number
  failed: number
  broken: number
  times: number[]
}

function startLoad(service: LocalService) {
  const { url, token, key, projectId } = service
  const known = Array.from({ length: 5_000 }, (_, n) => n)
  const done: Done = { sent: [], reads: 0, refused: 0, failed: 0, broken: 0, times: [] }
  const headers = { authorization: `Bearer ${key}` }
  let first = known.length
  let turn = 0
  const post = async () => {
    first += NEW_PERSONS
    const { gzip, uuids } = busyBatch(token, known, first)
    const { status } = await send(new URL('/batch/', url), { method: 'POST' }, gzip).catch(failure)
    if (status === 200) {
      done.sent.push(...uuids)
    } else {
      done.failed += 1
    }
  }
  const read = async () => {
    turn += 1
    const path = READS[turn % READS.length] ?? ''
    const address = new URL(`/api/projects/${projectId}/${path}`, url)
    const { status, ms } = await send(address, { headers }).catch(failure)
    if (status === 200) {
      done.reads += 1
      done.times.push(ms)
    } else if (status === 429) {
      done.refused += 1
    } else {
      done.failed += 1
    }
  }
  const breakOff = () => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    // The service may close the connection first.
    socket.on('error', () => {})
    socket.write(
      `POST /batch/ HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000000\r\n\r\n{"batch":[`
    )
    setTimeout(() => socket.destroy(), 200)
    done.broken += 1
  }
  const pending = new Set<Promise<void>>()
  const every = (ms: number, run: () => Promise<void> | void) =>
    setInterval(() => {
      const running = Promise.resolve(run()).finally(() => pending.delete(running))
      pending.add(running)
    }, ms)
  const timers = [
    every(BATCH_INTERVAL_MS, post),
    every(READ_INTERVAL_MS, read),
    every(BREAK_INTERVAL_MS, breakOff)
  ]
  return {
    done,
    async stop() {
      for (const timer of timers) {
        clearInterval(timer)
      }
      await Promise.all(pending)
    }
  }
}

const failure = () => ({ status: 0, ms: 0 })

/** Resident memory of a service's processes, MB. */
type Memory = { runtime: number; host: number; others: number; total: number }

async function measureMemory(service: LocalService): Promise<Memory> {
  const { runtime, host } = await rolesOf(service)
  const all = [service.pid, ...descendants(service.pid)].map(residentOf)
  const total = all.reduce((sum, megabytes) => sum + megabytes, 0)
  return {
    runtime: residentOf(runtime),
    host: residentOf(host),
    others: total - residentOf(runtime) - residentOf(host),
    total
  }
}

/** Returns the resident memory of a process, MB; 0 if it has ended. */
function residentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024) / 1e6
  } catch {
    return 0
  }
}

/** Waits up to 30 seconds until the acknowledged events are stored. @returns the number of those that are not */
async function countLost(stateDir: string, uuids: string[]): Promise<number> {
  const count = () => uuids.length - countStored(stateDir, uuids)
  let lost = count()
  for (let tries = 0; lost > 0 && tries < 60; tries += 1) {
    await sleep(500)
    lost = count()
  }
  return lost
}

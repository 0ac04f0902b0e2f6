import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import {
  descendants,
  type LocalService,
  launchService,
  newStateDir,
  readRows,
  rolesOf
} from '../test/support/processes.ts'
import { busyBatch, NEW_PERSONS } from './support/batches.ts'
import { send } from './support/client.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'

const MINUTE = 60_000
const MINUTES = 15
/** Pause between two requests of 100 events, ms. */
const BATCH_PAUSE_MS = 500
/** Pause between two reads, ms. A key's rate limit refuses four of five of them. */
const READ_PAUSE_MS = 50
/** Pause between two uploads that their client cuts off, ms. */
const BREAK_PAUSE_MS = 10_000
/** Resident memory of all processes of `npm start`. */
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
  const service = await launched.ready
  const load = startLoad(service)
  const rows: string[][] = []
  const totals: number[] = []
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sleep(minuteMs)
    const memory = await measureMemory(service)
    totals.push(memory.total)
    rows.push([
      String(minute),
      ...[memory.runtime, memory.host, memory.others, memory.total].map(rounded)
    ])
  }
  const { sent, reads, refused, failed, broken, times } = await load.stop()
  const lost = sent - (await countStored(stateDir, sent))
  await launched.stop('SIGTERM')

  const most = Math.max(...totals)
  return {
    table: [
      [
        'minute',
        'runtime, MB',
        'its host, MB',
        'others, MB',
        `all, MB (at most ${MAX_MEGABYTES.toLocaleString('en')})`
      ],
      ...rows
    ],
    notes: [
      `${sent.toLocaleString('en')} events in batches of 100, ${reads.toLocaleString('en')} reads of persons, recordings and trends, median ${rounded(percentile(times, 0.5))} ms and p95 ${rounded(percentile(times, 0.95))} ms; ${refused.toLocaleString('en')} more reads were refused by the key's rate limit, ${failed} requests failed, ${broken} uploads were cut off by their client, ${lost} events were lost. Resident memory of \`npm start\` and all its processes.`
    ],
    missed: [
      ...(most > MAX_MEGABYTES ? [`${rounded(most)} MB`] : []),
      ...(failed > 0 ? [`${failed} requests failed`] : []),
      ...(lost !== 0 ? [`${lost} events lost`] : [])
    ]
  }
}

function startLoad(service: LocalService) {
  const { url, token, key, projectId } = service
  const known = Array.from({ length: 5_000 }, (_, n) => n)
  const done = { sent: 0, reads: 0, refused: 0, failed: 0, broken: 0, times: [] as number[] }
  const headers = { authorization: `Bearer ${key}` }
  let first = known.length
  let turn = 0
  const post = async () => {
    first += NEW_PERSONS
    const { gzip, events } = busyBatch(token, known, first)
    const { status } = await send(new URL('/batch/', url), { method: 'POST' }, gzip).catch(failure)
    if (status === 200) {
      done.sent += events
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
    socket.write(
      `POST /batch/ HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000000\r\n\r\n{"batch":[`
    )
    setTimeout(() => socket.destroy(), 200)
    done.broken += 1
  }
  const under = new Set<Promise<void>>()
  const every = (ms: number, run: () => Promise<void> | void) =>
    setInterval(() => {
      const running = Promise.resolve(run()).finally(() => under.delete(running))
      under.add(running)
    }, ms)
  const timers = [
    every(BATCH_PAUSE_MS, post),
    every(READ_PAUSE_MS, read),
    every(BREAK_PAUSE_MS, breakOff)
  ]
  return {
    async stop() {
      for (const timer of timers) {
        clearInterval(timer)
      }
      await Promise.all(under)
      return done
    }
  }
}

const failure = () => ({ status: 0, ms: 0 })

/** Returns the resident memory of a service's processes, in MB. */
async function measureMemory(service: LocalService) {
  const { runtime, host } = await rolesOf(service)
  const of = (pid: number) =>
    (Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024) / 1e6
  const all = [service.pid, ...descendants(service.pid)].map(of)
  const total = all.reduce((sum, megabytes) => sum + megabytes, 0)
  return {
    runtime: of(runtime),
    host: of(host),
    others: total - of(runtime) - of(host),
    total
  }
}

const Stored = z.tuple([z.object({ stored: z.int() })])

/** Waits until this many events are stored, or no more arrive. @returns how many are stored */
async function countStored(stateDir: string, sent: number): Promise<number> {
  const count = () =>
    Stored.parse(readRows(stateDir, 'select count(*) as stored from events'))[0].stored
  let stored = count()
  for (let tries = 0; stored < sent && tries < 60; tries += 1) {
    await sleep(500)
    stored = count()
  }
  return stored
}

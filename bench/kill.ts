import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import {
  isAlive,
  type LocalService,
  launchService,
  newStateDir,
  type Role,
  readRows,
  rolesOf
} from '../test/support/processes.ts'
import { until } from '../test/support/until.ts'
import { busyBatch } from './support/batches.ts'
import { send } from './support/client.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'
import { countStored } from './support/stored.ts'

const VICTIMS: Role[] = ['runtime', 'host', 'supervisor']
/** Concurrent clients. Each sends its next request 20 ms after its last one has ended. */
const CLIENTS = 8
/** Events per request, for the clients in turn; the first client sends recordings. 400 events are too large for a queue message. */
const BATCH_SIZES = [1, 1, 100, 400]
/** Longest time until everything acknowledged is stored, ms. */
const SETTLE_MS = 120_000

/** Requests sent by all clients, the uuids of acknowledged events, and the sessions of acknowledged parts. */
type Sent = { requests: number; events: string[]; parts: string[] }

/** Counts events lost and doubled when processes of the local service are killed, and measures what durability costs. */
export async function benchKill(isSmoke: boolean): Promise<Outcome> {
  const sent: Sent = { requests: 0, events: [], parts: [] }
  const rounds = isSmoke ? 1 : 30
  const { found, kept, doubled } = await measureKilled(sent, rounds, isSmoke)
  const fast = await measureInMemory(isSmoke)
  const lost = sent.events.length - found.events + sent.parts.length - found.parts
  return {
    table: [
      ['', 'measured', 'at most'],
      ['processes killed', String(rounds), ''],
      ['events acknowledged', sent.events.length.toLocaleString('en'), ''],
      ['parts of recordings acknowledged', sent.parts.length.toLocaleString('en'), ''],
      ['lost', String(lost), '0'],
      ['doubled', String(doubled), '0'],
      [
        'stored on disk before the answer, ms median / p95',
        `${rounded(kept.median)} / ${rounded(kept.p95)}`,
        ''
      ],
      ['`--in-memory`, ms median / p95', `${rounded(fast.median)} / ${rounded(fast.p95)}`, '']
    ],
    notes: [
      `Killed with SIGKILL at random moments, in turn: the runtime, its host, the supervisor. ${CLIENTS} clients send batches of 1 and of 100 events, batches too large for a queue message, and recordings. Of ${sent.requests.toLocaleString('en')} requests, only those answered with 200 count. The last two rows are single events from one client.`
    ],
    missed: [
      ...(lost > 0 ? [`${lost} lost`] : []),
      ...(doubled > 0 ? [`${doubled} doubled`] : []),
      ...(doubled < 0 ? [`${-doubled} stored but not counted`] : [])
    ]
  }
}

/** Kills processes of a service under load. Then counts what it has stored, and measures single events. */
async function measureKilled(sent: Sent, rounds: number, isSmoke: boolean) {
  const stateDir = newStateDir()
  let launched = launchService(stateDir)
  try {
    let service = await launched.ready
    for (let round = 0; round < rounds; round += 1) {
      const victim = VICTIMS[round % VICTIMS.length] ?? 'runtime'
      const load = startLoad(() => service, sent)
      try {
        await sleep(500 + Math.random() * (isSmoke ? 500 : 3_000))
        const { [victim]: pid } = await rolesOf(service)
        process.kill(pid, 'SIGKILL')
      } finally {
        await load.stop()
      }
      if (victim === 'supervisor') {
        await until(() => !isAlive(service.pid))
        launched = launchService(stateDir)
        service = await launched.ready
      }
      await until(() => answers(service))
    }
    const found = await settle(stateDir, sent)
    const kept = await measure(service, isSmoke)
    return { found, kept, doubled: countDoubled(stateDir) }
  } finally {
    await launched.stop('SIGTERM')
  }
}

async function measureInMemory(isSmoke: boolean) {
  const launched = launchService(newStateDir(), { options: ['--in-memory'] })
  try {
    return await measure(await launched.ready, isSmoke)
  } finally {
    await launched.stop('SIGTERM')
  }
}

const answers = ({ url }: LocalService): Promise<boolean> =>
  send(new URL('/livez', url)).then(
    ({ status }) => status === 200,
    () => false
  )

function startLoad(service: () => LocalService, sent: Sent) {
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, async (_, n) => {
    while (!isOver) {
      await (n === 0
        ? sendPart(service(), sent)
        : sendEvents(service(), sent, BATCH_SIZES[n % BATCH_SIZES.length] ?? 1))
      await sleep(20)
    }
  })
  return {
    async stop() {
      isOver = true
      await Promise.all(clients)
    }
  }
}

/** Sends a request. @returns whether it was acknowledged */
const post = async ({ url }: LocalService, path: string, body: object): Promise<boolean> => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const options = { method: 'POST', headers, signal: AbortSignal.timeout(10_000) }
  return send(new URL(path, url), options, gzipSync(JSON.stringify(body))).then(
    ({ status }) => status === 200,
    () => false
  )
}

async function sendEvents(service: LocalService, sent: Sent, count: number): Promise<void> {
  const { batch } = JSON.parse(busyBatch(service.token, [1, 2, 3], 10).json)
  const events = Array.from({ length: count }, (_, i) => ({
    ...batch[i % batch.length],
    uuid: randomUUID()
  }))
  sent.requests += 1
  if (await post(service, '/batch/', { api_key: service.token, batch: events })) {
    sent.events.push(...events.map(({ uuid }) => uuid))
  }
}

async function sendPart(service: LocalService, sent: Sent): Promise<void> {
  const session = randomUUID()
  const snapshot = { type: 2, timestamp: Date.now(), data: { text: 'x'.repeat(2_000) } }
  const properties = {
    distinct_id: 'user-1',
    $session_id: session,
    $window_id: session,
    $snapshot_data: [snapshot]
  }
  sent.requests += 1
  if (await post(service, '/s/', { api_key: service.token, event: '$snapshot', properties })) {
    sent.parts.push(session)
  }
}

const Counts = z.tuple([z.object({ found: z.int() })])
const Doubled = z.tuple([z.object({ doubled: z.int() })])

/** Waits until everything acknowledged is stored, or until the time limit. */
async function settle(stateDir: string, { events, parts }: Sent) {
  const count = () => {
    const [recorded] = Counts.parse(
      readRows(
        stateDir,
        `select count(distinct session_id) as found from recording_parts where session_id in
         (select value from json_each('${JSON.stringify(parts)}'))`
      )
    )
    return { events: countStored(stateDir, events), parts: recorded.found }
  }
  const end = performance.now() + SETTLE_MS
  let found = count()
  const isSettled = () => found.events === events.length && found.parts === parts.length
  while (!isSettled() && performance.now() < end) {
    await sleep(500)
    found = count()
  }
  return found
}

/**
 * Returns by how much the events' counts exceed the stored events. An index keeps uuids unique, so an event that is
 * processed twice has one row, but it is counted twice.
 */
function countDoubled(stateDir: string): number {
  const [{ doubled }] = Doubled.parse(
    readRows(
      stateDir,
      `select (select coalesce(sum(count), 0) from event_counts) - (select count(*) from events) as doubled`
    )
  )
  return doubled
}

/** Measures the time until a single event is acknowledged. */
async function measure({ url, token }: LocalService, isSmoke: boolean) {
  const times: number[] = []
  for (let n = 0; n < (isSmoke ? 20 : 1_000); n += 1) {
    const event = { api_key: token, event: 'e', distinct_id: `u${n % 100}`, properties: {} }
    const body = Buffer.from(JSON.stringify(event))
    const { ms, status } = await send(new URL('/i/v0/e/', url), { method: 'POST' }, body)
    if (status !== 200) {
      throw new Error(`Capturing an event was answered with ${status}.`)
    }
    times.push(ms)
  }
  return { median: percentile(times, 0.5), p95: percentile(times, 0.95) }
}

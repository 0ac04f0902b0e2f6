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
  rolesOf,
  until
} from '../test/support/processes.ts'
import { busyBatch } from './support/batches.ts'
import { send } from './support/client.ts'
import { type Outcome, percentile, rounded } from './support/report.ts'

const VICTIMS: Role[] = ['runtime', 'host', 'supervisor']
/** Concurrent clients. Each sends its next request when the last one is answered. */
const CLIENTS = 8
/** Events in a request, in turn for each client. A request of 400 is too large for a queue message. */
const BATCH_SIZES = [1, 1, 100, 400]
/** Longest time until everything acknowledged is stored, ms. */
const SETTLE_MS = 120_000

/** Requests sent by all clients, and the ids that were acknowledged. */
type Sent = { requests: number; events: string[]; parts: string[] }

/** Counts lost and doubled events when the local service's processes are killed under load, and the price of durability. */
export async function benchKill(isSmoke: boolean): Promise<Outcome> {
  const stateDir = newStateDir()
  const sent: Sent = { requests: 0, events: [], parts: [] }
  const rounds = isSmoke ? 1 : 30
  let launched = launchService(stateDir)
  let service = await launched.ready
  for (let round = 0; round < rounds; round += 1) {
    const victim = VICTIMS[round % VICTIMS.length] ?? 'runtime'
    const load = startLoad(() => service, sent)
    await sleep(500 + Math.random() * (isSmoke ? 500 : 3_000))
    const { [victim]: pid } = await rolesOf(service)
    process.kill(pid, 'SIGKILL')
    await load.stop()
    if (victim === 'supervisor') {
      await until(() => !isAlive(service.pid))
      launched = launchService(stateDir)
      service = await launched.ready
    }
    await until(() => answers(service), 60_000)
  }
  const found = await settle(stateDir, sent)
  const kept = await measure(service, isSmoke)
  await launched.stop('SIGTERM')
  const inMemory = launchService(newStateDir(), { options: ['--in-memory'] })
  const fast = await measure(await inMemory.ready, isSmoke)
  await inMemory.stop('SIGTERM')
  const lost = sent.events.length - found.events + sent.parts.length - found.parts
  const doubled = found.rows - found.events
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
    missed: [...(lost > 0 ? [`${lost} lost`] : []), ...(doubled > 0 ? [`${doubled} doubled`] : [])]
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
  const options = { method: 'POST', headers, timeout: 10_000 }
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
const Rows = z.tuple([z.object({ found: z.int(), rows: z.int() })])

/** Waits until everything acknowledged is stored, or until the time limit. */
async function settle(stateDir: string, { events, parts }: Sent) {
  const count = () => {
    const [stored] = Rows.parse(
      readRows(
        stateDir,
        `select count(*) as rows, count(distinct uuid) as found from events where lower(hex(uuid)) in
         (select replace(value, '-', '') from json_each('${JSON.stringify(events)}'))`
      )
    )
    const [recorded] = Counts.parse(
      readRows(
        stateDir,
        `select count(distinct session_id) as found from recording_parts where session_id in
         (select value from json_each('${JSON.stringify(parts)}'))`
      )
    )
    return { events: stored.found, rows: stored.rows, parts: recorded.found }
  }
  let found = count()
  for (const end = performance.now() + SETTLE_MS; performance.now() < end; found = count()) {
    if (found.events === events.length && found.parts === parts.length) {
      break
    }
    await sleep(500)
  }
  return found
}

/** Measures the time until a single event is acknowledged. */
async function measure({ url, token }: LocalService, isSmoke: boolean) {
  const times: number[] = []
  for (let n = 0; n < (isSmoke ? 20 : 1_000); n += 1) {
    const event = { api_key: token, event: 'e', distinct_id: `u${n % 100}`, properties: {} }
    const body = Buffer.from(JSON.stringify(event))
    const { ms, status } = await send(new URL('/i/v0/e/', url), { method: 'POST' }, body)
    if (status !== 200) {
      throw new Error(`An event was answered with ${status}.`)
    }
    times.push(ms)
  }
  return { median: percentile(times, 0.5), p95: percentile(times, 0.95) }
}

import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { z } from 'zod'
import { migrate } from '../../scripts/migrate.ts'
import { type Module, readModules } from '../../scripts/modules.ts'
import { WRANGLER_ARGS } from '../../scripts/wrangler.ts'
import { parseJson } from '../../test/support/text.ts'
import { sendOk } from './client.ts'
import { atDistance } from './distance.ts'
import { waitUntil } from './waiting.ts'

export const root = join(import.meta.dirname, '../..')

export const migrationsDir = join(root, 'migrations')

// Wrangler reads required secrets from the environment, and would announce each one without this log level.
process.env.RECEIPT_SECRET = 'a secret of the bench, long enough'
process.env.RECEIPT_KEY = 'a key of the bench, which is long enough'
process.env.WRANGLER_LOG = 'error'

const quiet = { CI: 'true', WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }

/** Runs wrangler; prints its output only if it fails. */
export function wrangler(...args: string[]): void {
  execFileSync(process.execPath, [...WRANGLER_ARGS, ...args], {
    cwd: root,
    env: { ...process.env, ...quiet },
    stdio: 'pipe'
  })
}

const built = new Map<string, Module[]>()

/** Builds a worker as `wrangler deploy` does, only once per run. @returns its modules */
export function build(configPath: string): Module[] {
  const modules =
    built.get(configPath) ??
    inTemporary((folder) => {
      wrangler('deploy', '--dry-run', '--config', join(root, configPath), '--outdir', folder)
      return readModules(folder)
    })
  built.set(configPath, modules)
  return modules
}

export function inTemporary<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-bench-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Like `inTemporary`, for work that takes several steps of the event loop. */
export async function inTemporaryAsync<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export type Runtime = Awaited<ReturnType<typeof startWorkers>>

/**
 * Starts the built service and the bare routes in one workerd, on one migrated database. Each has its own socket: the
 * development server's proxy would add the same time to both and hide their difference.
 * @param folder keeps the database for the next start; without it the database is temporary
 * @param maxHeap heap limit of an isolate in MB; also allows watching its memory
 * @param outboundAllow hosts on this machine that the service may reach
 * @param distanceMs how far away the service's database is, ms for a round trip: see `atDistance`
 */
export async function startWorkers({
  folder,
  maxHeap,
  outboundAllow = '',
  distanceMs
}: {
  folder?: string
  maxHeap?: number
  outboundAllow?: string
  distanceMs?: number
} = {}) {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = maxHeap ? `--max-heap-size=${maxHeap}` : ''
  const lines: LogLine[] = []
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        workerOf('service', 'wrangler.toml', {
          bindings: { OUTBOUND_ALLOW: outboundAllow },
          distanceMs
        }),
        workerOf('bare', 'bench/bare/wrangler.toml')
      ],
      ...(maxHeap && { inspectorPort: 0 }),
      ...(folder !== undefined && { resourcePersistencePath: folder }),
      handleStructuredLogs: ({ level, message }) => {
        if (level === 'error') {
          console.error(message)
        }
        const line = LogLine.safeParse(parseJson(message)).data
        if (line) {
          lines.push(line)
        }
      }
    })
  )
  await miniflare.ready
  const db = await miniflare.getD1Database('DB', 'service')
  await migrate(db, migrationsDir)
  return {
    db,
    service: await miniflare.unsafeGetDirectURL('service'),
    bare: await miniflare.unsafeGetDirectURL('bare'),
    inspector: () => miniflare.getInspectorURL(),
    /** Fires a Cron Trigger of the service. */
    async fire(cron: string) {
      const service = await miniflare.getWorker('service')
      await service.scheduled({ cron, scheduledTime: new Date() })
    },
    /** Counts the round trips to the database since the start; only for a service with `distanceMs`. */
    async countTrips(): Promise<number> {
      const service = await miniflare.unsafeGetDirectURL('service')
      return Number((await sendOk(new URL(TRIPS, service))).text)
    },
    /** Lines of the service's log about queue batches, claims and requests. */
    lines,
    end: () => miniflare.dispose()
  }
}

const Health = z.object({
  queue: z.object({ backlog: z.int(), consuming: z.int(), retrying: z.int() })
})

/** Whether a queue has messages, or a consumer is at work. */
export async function isWorking({ service }: Pick<Runtime, 'service'>): Promise<boolean> {
  const { text } = await sendOk(new URL('/readyz', service))
  const { backlog, consuming, retrying } = Health.parse(JSON.parse(text)).queue
  return backlog + consuming + retrying > 0
}

/** Longest time for the queues to drain, ms: at its target, sealing ten million events takes ten minutes. */
const DRAIN_MS = 3_600_000

/** Waits until all queues are empty, no consumer is at work, and the log is complete. */
export async function drain(runtime: Pick<Runtime, 'service' | 'lines'>): Promise<void> {
  await waitUntil('the queues are empty', async () => !(await isWorking(runtime)), {
    limitMs: DRAIN_MS
  })
  await untilLogged(runtime)
}

/**
 * Waits until the log has the lines of everything that has ended. Lines come through a pipe, often later than answers, but
 * in order: the line of one more request is the last one.
 */
export async function untilLogged({
  service,
  lines
}: Pick<Runtime, 'service' | 'lines'>): Promise<void> {
  const { requestId } = await sendOk(new URL('/livez', service))
  await waitUntil(
    'the log has the line of a request',
    () => lines.some(({ request_id }) => request_id === requestId),
    { everyMs: 5 }
  )
}

/**
 * Measures the database in a folder of `startWorkers`, whose workers must have ended.
 * @returns bytes of all tables with their indexes, and of the table of events with its indexes
 */
export function measureStorage(folder: string): { all: number; events: number } {
  const file = globSync('**/miniflare-D1DatabaseObject/*.sqlite', { cwd: folder }).find(
    (name) => !name.endsWith('metadata.sqlite')
  )
  const db = new DatabaseSync(join(folder, file ?? ''), { readOnly: true })
  const sizes = Sizes.parse(
    db
      .prepare(`select s.tbl_name as name, sum(d.pgsize) as bytes
        from dbstat d join sqlite_schema s on s.name = d.name where d.aggregate = true group by 1`)
      .all()
  )
  db.close()
  const sumOf = (some: typeof sizes) => some.reduce((sum, { bytes }) => sum + bytes, 0)
  return { all: sumOf(sizes), events: sumOf(sizes.filter(({ name }) => name === 'events')) }
}

const Sizes = z.array(z.object({ name: z.string(), bytes: z.number() }))

const LogLine = z.object({
  message: z.enum(['queue batch', 'due subscriptions', 'request']),
  queue: z.string().optional(),
  request_id: z.string().optional(),
  longest_ms: z.number().default(0),
  /** Events that a batch sealed. */
  events: z.int().default(0),
  /** Events that a batch of captured events stored. */
  stored: z.int().default(0),
  rows_read: z.int(),
  rows_written: z.int()
})
type LogLine = z.infer<typeof LogLine>

/** Path under which a service with `distanceMs` tells its number of round trips. */
const TRIPS = '/bench/trips'

const RateLimits = z.record(z.string(), z.unknown()).default({})
const Variables = z.record(z.string(), z.json())

/**
 * Returns a worker as configured, without two simulations that take a millisecond and more each, although the real ones
 * take almost no time on Cloudflare: rate limits let everything pass, and assets are not consulted.
 */
function workerOf(
  name: string,
  configPath: string,
  {
    bindings = {},
    distanceMs
  }: { bindings?: Record<string, string>; distanceMs?: number | undefined } = {}
) {
  const { assets: _, ...options } = unstable_getMiniflareWorkerOptions(
    join(root, configPath)
  ).workerOptions
  const modules = build(configPath)
  const main = modules.find(({ path }) => path.startsWith('worker.'))
  const limits = Object.keys(RateLimits.parse(options.ratelimits))
  const contents = `
    import worker from './${main?.path}'
    const limits = Object.fromEntries(${JSON.stringify(limits)}.map((name) => [name, { limit: async () => ({ success: true }) }]))
    // Copied once: a copy for each request would take a twentieth of its time.
    let withLimits
    const handle = (handler) => handler && ((event, env, context) => handler(event, (withLimits ??= { ...env, ...limits, ...distant(env) }), context))
    ${distanceMs === undefined ? NEAR : moveAway(distanceMs)}
    export default { fetch: withTrips(handle(worker.fetch)), queue: handle(worker.queue), scheduled: handle(worker.scheduled) }`
  return {
    ...options,
    bindings: { ...Variables.parse(options.bindings), ...bindings },
    name,
    modules: [{ type: 'ESModule' as const, path: 'entry.js', contents }, ...modules],
    unsafeDirectSockets: [{}]
  }
}

/** The source of `distant`, which returns the bindings that are moved away, and of `withTrips`: nothing is moved. */
const NEAR = `
    const distant = () => ({})
    const withTrips = (fetch) => fetch`

/** Returns the same source for a database at a distance, whose round trips are counted. */
const moveAway = (distanceMs: number): string => `
    let trips = 0
    const atDistance = ${atDistance}
    const distant = ({ DB }) => ({ DB: atDistance(DB, ${distanceMs}, () => { trips += 1 }) })
    const withTrips = (fetch) => (request, env, context) =>
      new URL(request.url).pathname === '${TRIPS}' ? new Response(String(trips)) : fetch(request, env, context)`

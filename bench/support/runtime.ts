import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { z } from 'zod'
import { migrate } from '../../scripts/local.ts'

export const root = join(import.meta.dirname, '../..')

export const migrationsDir = join(root, 'migrations')

// Wrangler takes the secrets that wrangler.toml requires from here, and would tell that it does.
process.env.RECEIPT_SECRET = 'a secret of the bench, long enough'
process.env.WRANGLER_LOG = 'error'

const quiet = { CI: 'true', WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true' }

/** Runs wrangler, silently unless it fails. */
export function wrangler(...args: string[]): void {
  const bin = join(root, 'node_modules/wrangler/bin/wrangler.js')
  execFileSync(process.execPath, [bin, ...args], {
    cwd: root,
    env: { ...process.env, ...quiet },
    stdio: 'pipe'
  })
}

const built = new Map<string, string>()

/** Builds a worker as `wrangler deploy` does, once. @returns its main JavaScript */
export function build(configPath: string): string {
  const code =
    built.get(configPath) ??
    inTemporary((folder) => {
      wrangler('deploy', '--dry-run', '--config', join(root, configPath), '--outdir', folder)
      return readFileSync(join(folder, 'worker.js'), 'utf8')
    })
  built.set(configPath, code)
  return code
}

export function inTemporary<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-bench-'))
  try {
    return work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export type Runtime = Awaited<ReturnType<typeof startWorkers>>

/**
 * The built service and the bare routes in one workerd, on one migrated database that goes away with it. Each is reached
 * through a socket of its own: the development server's proxy would add the same to both and hide their difference.
 * @param maxHeap megabytes; an isolate that needs more fails, and what it has can be watched
 * @param outboundAllow hosts that the service may reach although they are on this machine
 */
export async function startWorkers({
  maxHeap,
  outboundAllow = ''
}: {
  maxHeap?: number
  outboundAllow?: string
} = {}) {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = maxHeap ? `--max-heap-size=${maxHeap}` : ''
  const lines: LogLine[] = []
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        workerOf('service', 'wrangler.toml', { OUTBOUND_ALLOW: outboundAllow }),
        workerOf('bare', 'bench/bare/wrangler.toml')
      ],
      ...(maxHeap && { inspectorPort: 0 }),
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
    /** What the service's log says of its queue batches, claims and requests. */
    lines,
    end: () => miniflare.dispose()
  }
}

const LogLine = z.object({
  message: z.enum(['queue batch', 'due subscriptions', 'request']),
  queue: z.string().optional(),
  longest_ms: z.number().default(0),
  rows_read: z.int(),
  rows_written: z.int()
})
type LogLine = z.infer<typeof LogLine>

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const RateLimits = z.record(z.string(), z.unknown()).default({})
const Variables = z.record(z.string(), z.json())

/**
 * A worker as configured, but without two simulations that cost a millisecond and more where Cloudflare's own cost next to
 * nothing: the rate limits, which it counts on the spot and not in a database, let everything pass; assets are not asked.
 */
function workerOf(name: string, configPath: string, bindings: Record<string, string> = {}) {
  const { assets: _, ...options } = unstable_getMiniflareWorkerOptions(
    join(root, configPath)
  ).workerOptions
  const limits = Object.keys(RateLimits.parse(options.ratelimits))
  const contents = `
    import worker from './worker.js'
    const limits = Object.fromEntries(${JSON.stringify(limits)}.map((name) => [name, { limit: async () => ({ success: true }) }]))
    const withLimits = (handler) => handler && ((event, env, context) => handler(event, { ...env, ...limits }, context))
    export default { fetch: withLimits(worker.fetch), queue: withLimits(worker.queue), scheduled: withLimits(worker.scheduled) }`
  return {
    ...options,
    bindings: { ...Variables.parse(options.bindings), ...bindings },
    name,
    modules: [
      { type: 'ESModule' as const, path: 'entry.js', contents },
      { type: 'ESModule' as const, path: 'worker.js', contents: build(configPath) }
    ],
    unsafeDirectSockets: [{}]
  }
}

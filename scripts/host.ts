import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { z } from 'zod'
import { type Build, build } from './build.ts'
import { openControl } from './control.ts'
import { startCrons } from './crons.ts'
import { drain } from './drain.ts'
import { describeFault, OperatorError, openLocal, readConfig, stateDir } from './local.ts'
import { ensureProject, readSecrets } from './seed.ts'
import { Order, type Report } from './service.ts'

/*
 * The service in the Workers runtime, as `npm start` runs it: built as it is deployed, without the development server and
 * the doors that one leaves open. Its parent, scripts/service.ts, hears what becomes of it and tells it to stop.
 */

const NAME = 'edge-analytics'

/**
 * Megabytes of JavaScript objects: those of the worker at most, and those from which on V8 collects what is forgotten. The
 * simulators of D1, R2 and queues make little, but hold ten times as much beside it: with V8's own limits, the runtime
 * grows to more than a gigabyte.
 */
const HEAP = ['--max-heap-size=512', '--initial-heap-size=8', '--max-semi-space-size=1']

/** Crons and queues get this long to come to an end; what is left is taken up at the next start. */
const STOP_MS = 1000
/** Without copies on disk what is left would be lost. */
const STOP_IN_MEMORY_MS = 20_000

const isInMemory = process.argv.includes('--in-memory')
const report = (message: Report): Promise<void> =>
  new Promise((sent) => {
    if (!process.send?.(message, () => sent())) {
      sent()
    }
  })

/** What the simulator itself has to say: the service's own lines come as structured logs. */
class Notices extends Log {
  override logWithLevel(level: LogLevel, message: string): void {
    // The notice of an e-mail tells to whom it goes; where it lies has to do.
    const files = [...message.matchAll(/^(?:Text|HTML): (.+)$/gm)].map(([, file]) => file)
    if (files.length > 0) {
      console.log(JSON.stringify({ level: 'info', message: 'e-mail written', files }))
    } else if (level <= LogLevel.WARN) {
      super.logWithLevel(level, message)
    }
  }
}

async function run(): Promise<void> {
  const secrets = readSecrets()
  const [{ project, key }, worker] = await Promise.all([prepare(), build()])
  const miniflare = await start(worker, secrets)
  const portOf = async () => Number((await miniflare.unsafeGetDirectURL(NAME)).port)
  const url = `http://127.0.0.1:${await portOf()}`

  const fire = async (cron: string, scheduledTime = new Date()) => {
    const service = await miniflare.getWorker(NAME)
    const outcome = await service.scheduled({ cron, scheduledTime }).then(
      (result) => result.outcome,
      (error) => String(error)
    )
    if (outcome !== 'ok') {
      throw new OperatorError(`The cron "${cron}" failed: ${outcome}`)
    }
  }
  const crons = startCrons(readConfig().triggers.crons, (cron, minute) =>
    fire(cron, new Date(minute))
  )
  const control = await openControl(stateDir, fire)

  end = async () => {
    control.close()
    const ms = isInMemory ? STOP_IN_MEMORY_MS : STOP_MS
    await crons.stop(ms)
    const left = await drain(url, ms)
    await miniflare.dispose()
    await report({ left: isInMemory ? left : undefined })
  }
  await report({
    port: await portOf(),
    project: { id: project.id, token: project.captureToken },
    key
  })
  // The queues are new and empty: these take up what waits in the bucket and in tables.
  for (const cron of ['*/15 * * * *', '* * * * *']) {
    await fire(cron).catch((error) => console.error(describeFault(error)))
  }
}

/** Databases up to date, a project and a key. */
async function prepare() {
  const service = await openLocal()
  try {
    return await ensureProject(service.db, new Date())
  } finally {
    await service.close()
  }
}

const Bindings = z.record(z.string(), z.string())

/**
 * What asks for assets where there may be some, and the worker for all else. Wrangler has every request pass through the
 * workers that serve assets, which takes 30 kB of memory each time.
 */
const entry = (directory: string) => {
  const folders = readdirSync(directory, { withFileTypes: true }).filter((one) => one.isDirectory())
  return `import worker from './worker.js'
    const FOLDERS = ${JSON.stringify(folders.map(({ name }) => `/${name}/`))}
    async function fetch(request, { ASSETS, ...env }, context) {
      const { pathname } = new URL(request.url)
      if (request.method === 'GET' && FOLDERS.some((folder) => pathname.startsWith(folder))) {
        const asset = await ASSETS.fetch(request)
        if (asset.status !== 404) {
          return asset
        }
      }
      return worker.fetch(request, env, context)
    }
    export default { ...worker, fetch }`
}

async function start(
  { contents, options: { assets: _, ...options }, served }: Build,
  secrets: Record<string, string>
): Promise<Miniflare> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = HEAP.join(' ')
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          ...options,
          name: NAME,
          bindings: {
            ...Bindings.parse(options.bindings),
            ...secrets,
            // On disk before it is answered, unless speed is all that counts.
            SPILL: isInMemory ? '' : 'all',
            QUEUES_SINCE: String(Date.now())
          },
          serviceBindings: { ASSETS: 'assets' },
          modules: [
            {
              type: 'ESModule' as const,
              path: 'entry.js',
              contents: entry(served.assets.directory)
            },
            { type: 'ESModule' as const, path: 'worker.js', contents }
          ],
          // The public port leads here, past the simulator's own pages below /cdn-cgi/.
          unsafeDirectSockets: [{}]
        },
        {
          name: 'assets',
          ...served,
          modules: [
            {
              type: 'ESModule' as const,
              path: 'nothing.js',
              contents: 'export default { fetch: () => new Response(null, { status: 404 }) }'
            }
          ]
        }
      ],
      resourcePersistencePath: join(stateDir, 'v3'),
      handleStructuredLogs: ({ level, message }) => {
        const stream = level === 'warn' || level === 'error' ? process.stderr : process.stdout
        stream.write(`${message}\n`)
      },
      log: new Notices(LogLevel.INFO),
      // The messages of the one that crashed are lost: the parent starts another host, which takes up what they were for.
      unsafeHandleRuntimeRestart: () => process.exit(1)
    })
  )
  await miniflare.ready
  return miniflare
}

/** Ends what has been started so far; the runtime goes with the process. */
let end = async () => {}

process.on('message', async (message) => {
  if (Order.safeParse(message).data?.order === 'stop') {
    await end()
    process.exit(0)
  }
})
// The parent is gone, however that went.
process.on('disconnect', () => process.exit(1))

try {
  await run()
} catch (error) {
  await report({ failure: describeFault(error) })
  process.exit(1)
}

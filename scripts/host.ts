import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { z } from 'zod'
import { EVERY_15_MINUTES, EVERY_MINUTE } from '../src/jobs/cron.ts'
import { openBucket } from './bucket.ts'
import { type Build, build } from './build.ts'
import { readConfig } from './config.ts'
import { openControl } from './control.ts'
import { startCrons } from './crons.ts'
import { drain } from './drain.ts'
import { stateDir } from './environment.ts'
import { describeFault, OperatorError } from './faults.ts'
import { bucketsOf, openLocal, overwriteDeleted } from './local.ts'
import { startProject } from './local-project.ts'
import { readSecrets } from './local-secrets.ts'
import { type Dispatch, runCron, SECRET, WORKER } from './operator.ts'
import { Order, type Report } from './service.ts'
import { expectUsable } from './state.ts'

/*
 * Runs the service in the Workers runtime for `npm start`: the same build as a deployment, without
 * the development server and its unprotected pages. The parent, scripts/service.ts, receives
 * reports and sends the order to stop.
 */

const NAME = 'edge-analytics'

/** Name of the worker that fires the service's crons and gives access to the bucket. Only this process can call it. */
const OPERATOR = 'operator'

/**
 * V8 flags, unless MINIFLARE_WORKERD_V8_FLAGS has others: at most 512 MB of heap per isolate, collected from 8 MB on. With V8's
 * defaults the runtime grows beyond 1 GB: objects of the simulated D1, R2 and queues hold about ten
 * times their size outside the heap, and V8 collects them late, because they fill the heap slowly.
 */
const HEAP = ['--max-heap-size=512', '--initial-heap-size=8', '--max-semi-space-size=1']

/** Time for crons to finish, and then as much again for queues to drain, ms. The next start resumes the rest. */
const STOP_MS = 1000
/** The same with `--in-memory`: the rest is lost. */
const STOP_IN_MEMORY_MS = 20_000

/** How often the clock is checked, and how far it must be set back to end the host, ms. */
const CLOCK_MS = 1000
const SET_BACK_MS = 2000

/** The first compatibility date with the Node modules that the worker needs. */
const OLDEST_DATE = '2026-08-04'

const isInMemory = process.argv.includes('--in-memory')
const report = (message: Report): Promise<void> =>
  new Promise((sent) => {
    if (!process.send?.(message, () => sent())) {
      sent()
    }
  })

/** Filters Miniflare's own messages; the service's lines arrive as structured logs. */
class Notices extends Log {
  override logWithLevel(level: LogLevel, message: string): void {
    // Miniflare's message about an e-mail names recipients, so only its files are logged.
    const files = [...message.matchAll(/^(?:Text|HTML): (.+)$/gm)].map(([, file]) => file)
    const page = files.find((file) => file?.endsWith('.html'))
    // An erasure may have removed it.
    if (page !== undefined && existsSync(page)) {
      embedImages(page, message)
      // Standard error also reaches the terminal.
      console.error(`An e-mail, written instead of sent: ${pathToFileURL(page)}`)
    }
    if (files.length > 0) {
      console.log(JSON.stringify({ level: 'info', message: 'e-mail written', files }))
    } else if (level <= LogLevel.WARN) {
      super.logWithLevel(level, message)
    }
  }
}

/**
 * Puts the images of an e-mail into its page, as a mail program does. Miniflare writes them beside
 * it, in base64 as they were sent.
 */
function embedImages(page: string, message: string): void {
  const images = [...message.matchAll(/^Attachment \(inline\): (.+)\.png -> (.+)$/gm)]
  const html = images.reduce(
    (text, [, id, file = '']) =>
      text.replace(`cid:${id}`, `data:image/png;base64,${readFileSync(file, 'utf8')}`),
    readFileSync(page, 'utf8')
  )
  writeFileSync(page, html)
}

async function run(): Promise<void> {
  const secrets = readSecrets()
  expectUsable(stateDir)
  const miniflare = await start(await build(), secrets)
  const { project, key, code } = await startProject(() => openLocal(stateDir, bucketOf(miniflare)))
  const portOf = async () => Number((await miniflare.unsafeGetDirectURL(NAME)).port)
  const url = `http://127.0.0.1:${await portOf()}`

  const fire = async (cron: string, scheduledTime = new Date()) => {
    const outcome = await runCron(dispatchTo(miniflare), { cron, scheduledTime })
    if (outcome !== 'ok') {
      throw new OperatorError(`The cron "${cron}" failed: ${outcome}`)
    }
    if (cron === EVERY_15_MINUTES) {
      overwriteDeleted(stateDir)
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
    key,
    code
  })
  endWhenSetBack()
  // The queues start empty: these crons resume the work that waits in the bucket and in tables.
  for (const cron of [EVERY_15_MINUTES, EVERY_MINUTE]) {
    await fire(cron).catch((error) => console.error(describeFault(error)))
  }
}

/** Sends requests to the operator's worker. */
const dispatchTo =
  (miniflare: Miniflare): Dispatch =>
  (url, { headers, ...request }) =>
    miniflare.dispatchFetch(url, {
      ...request,
      headers: { ...headers, 'MF-Route-Override': OPERATOR }
    })

/** Gives access to the bucket through the service's own runtime, which `close` leaves running. */
const bucketOf = (miniflare: Miniflare) => ({
  bucket: async () => openBucket(dispatchTo(miniflare)),
  close: async () => {}
})

/**
 * Exits when the clock is set back; the parent starts another host, which resumes the work.
 * Otherwise the runtime's clock and the queues' timers would stand still until the old time is
 * reached again.
 */
function endWhenSetBack(): void {
  let offset = Date.now() - performance.now()
  setInterval(() => {
    const before = offset
    offset = Date.now() - performance.now()
    if (offset < before - SET_BACK_MS) {
      console.error('The clock was set back.')
      process.exit(1)
    }
  }, CLOCK_MS)
}

/**
 * Returns the compatibility date of wrangler.toml, or today if the clock shows an earlier day: Miniflare refuses dates in
 * the future.
 * @throws OperatorError when the clock is too far back for the worker to run
 */
function dateFor(configured: string): string {
  const today = new Date().toISOString().slice(0, 10)
  if (today < OLDEST_DATE) {
    throw new OperatorError(`The clock of this machine shows ${today}. Correct it and start again.`)
  }
  return today < configured ? today : configured
}

const Bindings = z.record(z.string(), z.json())

/**
 * Returns the source of the entry module, which serves the folders of assets and calls the worker
 * for everything else. Miniflare would send every request through its asset workers, which hold on
 * to 30 kB per request.
 */
const entry = (directory: string) => {
  const folders = readdirSync(directory, { withFileTypes: true }).filter((item) =>
    item.isDirectory()
  )
  return `import worker from './worker.mjs'
    const FOLDERS = ${JSON.stringify(folders.map(({ name }) => `/${name}/`))}
    async function fetch(request, { ASSETS, ...env }, context) {
      const { pathname } = new URL(request.url)
      if (['GET', 'HEAD'].includes(request.method) && FOLDERS.some((folder) => (pathname + '/').startsWith(folder))) {
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
  { modules, options: { assets: _, ...options }, served }: Build,
  secrets: Record<string, string>
): Promise<Miniflare> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS ??= HEAP.join(' ')
  const compatibilityDate = dateFor(served.compatibilityDate)
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          ...options,
          name: NAME,
          compatibilityDate,
          bindings: {
            ...Bindings.parse(options.bindings),
            ...secrets,
            // With a state folder, every captured request is on disk before it is answered.
            SPILL: isInMemory ? '' : 'all',
            // Answers each /readyz with the present state. Only this machine can ask, so no cache is needed.
            HEALTH_SECONDS: '0',
            QUEUES_SINCE: String(Date.now())
          },
          serviceBindings: { ASSETS: 'assets' },
          modules: [
            {
              type: 'ESModule' as const,
              path: 'entry.js',
              contents: entry(served.assets.directory)
            },
            ...modules
          ],
          // A port that leads straight to the worker, past the simulator's own pages under
          // /cdn-cgi/.
          unsafeDirectSockets: [{}]
        },
        {
          name: 'assets',
          ...served,
          compatibilityDate,
          modules: [
            {
              type: 'ESModule' as const,
              path: 'nothing.js',
              contents: 'export default { fetch: () => new Response(null, { status: 404 }) }'
            }
          ]
        },
        {
          name: OPERATOR,
          modules: true,
          script: WORKER,
          bindings: { SECRET },
          r2Buckets: bucketsOf(),
          serviceBindings: { SERVICE: NAME },
          compatibilityFlags: ['service_binding_extra_handlers']
        }
      ],
      resourcePersistencePath: join(stateDir, 'v3'),
      handleStructuredLogs: ({ level, message }) => {
        const stream = level === 'warn' || level === 'error' ? process.stderr : process.stdout
        stream.write(`${message}\n`)
      },
      log: new Notices(LogLevel.INFO),
      // When the runtime crashes, its queues lose their messages. The parent then starts another host, which resumes the work
      // from the bucket and the tables.
      unsafeHandleRuntimeRestart: () => process.exit(1)
    })
  )
  await miniflare.ready
  return miniflare
}

/** Drains the queues and stops the service. Until the service runs, there is nothing to drain: the process just ends. */
let end = async () => {}

process.on('message', async (message) => {
  if (Order.safeParse(message).data?.order === 'stop') {
    await end()
    process.exit(0)
  }
})
// The parent has ended. It may have ended before this listener was added, hence the check below.
process.on('disconnect', () => process.exit(1))
if (!process.connected) {
  process.exit(1)
}

await run()

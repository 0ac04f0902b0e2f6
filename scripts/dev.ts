import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE } from '../src/calendar/units.ts'
import { EVERY_15_MINUTES, EVERY_MINUTE } from '../src/jobs/cron.ts'
import { explainPort, isPortTaken, readConfig, readPort } from './config.ts'
import { openControl } from './control.ts'
import { startCrons } from './crons.ts'
import { root, stateDir } from './environment.ts'
import { describeFault, OperatorError } from './faults.ts'
import { startProject } from './local-project.ts'
import { readSecrets, secretsFile } from './local-secrets.ts'
import { claimState } from './lock.ts'
import { readCommandLine } from './usage.ts'
import { welcome } from './welcome.ts'
import { WRANGLER_ARGS } from './wrangler.ts'

/*
 * Bare `wrangler dev` runs no crons, and loses its queues when it stops.
 */

const USAGE = `npm run dev

Runs the worker on wrangler's development server, which rebuilds it after each change of the source, on the data of
npm start. PORT=<number> changes its port (default: 8787), STATE_DIR=<folder> where its data is.`

/** Folder for e-mails written as files; other users cannot read it. */
const temporary = join(stateDir, 'tmp')

/**
 * Where PORT=0 finds a port: below those that systems give to programs that ask for any, so that none
 * of these gets it until the server listens.
 */
const OWN_PORTS = [20_000, 30_000] as const

/** How long the server may take to start, and to stop, ms. */
const START_MS = MINUTE
const STOP_MS = 4000

const NOTE = `
The worker is rebuilt after each change of the source. Crons run on schedule, or by npm run cron. All data that
was acknowledged is on disk: work left in the queues is resumed at the next start, or by the sweep every 15 minutes.
Every program on this machine can read the data under /cdn-cgi/ (docs/security.md): use test data only.
`

process.exitCode = await run()

/** Runs the server until it ends. @returns its exit code */
async function run(): Promise<number> {
  readCommandLine(USAGE, { options: {} })
  const port = await findPort()
  expectWritable()
  claimState(port)
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  const secrets = readSecrets()
  const { project, key, code } = await startProject()
  const server = startServer(port, secrets)
  const ended = once(server, 'close')
  const isRunning = () => server.exitCode === null && server.signalCode === null

  const url = `http://127.0.0.1:${port}`
  const isReady = await Promise.race([untilReady(url, isRunning), ended.then(() => false)])
  if (!isReady && isRunning()) {
    server.kill('SIGKILL')
    throw new OperatorError(`The development server did not answer within ${START_MS / 1000} s.`)
  }
  if (isReady) {
    const token = project.captureToken
    console.log(`${welcome(url, { project: { id: project.id, token }, key, code })}\n${NOTE}`)
    await runJobs(url, ended)
  }
  await ended
  return server.exitCode ?? 0
}

/** Returns the port to listen on. @throws OperatorError when that is impossible */
async function findPort(): Promise<number> {
  const wanted = readPort()
  const port = wanted === 0 ? randomInt(...OWN_PORTS) : wanted
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch (error) {
    if (wanted === 0 && isPortTaken(error)) {
      return findPort()
    }
    throw explainPort(error, wanted, 'npm run dev')
  }
  probe.close()
  await once(probe, 'close')
  return port
}

/** Checks that wrangler can write to its build folders; otherwise it would wait forever. @throws OperatorError */
function expectWritable(): void {
  for (const folder of [join(root, '.wrangler/tmp'), join(root, 'dist')]) {
    try {
      mkdirSync(folder, { recursive: true })
      rmSync(mkdtempSync(join(folder, 'dev-')), { recursive: true })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : error
      throw new OperatorError(`The worker cannot be built: ${folder} is not writable (${code}).`)
    }
  }
}

function startServer(port: number, secrets: Record<string, string>) {
  const vars = ['SPILL:all', 'HEALTH_SECONDS:0', `QUEUES_SINCE:${Date.now()}`].flatMap(
    (variable) => ['--var', variable]
  )
  const args = [
    ...WRANGLER_ARGS,
    // With a file of its own, wrangler does not read `.dev.vars`.
    ...['dev', '--port', String(port), '--persist-to', stateDir, '--env-file', secretsFile],
    ...vars
  ]
  const server = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...secrets, IS_PREPARED: '1', TMPDIR: temporary },
    stdio: 'inherit'
  })
  process.on('exit', () => server.kill('SIGKILL'))
  // The terminal sends Ctrl-C to the server too. This process ends when the server has ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      server.kill(signal)
      setTimeout(() => server.kill('SIGKILL'), STOP_MS).unref()
    })
  }
  return server
}

/** Waits until the server answers. @returns false if it ends before, or does not answer within `START_MS` */
async function untilReady(url: string, isRunning: () => boolean): Promise<boolean> {
  const end = performance.now() + START_MS
  while (isRunning() && performance.now() < end) {
    const isThere = await fetch(`${url}/livez`).then(
      ({ ok }) => ok,
      () => false
    )
    if (isThere) {
      return true
    }
    await sleep(200)
  }
  return false
}

/** Fires Cron Triggers on schedule and on request until the server ends. Begins with the two that resume waiting work. */
async function runJobs(url: string, ended: Promise<unknown>): Promise<void> {
  const fire = async (cron: string, time = Date.now()) => {
    const query = new URLSearchParams({ cron, time: String(time) })
    const response = await fetch(`${url}/cdn-cgi/handler/scheduled?${query}`)
    if (!response.ok) {
      throw new OperatorError(`The cron "${cron}" failed: ${await response.text()}`)
    }
  }
  const crons = startCrons(readConfig().triggers.crons, fire)
  const control = await openControl(stateDir, fire)
  for (const cron of [EVERY_15_MINUTES, EVERY_MINUTE]) {
    await fire(cron).catch((error) => console.error(describeFault(error)))
  }
  await ended
  control.close()
  await crons.stop(0)
}

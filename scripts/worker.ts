import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { configPath, OperatorError, stateDir, wranglerBin } from './local.ts'

const READY_MS = 60_000
const DRAIN_MS = 20_000
const END_MS = 5000

/** Ends wrangler when the process that started it is gone, however that went. */
const LEASH = `data:text/javascript,process.on('disconnect',()=>process.kill(process.pid,'SIGTERM'))`

const Ready = z.object({ event: z.literal('DEV_SERVER_READY'), port: z.int() })

const Health = z.object({
  queue: z.object({ backlog: z.int(), consuming: z.int(), retrying: z.int() })
})

export const logFile = join(stateDir, 'service.log')

/**
 * `wrangler dev` on a free port and in a process group of its own, which the terminal's Ctrl-C does not reach: its queues
 * are in memory, and it must outlive the requests that filled them. What it prints goes to the log.
 */
export class Worker {
  readonly #child: ChildProcess
  /** The port it answers on. */
  readonly port: Promise<number>
  /** Settles, with the end of its log, when it has ended. */
  readonly ended: Promise<OperatorError>
  /** From then on its warnings and errors are shown as well; before, they are notices of wrangler's own. */
  isReady = false

  /** @param secrets file with the service's secrets */
  constructor(secrets: string) {
    mkdirSync(stateDir, { recursive: true })
    // People's data lies in it, also in what wrangler keeps for itself.
    chmodSync(stateDir, 0o700)
    const log = createWriteStream(logFile, { flags: 'w', mode: 0o600 })
    const args = [
      'dev',
      '--config',
      configPath,
      '--local',
      '--persist-to',
      stateDir,
      '--ip',
      '127.0.0.1',
      '--env-file',
      secrets
    ]
    const ports = ['--port', '0', '--inspector-port', '0', '--show-interactive-dev-session=false']
    const child = spawn(process.execPath, ['--import', LEASH, wranglerBin, ...args, ...ports], {
      env: { ...process.env, WRANGLER_LOG: 'log' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc']
    })
    this.#child = child
    child.stdout?.on('data', (chunk) => log.write(chunk))
    child.stderr?.on('data', (chunk) => {
      log.write(chunk)
      if (this.isReady) {
        process.stderr.write(chunk)
      }
    })
    this.port = new Promise((found) => {
      child.on('message', (message) => {
        const ready = Ready.safeParse(JSON.parse(String(message)))
        if (ready.success) {
          found(ready.data.port)
        }
      })
    })
    this.ended = new Promise((done) => {
      child.on('error', (error) =>
        done(new OperatorError(`The worker cannot be started: ${error.message}`))
      )
      child.on('close', () => log.end(() => done(failure('The worker ended by itself.'))))
    })
  }

  /** Ends it and everything it started. What is not done by then is lost. */
  async end(): Promise<void> {
    signalGroup(this.#child, 'SIGTERM')
    await Promise.race([this.ended, sleep(END_MS, undefined, { ref: false })])
    this.kill()
  }

  kill(): void {
    signalGroup(this.#child, 'SIGKILL')
  }
}

/** @throws OperatorError when the service does not say in time that it is ready */
export async function waitUntilReady(url: string): Promise<void> {
  let answer = 'It does not answer.'
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await sleep(100)) {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_MS) }).catch(
      () => undefined
    )
    if (response?.status === 200) {
      return
    }
    if (response) {
      answer = `GET /readyz answers ${response.status}: ${await response.text()}`
    }
  }
  throw failure(`The service is not ready after ${READY_MS / 1000} s. ${answer}`)
}

/** Waits until the queues are empty. If they do not get empty in time, what is still in them. */
export async function drain(url: string, ms = DRAIN_MS): Promise<string | undefined> {
  let left: string | undefined
  let quiet = 0
  for (const deadline = Date.now() + ms; quiet < 2 && Date.now() < deadline; await sleep(150)) {
    left = await describeQueue(url).catch(() => 'an unknown number of messages')
    quiet = left ? 0 : quiet + 1
  }
  return left
}

async function describeQueue(url: string): Promise<string | undefined> {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) })
  const { backlog, consuming, retrying } = Health.parse(await response.json()).queue
  const messages = backlog + retrying
  return messages + consuming > 0
    ? `${messages} messages and ${consuming} batches under way`
    : undefined
}

function failure(message: string): OperatorError {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n')
  return new OperatorError(`${message} The end of ${logFile}:\n${lines.slice(-20).join('\n')}`)
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid) {
      process.kill(-child.pid, signal)
    }
  } catch {
    // The group is gone already.
  }
}

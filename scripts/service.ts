import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ENTRY, root, stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import type { LogFile } from './log.ts'

/** The parent's order to the service. */
export const Order = z.object({ order: z.literal('stop') })

const Ready = z.object({
  port: z.int(),
  project: z.object({ id: z.int(), token: z.string() }),
  key: z.string(),
  /** The code of an invitation to the console. */
  code: z.string()
})
export type Ready = z.infer<typeof Ready>

/**
 * The service's report to its parent: ready, unable to start, or stopped with the messages `left`
 * in its queues.
 */
const Report = z.union([
  Ready,
  z.object({ failure: z.string() }),
  z.object({ left: z.string().optional() })
])
export type Report = z.infer<typeof Report>

/**
 * File with the process group of the service, so that the next start can end processes that
 * survived a kill.
 */
export const groupFile = join(stateDir, 'service.pid')

/** Number of last log lines shown when the service fails. */
const LAST_LINES = 20

/**
 * The service in its own process group. The terminal's Ctrl-C does not reach it, because it must finish the requests in
 * progress. Its output goes to the log; warnings and errors are also shown.
 */
export class Service {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<Ready>()
  readonly #last: string[] = []
  #failure: string | undefined
  #left: string | undefined
  /** Resolves when the service answers. */
  readonly ready = this.#ready.promise
  /** Resolves with the reason when the service has ended. */
  readonly ended: Promise<OperatorError>

  /** @param options command-line options for scripts/host.ts */
  constructor(log: LogFile, options: string[]) {
    const temporary = join(stateDir, 'tmp')
    rmSync(temporary, { recursive: true, force: true })
    mkdirSync(temporary, { mode: 0o700 })

    const args = ['--import', ENTRY, join(root, 'scripts/host.ts'), ...options]
    this.#child = spawn(process.execPath, args, {
      // Keeps the simulator's files, such as e-mails, in a folder closed to other users.
      env: { ...process.env, TMPDIR: temporary },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc']
    })
    writeFileSync(groupFile, String(this.#child.pid))
    let isReady = false
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk) => this.#keep(log, chunk))
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk) => {
      this.#keep(log, chunk)
      if (isReady) {
        process.stderr.write(chunk)
      }
    })
    this.#child.on('message', (message) => {
      const report = Report.parse(message)
      if ('port' in report) {
        isReady = true
        this.#ready.resolve(report)
      } else if ('failure' in report) {
        this.#failure = report.failure
      } else {
        this.#left = report.left
      }
    })
    this.ended = new Promise((done) => {
      this.#child.on('error', (error) =>
        done(new OperatorError(`The service could not be started: ${error.message}`))
      )
      this.#child.on('close', () => {
        // Ends the runtime too, if the host could not.
        this.kill()
        done(new OperatorError(this.#failure ?? this.#describeEnd(log)))
      })
    })
  }

  /**
   * Stops the service: it drains its queues first, and is killed after `ms`.
   * @returns a description of lost messages, or undefined
   */
  async stop(ms: number): Promise<string | undefined> {
    if (this.#child.connected) {
      this.#child.send({ order: 'stop' } satisfies z.infer<typeof Order>)
    }
    const late = setTimeout(() => this.kill(), ms)
    await this.ended
    clearTimeout(late)
    return this.#left
  }

  /** Kills the service and everything it started. */
  kill(): void {
    try {
      if (this.#child.pid) {
        process.kill(-this.#child.pid, 'SIGKILL')
      }
    } catch {
      // The group is gone already.
    }
  }

  #keep(log: LogFile, text: string): void {
    log.write(text)
    this.#last.push(...text.trimEnd().split('\n'))
    this.#last.splice(0, this.#last.length - LAST_LINES)
  }

  #describeEnd({ path }: LogFile): string {
    return `The service ended unexpectedly. The last lines of ${path}:\n${this.#last.join('\n')}`
  }
}

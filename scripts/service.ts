import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { OperatorError, root, stateDir } from './local.ts'
import type { LogFile } from './log.ts'

/** What the parent tells the service. */
export const Order = z.object({ order: z.literal('stop') })

const Ready = z.object({
  port: z.int(),
  project: z.object({ id: z.int(), token: z.string() }),
  key: z.string()
})
export type Ready = z.infer<typeof Ready>

/** What the service tells: that it is ready, that it cannot start, or what it left in its queues at its end. */
const Report = z.union([
  Ready,
  z.object({ failure: z.string() }),
  z.object({ left: z.string().optional() })
])
export type Report = z.infer<typeof Report>

/** Names the process group of the service, so that the next start can end what a kill has left of it. */
export const groupFile = join(stateDir, 'service.pid')

/** Lines of the log that are shown when the service fails. */
const LAST_LINES = 20

/**
 * The service, in a process group of its own, which the terminal's Ctrl-C does not reach: it must outlive the requests
 * that are under way. What it prints goes to the log; its warnings and errors are shown as well.
 */
export class Service {
  readonly #child: ChildProcess
  readonly #ready = Promise.withResolvers<Ready>()
  readonly #last: string[] = []
  #failure: string | undefined
  #left: string | undefined
  /** Settles when it answers. */
  readonly ready = this.#ready.promise
  /** Settles when it has ended, with the reason. */
  readonly ended: Promise<OperatorError>

  /** @param options of scripts/host.ts */
  constructor(log: LogFile, options: string[]) {
    const temporary = join(stateDir, 'tmp')
    rmSync(temporary, { recursive: true, force: true })
    mkdirSync(temporary, { mode: 0o700 })

    const quick = ['--import', join(root, 'scripts/compile-cache.js')]
    this.#child = spawn(process.execPath, [...quick, join(root, 'scripts/host.ts'), ...options], {
      // E-mails and other files of the simulator lie where nobody else looks.
      env: { ...process.env, TMPDIR: temporary },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc']
    })
    writeFileSync(groupFile, String(this.#child.pid))
    let isReady = false
    this.#child.stdout?.on('data', (chunk) => this.#keep(log, String(chunk)))
    this.#child.stderr?.on('data', (chunk) => {
      this.#keep(log, String(chunk))
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
        done(new OperatorError(`The service cannot be started: ${error.message}`))
      )
      this.#child.on('close', () => {
        // The runtime that it has started, if it could not end that itself.
        this.kill()
        done(new OperatorError(this.#failure ?? this.#describeEnd(log)))
      })
    })
  }

  /**
   * Has it end: its queues first, and after so many milliseconds at once.
   * @returns what is lost, undefined when nothing is
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

  /** Ends it and everything it started, at once. */
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
    return `The service ended by itself. The end of ${path}:\n${this.#last.join('\n')}`
  }
}

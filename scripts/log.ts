import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'

/** Size in bytes at which a log file is rotated, and the number of files kept: 50 MB of log at most. */
const MAX_BYTES = 10_000_000
const MAX_FILES = 5

/**
 * A rotating log file: `service.log`, then `service.log.1` to `.4`, the oldest last. Lines that
 * cannot be written, for example because the disk is full, are dropped and counted; the process
 * continues.
 */
export class LogFile {
  readonly path: string
  readonly #maxBytes: number
  #file: number | undefined
  #bytes = 0
  #lost = 0

  constructor(path: string, maxBytes = MAX_BYTES) {
    this.path = path
    this.#maxBytes = maxBytes
  }

  write(text: string): void {
    try {
      this.#open()
      if (this.#lost > 0) {
        this.#append(
          `${JSON.stringify({ level: 'warn', message: 'log lines lost', writes: this.#lost })}\n`
        )
        this.#lost = 0
      }
      this.#append(text)
    } catch {
      this.#lost += 1
      this.#close()
    }
  }

  #open(): void {
    if (this.#file !== undefined && this.#bytes >= this.#maxBytes) {
      this.#close()
      this.#rotate()
    }
    if (this.#file === undefined) {
      this.#file = openSync(this.path, 'a', 0o600)
      this.#bytes = fstatSync(this.#file).size
    }
  }

  #append(text: string): void {
    const bytes = Buffer.from(text)
    for (let at = 0; this.#file !== undefined && at < bytes.length; ) {
      at += writeSync(this.#file, bytes, at)
    }
    this.#bytes += bytes.length
  }

  #rotate(): void {
    const nameOf = (n: number) => (n === 0 ? this.path : `${this.path}.${n}`)
    rmSync(nameOf(MAX_FILES - 1), { force: true })
    for (let n = MAX_FILES - 2; n >= 0; n -= 1) {
      try {
        renameSync(nameOf(n), nameOf(n + 1))
      } catch {
        // Fewer files exist so far.
      }
    }
  }

  #close(): void {
    if (this.#file !== undefined) {
      closeSync(this.#file)
      this.#file = undefined
    }
  }
}

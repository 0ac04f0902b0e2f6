import type { WriteStream } from 'node:tty'

/** Characters between the brackets. */
const WIDTH = 30

/** A progress bar that redraws in place on a terminal. Without a terminal, it prints only its final state. */
export class Progress {
  readonly #out: Pick<WriteStream, 'isTTY' | 'write'>
  readonly #total: number

  constructor(out: Pick<WriteStream, 'isTTY' | 'write'>, total: number) {
    this.#out = out
    this.#total = total
  }

  show(done: number, text: string): void {
    if (this.#out.isTTY) {
      this.#out.write(`\r${this.#line(done, text)}\x1b[K`)
    }
  }

  end(done: number, text: string): void {
    this.show(done, text)
    this.#out.write(this.#out.isTTY ? '\n' : `${this.#line(done, text)}\n`)
  }

  #line(done: number, text: string): string {
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total)
    const filled = Math.floor(share * WIDTH)
    return `[${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %  ${text}`
  }
}

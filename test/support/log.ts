import { expect, vi } from 'vitest'

type Line = Record<string, unknown>

/** Records the log from now on and keeps it out of the test's output. */
export function listenToLog() {
  const listeners = (['info', 'warn', 'error'] as const).map((level) => {
    // Where the test spies already, `spyOn` returns the test's spy with its earlier calls.
    const isOwn = !vi.isMockFunction(console[level])
    const spy = vi.spyOn(console, level)
    if (isOwn) {
      spy.mockImplementation(() => {})
    }
    return { spy, isOwn, from: spy.mock.calls.length }
  })
  const texts = () =>
    listeners.flatMap(({ spy, from }) => spy.mock.calls.slice(from).map(([text]) => String(text)))
  return {
    /** Everything logged, as written. */
    texts,
    /** Returns the lines with this message. */
    lines: (message: string): Line[] =>
      texts()
        .map((text) => JSON.parse(text))
        .filter((line) => line.message === message),
    /** Stops recording, and forgets the log. The test's own spies stay. */
    stop() {
      for (const { spy } of listeners.filter(({ isOwn }) => isOwn)) {
        spy.mockRestore()
      }
    }
  }
}

/** Returns the rows that requests and queue batches read and write while `run` runs, by their lines in the log. */
export async function measureRows(run: () => Promise<unknown>) {
  const log = listenToLog()
  try {
    await run()
    const lines = [...log.lines('request'), ...log.lines('queue batch')]
    expect(lines).not.toEqual([])
    const sum = (name: string) => lines.reduce((total, line) => total + Number(line[name]), 0)
    return { read: sum('rows_read'), written: sum('rows_written') }
  } finally {
    log.stop()
  }
}

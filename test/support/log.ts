import { expect, vi } from 'vitest'

type Line = Record<string, unknown>

/** Records the log from now on and keeps it out of the test's output. */
export function listenToLog() {
  const levels = (['info', 'warn', 'error'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation(() => {})
  )
  const texts = () => levels.flatMap((level) => level.mock.calls.map(([text]) => String(text)))
  return {
    /** Everything logged, as written. */
    texts,
    /** Returns the lines with this message. */
    lines: (message: string): Line[] =>
      texts()
        .map((text) => JSON.parse(text))
        .filter((line) => line.message === message)
  }
}

/** Returns the rows that requests and queue batches read and write while `run` runs, by their lines in the log. */
export async function measureRows(run: () => Promise<unknown>) {
  const log = listenToLog()
  await run()
  const lines = [...log.lines('request'), ...log.lines('queue batch')]
  vi.restoreAllMocks()
  expect(lines).not.toEqual([])
  const sum = (name: string) => lines.reduce((total, line) => total + Number(line[name]), 0)
  return { read: sum('rows_read'), written: sum('rows_written') }
}

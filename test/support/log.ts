import { vi } from 'vitest'

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

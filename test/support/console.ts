import { afterEach } from 'vitest'

/*
 * Keeps what the service logs, and shows it only of a test that fails. Vitest's own console sends each line to the main
 * process and waits for the receipt before a file ends; where a line comes from a request that is over by then, the
 * receipt is never noticed and the run never ends.
 */

// This file runs before each test file, all of them in one runtime: only the first finds Vitest's own console.
const shared = globalThis as typeof globalThis & { print?: Console['log'] }
shared.print ??= console.log.bind(console)
const { print } = shared

const lines: unknown[][] = []
const keep = (...line: unknown[]) => void lines.push(line)
Object.assign(console, { debug: keep, info: keep, log: keep, warn: keep, error: keep })

afterEach(({ task }) => {
  const said = lines.splice(0)
  if (task.result?.state === 'fail') {
    for (const line of said) {
      print(...line)
    }
  }
})

import { afterEach } from 'vitest'

/*
 * Keeps the service's log lines, and shows those of failing tests. Vitest's own console sends each line to the main process,
 * and waits for the confirmations before a test file ends. A line from a request that is already over never gets its
 * confirmation, so the run would never end.
 */

// This file runs before every test file in the same runtime; only the first one finds Vitest's own console.
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

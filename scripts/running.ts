import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file for each service that this clone runs, named for its process: it holds the state folder. */
const FOLDER = join(import.meta.dirname, '../node_modules/.cache/running')

/** Notes for the commands on which folder this process runs a service. */
export function markRunning(stateDir: string): { remove(): void } {
  const file = join(FOLDER, String(process.pid))
  try {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, stateDir)
    return { remove: () => rmSync(file, { force: true }) }
  } catch {
    // A clone that cannot be written to: the commands go without.
    return { remove() {} }
  }
}

/** The state folders of the services that this clone runs. */
export function listRunning(): string[] {
  try {
    return readdirSync(FOLDER)
      .filter(isAlive)
      .map((pid) => readFileSync(join(FOLDER, pid), 'utf8'))
  } catch {
    return []
  }
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

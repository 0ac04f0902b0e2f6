import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folder with one file per running service of this clone, named by process id, containing its state folder. */
const FOLDER = join(import.meta.dirname, '../node_modules/.cache/running')

/** Records the state folder of this process's service, so that operator commands can suggest it. */
export function markRunning(stateDir: string): { remove(): void } {
  const file = join(FOLDER, String(process.pid))
  try {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, stateDir)
    return { remove: () => rmSync(file, { force: true }) }
  } catch {
    // The clone is read-only: commands cannot suggest this folder.
    return { remove() {} }
  }
}

/** Lists the state folders of this clone's running services. */
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

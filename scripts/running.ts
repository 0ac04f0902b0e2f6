import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Folder with a file for each running service of this clone. The file's name is the service's
 * process id, its content the path of the service's state folder.
 */
const FOLDER = join(import.meta.dirname, '../node_modules/.cache/running')

/** Records the state folder of this process's service, so that operator commands can suggest it. */
export function markRunning(stateDir: string): { remove(): void } {
  const file = join(FOLDER, String(process.pid))
  try {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, stateDir)
    return { remove: () => rmSync(file, { force: true }) }
  } catch {
    // The clone is read-only. Without the file, commands cannot suggest `stateDir`.
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
  } catch (error) {
    // The process of another user cannot be signalled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

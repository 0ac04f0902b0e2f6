import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/**
 * Folder with a file for each running service of this clone. The file's name is the service's
 * process id, its content the service.
 */
const FOLDER = join(import.meta.dirname, '../node_modules/.cache/running')

const Running = z.object({ stateDir: z.string(), port: z.int().optional() })
type Running = z.infer<typeof Running>

/** Records this process's service, so that operator commands can suggest its state folder. */
export function markRunning(service: Running): { remove(): void } {
  const file = join(FOLDER, String(process.pid))
  try {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(file, JSON.stringify(service))
    return { remove: () => rmSync(file, { force: true }) }
  } catch {
    // The clone is read-only. Without the file, commands cannot suggest the folder.
    return { remove() {} }
  }
}

/** Lists the running services of this clone. */
export function listRunning(): Running[] {
  try {
    return readdirSync(FOLDER)
      .filter(isAlive)
      .map((pid) => Running.parse(JSON.parse(readFileSync(join(FOLDER, pid), 'utf8'))))
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

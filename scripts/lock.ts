import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { markRunning } from './running.ts'
import { makeFolder } from './state.ts'

const SQLITE_BUSY = 5
const SQLITE_NOTADB = 26

/**
 * Creates the state folder, closed to other users, and locks it until this process ends: two
 * services on the same files would lose each other's queued messages. The operating system holds
 * the lock, so a killed process leaves none behind.
 * @param port the port of the service, if it is known
 * @throws OperatorError when the folder cannot be used, another process has locked it, or the lock
 * file is damaged
 */
export function claimState(port?: number): void {
  makeFolder(stateDir)
  const lock = lockState()
  const marker = markRunning({ stateDir, ...(port !== undefined && { port }) })
  process.on('exit', () => {
    lock.close()
    marker.remove()
  })
}

function lockState(): DatabaseSync {
  const file = join(stateDir, 'service.lock')
  const lock = new DatabaseSync(file)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    if (code === SQLITE_BUSY) {
      throw new OperatorError(
        `A service is already running on ${stateDir}. Stop it, or choose another folder: STATE_DIR=<folder> npm start`
      )
    }
    if (code === SQLITE_NOTADB) {
      throw new OperatorError(`${file} is damaged. It holds no data: delete it.`)
    }
    throw error
  }
  return lock
}

/**
 * Ends a runtime that outlived its killed service and would keep working on the same files.
 * @param groupFile holds the service's process group
 */
export function endLeftovers(groupFile: string): void {
  const group = existsSync(groupFile) ? readFileSync(groupFile, 'utf8') : ''
  for (const [, pid, , command = ''] of listProcesses().filter(([, , own]) => own === group)) {
    if (command.includes('workerd')) {
      process.kill(Number(pid), 'SIGKILL')
    }
  }
}

/** Lists the process id, group id and command of every process; empty without `ps`. */
function listProcesses(): RegExpExecArray[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,pgid=,command='], { encoding: 'utf8' })
  return [...(stdout ?? '').matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)]
}

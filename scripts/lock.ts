import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder, OperatorError, stateDir } from './local.ts'
import { markRunning } from './running.ts'

const SQLITE_BUSY = 5
const SQLITE_NOTADB = 26

/**
 * Makes the state folder, closed to other users, and claims it for this process until it ends: of two services on the same
 * files each would lose what the other has queued. The lock is the operating system's, so that a process that was killed
 * leaves none behind.
 * @throws OperatorError when the folder cannot be used, another process has it, or the lock cannot be read
 */
export function claimState(): void {
  makeFolder(stateDir)
  const lock = lockState()
  const marker = markRunning(stateDir)
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
        `A service runs on ${stateDir} already. Stop it, or choose another folder: STATE_DIR=<folder> npm start`
      )
    }
    if (code === SQLITE_NOTADB) {
      throw new OperatorError(`${file} is damaged. Nothing is kept in it: delete it.`)
    }
    throw error
  }
  return lock
}

/**
 * Ends the runtime of a service whose processes were killed before they could: it would go on on the same files.
 * @param groupFile names its process group
 */
export function endLeftovers(groupFile: string): void {
  const group = existsSync(groupFile) ? readFileSync(groupFile, 'utf8') : ''
  for (const [, pid, , command = ''] of listProcesses().filter(([, , own]) => own === group)) {
    if (command.includes('workerd')) {
      process.kill(Number(pid), 'SIGKILL')
    }
  }
}

/** Process, process group and command of every process; none where there is no `ps`. */
function listProcesses(): RegExpExecArray[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,pgid=,command='], { encoding: 'utf8' })
  return [...(stdout ?? '').matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)]
}

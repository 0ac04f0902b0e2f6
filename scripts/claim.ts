import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError, stateDir } from './local.ts'

const SQLITE_BUSY = 5
const SQLITE_NOTADB = 26

/**
 * Claims the state folder for this process, until it ends: of two services on the same files each would lose what the
 * other has queued. The lock is the operating system's, so that a process that was killed leaves none behind.
 * @returns what has to be kept to keep the claim
 * @throws OperatorError when another process has it, or the lock cannot be read
 */
export function claimState(): DatabaseSync {
  mkdirSync(stateDir, { recursive: true })
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

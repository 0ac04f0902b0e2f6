import { existsSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory. */
const MEMORY = '/dev/shm'

/** Free bytes there at which tests use it: several times what they need. In many containers it has 64 MB. */
const NEEDED = 4 * 2 ** 30

/**
 * Start of the folder's name, before the process id. Short, because Chromium adds to it and the path of a socket may have
 * 107 bytes at most.
 */
const NAME = 'edge-tests-'

/**
 * Makes a folder for all temporary files of a run, and removes it when the process exits. Unless TMPDIR is set, the folder
 * is in memory if there is room, so that the databases of tests do not wait for the disk. A killed process loses no file
 * there.
 */
export function useTemporaryFolder(): void {
  // Each Vitest project reads the configuration again.
  if (process.env.TMPDIR?.includes(NAME)) {
    return
  }
  removeLeftovers()
  const folder = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), `${NAME}${process.pid}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  process.env.TMPDIR = folder
}

/** Removes folders in memory whose process was killed. */
function removeLeftovers(): void {
  for (const folder of globSync(join(MEMORY, `${NAME}*`))) {
    const [, pid] = /-(\d+)-/.exec(folder) ?? []
    if (pid === undefined || existsSync(`/proc/${pid}`)) {
      continue
    }
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // The folder belongs to another user.
    }
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return !process.env.TMPDIR && bavail * bsize >= NEEDED
  } catch {
    return false
  }
}

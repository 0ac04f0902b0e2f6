import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory. */
const MEMORY = '/dev/shm'

/** Free space there from which tests use it, bytes: several times what they need. In many containers it has 64 MB. */
const NEEDED = 4 * 2 ** 30

/** Short, because Chromium adds to it and a socket's path has 107 bytes. */
const NAME = 'edge-tests-'

/**
 * Makes a folder for all temporary files of a run, and removes it with the process. It is in memory if there is room, so that
 * the databases of tests do not wait for the disk; as on a disk, a process that is killed loses nothing there.
 */
export function useTemporaryFolder(): void {
  // Each project reads the configuration again.
  if (process.env.TMPDIR?.includes(NAME)) {
    return
  }
  const folder = mkdtempSync(join(hasRoom() ? MEMORY : tmpdir(), NAME))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  process.env.TMPDIR = folder
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return !process.env.TMPDIR && bavail * bsize >= NEEDED
  } catch {
    return false
  }
}

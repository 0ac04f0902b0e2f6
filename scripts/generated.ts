import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of generated files, which git ignores. */
export const generatedDir = join(import.meta.dirname, '../dist')

/**
 * Writes a file below `generatedDir` so that it appears whole, even if two commands run at the same time. An unchanged file
 * is not touched, because a running service may read it.
 */
export function putGenerated(path: string, contents: Buffer): void {
  if (read(path)?.equals(contents)) {
    return
  }
  mkdirSync(dirname(path), { recursive: true })
  const partial = join(generatedDir, `partial-${process.pid}`)
  writeFileSync(partial, contents)
  renameSync(partial, path)
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Email } from '../src/email.ts'

/**
 * Writes an e-mail of a command into a file instead of sending it, where `overwriteErased` and the
 * next start of the service remove it together with those of the simulator.
 * @param folder the state folder
 * @returns the file's address, for a browser
 */
export function writeEmail(folder: string, { html }: Pick<Email, 'html'>): string {
  const place = join(folder, 'tmp/miniflare-commands/email', randomUUID())
  mkdirSync(place, { recursive: true, mode: 0o700 })
  const file = join(place, 'page.html')
  writeFileSync(file, html, { mode: 0o600 })
  return pathToFileURL(file).href
}

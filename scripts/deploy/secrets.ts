import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Secrets } from '../escrow.ts'
import { OperatorError } from '../faults.ts'
import { findFault, wrangler } from '../wrangler.ts'
import { commandOf } from './plan.ts'

/** Wrangler's message for a Worker that does not exist. */
const NO_SUCH_WORKER = /Worker "[^"]+" not found/

const Listed = z.array(z.object({ name: z.string() }))

/**
 * Replaces secrets of the deployed service; a Worker that does not exist yet is created without code. The values are uploaded
 * from a file, because other users can read a command line.
 * @throws OperatorError when wrangler cannot do it; the secrets are then unchanged
 */
export async function putSecrets(secrets: Secrets): Promise<void> {
  await withSecretsFile(secrets, async (file) => {
    const { code, stdout, stderr } = await wrangler(['secret', 'bulk', file])
    if (code !== 0) {
      throw new OperatorError(
        `wrangler secret bulk failed: ${findFault(`${stdout}${stderr}`)}\nNothing was changed: ${Object.keys(secrets).join(', ')}.`
      )
    }
  })
}

/** Lists the names of the deployed Worker's secrets; none before the first deployment. */
export async function listSecrets(): Promise<string[]> {
  const { code, stdout, stderr } = await wrangler(['secret', 'list', '--format', 'json'])
  if (code === 0) {
    return Listed.parse(JSON.parse(stdout)).map(({ name }) => name)
  }
  if (NO_SUCH_WORKER.test(`${stdout}${stderr}`)) {
    return []
  }
  throw new OperatorError(
    `${commandOf(['secret', 'list'])} failed: ${findFault(`${stdout}${stderr}`)}`
  )
}

/** Calls `use` with a file that holds secrets and that only this user can read, and then removes the file. */
export async function withSecretsFile<T>(
  secrets: Secrets,
  use: (file: string) => Promise<T>
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  try {
    const file = join(folder, 'secrets.json')
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 })
    return await use(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from './faults.ts'
import { findFault, wrangler } from './wrangler.ts'

/**
 * Replaces a secret of the deployed service. The value is uploaded from a file, because other
 * users can read a command line.
 * @throws OperatorError when wrangler cannot do it; the secret is then unchanged
 */
export async function putSecret(name: string, value: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  try {
    const file = join(folder, 'secrets.json')
    writeFileSync(file, JSON.stringify({ [name]: value }), { mode: 0o600 })
    const { code, stdout, stderr } = await wrangler(['secret', 'bulk', file])
    if (code !== 0) {
      throw new OperatorError(
        `wrangler secret bulk failed: ${findFault(`${stdout}${stderr}`)}\nThe secret ${name} is unchanged.`
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

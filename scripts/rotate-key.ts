import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeFault, findFault, newSecret, OperatorError, wrangler } from './local.ts'
import { readSecrets, writeSecrets } from './seed.ts'

const USAGE = `npm run rotate-key -- [--remote]

Replaces the key that signs the receipts of deletions. Earlier receipts stay valid: their key stays published.

--remote  replaces the key of the deployed service`

try {
  const { values } = readOptions()
  if (values.remote) {
    await rotateRemote()
    console.log('Replaced the secret RECEIPT_KEY of the deployed service.')
  } else {
    writeSecrets({ ...readSecrets(), RECEIPT_KEY: newSecret() })
    console.log('Replaced the key. A running service uses it from its next start.')
  }
} catch (error) {
  console.error(describeFault(error))
  process.exitCode = 1
}

function readOptions() {
  try {
    return parseArgs({ options: { remote: { type: 'boolean' } } })
  } catch {
    throw new OperatorError(USAGE)
  }
}

/** Uploads a new key from a file, because a command line can be read by other users. */
async function rotateRemote(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-analytics-'))
  try {
    const file = join(folder, 'secrets.json')
    writeFileSync(file, JSON.stringify({ RECEIPT_KEY: newSecret() }), { mode: 0o600 })
    const { code, stdout, stderr } = await wrangler(['secret', 'bulk', file])
    if (code !== 0) {
      throw new OperatorError(
        `wrangler secret bulk failed: ${findFault(`${stdout}${stderr}`)}\nThe key is unchanged.`
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

import { readSecrets, writeSecrets } from './local-secrets.ts'
import { putSecret } from './secrets.ts'
import { newSecret } from './state.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run rotate-key -- [--remote]

Replaces the key that signs the receipts of deletions. Earlier receipts stay valid: their key stays published.

--remote  replaces the key of the deployed service`

const { values } = readCommandLine(USAGE, { options: { remote: { type: 'boolean' } } })
if (values.remote) {
  await putSecret('RECEIPT_KEY', newSecret())
  console.log('Replaced the secret RECEIPT_KEY of the deployed service.')
} else {
  readSecrets()
  writeSecrets('RECEIPT_KEY')
  console.log('Replaced the key. A running service uses it from its next start.')
}

import { readConfig } from './config.ts'
import { putSecrets } from './deploy/secrets.ts'
import { readDeployment } from './deployment.ts'
import { prepareEscrow } from './escrow.ts'
import { readSecrets, writeSecrets } from './local-secrets.ts'
import { newSecrets } from './state.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run rotate-key -- [--escrow FILE] [--remote]

Replaces the key that signs the receipts of deletions. Earlier receipts stay valid: their key stays published.

--escrow  also writes the key into a new encrypted file, for the safe
--remote  replaces the key of the deployed service`

const { values } = readCommandLine(USAGE, {
  options: { escrow: { type: 'string' }, remote: { type: 'boolean' } }
})
const escrow = values.escrow === undefined ? undefined : await prepareEscrow(values.escrow)
const secrets = newSecrets(['RECEIPT_KEY'])
const { name } = values.remote ? readDeployment() : readConfig()
escrow?.write(secrets, name, new Date())
if (values.remote) {
  await putSecrets(secrets).catch((error) => {
    escrow?.discard()
    throw error
  })
  console.log('Replaced the secret RECEIPT_KEY of the deployed service.')
} else {
  readSecrets()
  writeSecrets(secrets)
  console.log('Replaced the key. A running service uses it from its next start.')
}

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSecret, MIN_SECRET } from '../src/ledger/secret.ts'
import { readConfig } from './config.ts'
import { stateDir } from './environment.ts'
import type { Secrets } from './escrow.ts'
import { OperatorError } from './faults.ts'
import { hasUsedSecret, newSecrets, readSecretsFile, SECRETS_FILE } from './state.ts'

const RECOVERY =
  'Put the file back from a copy, or its secrets from an escrow file: npm run secrets -- import FILE. If there is neither, make new secrets: npm run secrets -- renew --accept-loss'

/** The file with the secrets of the local service. */
export const secretsFile = join(stateDir, SECRETS_FILE)

/**
 * Returns the local service's secrets, and generates them for a new service. A file without
 * RECEIPT_KEY gets a new one.
 * @throws OperatorError when the file is missing, but the service has used secrets, or when the
 * file lacks RECEIPT_SECRET, or one of its required secrets is too short
 */
export function readSecrets(): Record<string, string> {
  const names = readConfig().secrets.required
  if (!existsSync(secretsFile)) {
    if (hasUsedSecret(stateDir)) {
      throw new OperatorError(
        `${secretsFile} is missing, but this service has used secrets. Without its RECEIPT_SECRET, receipts from before lose their signature, and after a restore, persons erased before may not be found. ${RECOVERY}`
      )
    }
    writeSecrets(newSecrets(names))
  }
  const secrets = readSecretsFile()
  const invalid = names.filter((name) => checkSecret(secrets[name]) !== 'ok')
  const isOnlyKeyInvalid = invalid.length === 1 && invalid[0] === 'RECEIPT_KEY'
  if (isOnlyKeyInvalid && !secrets.RECEIPT_KEY) {
    writeSecrets(newSecrets(['RECEIPT_KEY']))
    return readSecretsFile()
  }
  if (invalid.length > 0) {
    throw new OperatorError(
      isOnlyKeyInvalid
        ? `In ${secretsFile}, RECEIPT_KEY is shorter than ${MIN_SECRET} characters. Delete its line to generate a new key: earlier receipts stay valid.`
        : `In ${secretsFile}, these secrets are missing or shorter than ${MIN_SECRET} characters: ${invalid.join(', ')}. ${RECOVERY}`
    )
  }
  return secrets
}

/** Writes secrets into their file, in one step. Other lines of the file stay. */
export function writeSecrets(secrets: Secrets): void {
  let text = existsSync(secretsFile) ? readFileSync(secretsFile, 'utf8') : ''
  for (const [name, value] of Object.entries(secrets)) {
    text = withLine(text, name, value)
  }
  const newFile = `${secretsFile}.new`
  writeFileSync(newFile, text, { mode: 0o600 })
  renameSync(newFile, secretsFile)
}

/** Replaces every line of a secret, because the last one counts, or appends a line. */
export function withLine(text: string, name: string, value: string): string {
  const before = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'gm')
  const line = `${name}=${value}`
  if (text.search(before) >= 0) {
    return text.replaceAll(before, line)
  }
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  return `${text}${end}${line}\n`
}

import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSecret, MIN_SECRET } from '../src/erasures/secret.ts'
import { readConfig } from './config.ts'
import { stateDir } from './environment.ts'
import { OperatorError } from './faults.ts'
import { newSecret, readSecretsFile, SECRETS_FILE } from './state.ts'

const secretsFile = join(stateDir, SECRETS_FILE)

/**
 * Returns the local service's secrets: those of the last start, or new ones. A state folder of an
 * earlier version has no RECEIPT_KEY yet and gets one.
 * @throws OperatorError when the file exists, but lacks RECEIPT_SECRET or has a secret that is too short
 */
export function readSecrets(): Record<string, string> {
  const names = readConfig().secrets.required
  if (!existsSync(secretsFile)) {
    writeSecrets(Object.fromEntries(names.map((name) => [name, newSecret()])))
  }
  const secrets = readSecretsFile()
  const invalid = names.filter((name) => checkSecret(secrets[name]) !== 'ok')
  if (invalid.join() === 'RECEIPT_KEY' && !secrets.RECEIPT_KEY) {
    const completed = { ...secrets, RECEIPT_KEY: newSecret() }
    writeSecrets(completed)
    return completed
  }
  if (invalid.length > 0) {
    throw new OperatorError(
      `In ${secretsFile}, these secrets are missing or shorter than ${MIN_SECRET} characters: ${invalid.join(', ')}. Restore the file from a copy. Or delete it to generate new secrets; then nobody can check which distinct ids earlier receipts are about.`
    )
  }
  return secrets
}

/** Writes the local service's secrets. */
export function writeSecrets(secrets: Record<string, string>): void {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)
  const written = `${secretsFile}.new`
  writeFileSync(written, lines.join(''), { mode: 0o600 })
  renameSync(written, secretsFile)
}

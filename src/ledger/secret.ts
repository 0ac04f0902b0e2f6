import type { Db } from '../db/client.ts'
import { UnavailableError } from '../errors.ts'
import { hmac } from '../hash.ts'
import { type Fingerprint, settleFingerprint } from './fingerprint.ts'
import { Ledger } from './ledger.ts'
import { readState } from './store.ts'

/**
 * Minimum length of a secret, characters: 32 hexadecimal digits are 128 bits. `npm start` and `npm
 * run deploy` generate 64 digits.
 */
export const MIN_SECRET = 32

/** The states of a secret by itself. Only an `ok` secret is used; an empty secret is `missing`. */
export const SECRET_STATUSES = ['ok', 'missing', 'too_short'] as const
export type SecretStatus = (typeof SECRET_STATUSES)[number]

/** The sentence of errors and of `/readyz` about another secret than so far. */
export const WRONG_SECRET =
  'RECEIPT_SECRET is not the secret that this deployment has used so far. Until the earlier one is back, nothing is erased, and receipts are neither issued nor verified. Put it back with npm run secrets -- import, or if it is lost for good, replace it with npm run secrets -- renew.'

/** `RECEIPT_SECRET` is not the secret that the deployment has used so far. */
export class WrongSecretError extends UnavailableError {
  // Somebody has to put the secret back.
  override readonly retryAfter = 60

  constructor() {
    super(WRONG_SECRET)
  }
}

type Secrets = { RECEIPT_SECRET?: string }

/** `RECEIPT_SECRET`, and since when it is used, ms UTC: earlier salts have a lost secret. */
export type OwnSecret = { value: string; since: number }

export function checkSecret(secret: string | undefined): SecretStatus {
  const { length } = secret?.trim() ?? ''
  if (length === 0) {
    return 'missing'
  }
  return length < MIN_SECRET ? 'too_short' : 'ok'
}

/**
 * Returns `RECEIPT_SECRET`: it makes the salts of receipts, the hashes in the ledger and the tokens
 * of dry runs.
 * @throws UnavailableError when it is missing or too short
 */
export function receiptSecret({ RECEIPT_SECRET }: Secrets): string {
  const status = checkSecret(RECEIPT_SECRET)
  if (RECEIPT_SECRET === undefined || status !== 'ok') {
    const fault = status === 'too_short' ? `has fewer than ${MIN_SECRET} characters` : 'is missing'
    throw new UnavailableError(
      `Receipts cannot be signed or verified: the secret RECEIPT_SECRET ${fault}. A missing secret is generated locally by npm run dev or npm start, and on Cloudflare by npm run deploy.`
    )
  }
  return RECEIPT_SECRET
}

/**
 * Returns the fingerprint by which a changed `RECEIPT_SECRET` is noticed. Like a hash in the
 * ledger, it tells nothing about the secret, which has 128 bits or more.
 */
export const fingerprintOf = (secret: string): Promise<string> =>
  hmac(secret, 'fingerprint of RECEIPT_SECRET')

type Bindings = Secrets & Pick<Env, 'BUCKET'>

/**
 * Returns `RECEIPT_SECRET`, unless it is not the secret that the deployment has used so far. The
 * first secret is adopted.
 * @param db the project's database, which has a copy of the fingerprint
 * @throws UnavailableError when the secret is missing, too short, or another one (WrongSecretError)
 */
export async function openSecret(env: Bindings, db: Db): Promise<OwnSecret> {
  return (await unlockLedger(env, db)).secret
}

/** Opens the secret: see `openSecret`. */
export type SecretOpener = () => Promise<OwnSecret>

/** Returns a function that opens the secret when it is first called. */
export function secretOpener(env: Bindings, db: Db): SecretOpener {
  let opened: Promise<OwnSecret> | undefined
  return () => {
    opened ??= openSecret(env, db)
    return opened
  }
}

/** Like `openSecret`; undefined if it is missing or too short. @throws WrongSecretError */
export const findSecret = async (env: Bindings, db: Db): Promise<OwnSecret | undefined> =>
  checkSecret(env.RECEIPT_SECRET) === 'ok' ? openSecret(env, db) : undefined

/**
 * Opens the ledger for the entry of a deletion, with the secret of the entry's hashes.
 * @throws UnavailableError when the secret is missing, too short, or another one (WrongSecretError)
 */
export async function unlockLedger(
  env: Bindings,
  db: Db
): Promise<{ ledger: Ledger; secret: OwnSecret }> {
  const value = receiptSecret(env)
  const own = await fingerprintOf(value)
  const { head, secret: noted } = await readState(db)
  // A database has another fingerprint than the ledger after a restore, until the next comparison.
  const { since } = noted?.fingerprint === own ? noted : await expectKnown(env, db, own)
  return { ledger: new Ledger(env.BUCKET, head), secret: { value, since } }
}

/** Compares a fingerprint with the ledger's. @throws WrongSecretError, UnavailableError */
async function expectKnown(
  { BUCKET }: Pick<Env, 'BUCKET'>,
  db: Db,
  own: string
): Promise<Fingerprint> {
  const known = await settleFingerprint(BUCKET, db, own).catch((error) => {
    throw new UnavailableError(
      'RECEIPT_SECRET cannot be compared with the ledger of erasures now. Try again.',
      error
    )
  })
  if (known.fingerprint !== own) {
    throw new WrongSecretError()
  }
  return known
}

/**
 * Compares `RECEIPT_SECRET` with the ledger, and copies the fingerprint to where it is missing.
 * Does nothing if the secret is missing or too short. @throws WrongSecretError
 */
export async function expectOwnSecret(env: Bindings, db: Db): Promise<void> {
  if (checkSecret(env.RECEIPT_SECRET) === 'ok') {
    await expectKnown(env, db, await fingerprintOf(receiptSecret(env)))
  }
}

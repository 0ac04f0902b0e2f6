import { UnavailableError } from '../errors.ts'

/**
 * Minimum length of a secret, characters: 32 hexadecimal digits are 128 bits. `npm start` and
 * `npm run deploy` generate 64 digits.
 */
export const MIN_SECRET = 32

/** The states of a secret. Only an `ok` secret is used; an empty secret is `missing`. */
export const SECRET_STATUSES = ['ok', 'missing', 'too_short'] as const
export type SecretStatus = (typeof SECRET_STATUSES)[number]

export function checkSecret(secret: string | undefined): SecretStatus {
  const { length } = secret?.trim() ?? ''
  if (length === 0) {
    return 'missing'
  }
  return length < MIN_SECRET ? 'too_short' : 'ok'
}

/**
 * Returns `RECEIPT_SECRET`: it makes the salts of receipts, the hashes in the ledger and the tokens
 * of dry runs, and has signed the oldest receipts.
 * @throws UnavailableError when it is missing or too short
 */
export function receiptSecret({ RECEIPT_SECRET }: { RECEIPT_SECRET?: string }): string {
  const status = checkSecret(RECEIPT_SECRET)
  if (RECEIPT_SECRET === undefined || status !== 'ok') {
    const fault = status === 'too_short' ? `has fewer than ${MIN_SECRET} characters` : 'is missing'
    throw new UnavailableError(
      `Receipts cannot be signed or verified: the secret RECEIPT_SECRET ${fault}. A missing secret is generated locally by npm run dev or npm start, and on Cloudflare by npm run deploy.`
    )
  }
  return RECEIPT_SECRET
}

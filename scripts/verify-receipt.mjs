/*
 * Verifies receipts of deletions from files alone, on any machine with Node 20 or newer:
 *
 *   node verify-receipt.mjs receipt.json receipt-keys.json [--id DISTINCT_ID]
 *
 * receipt.json is a receipt as GET receipts/{id}/ returns it. receipt-keys.json is
 * /.well-known/receipt-keys.json of the service that signed it.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const USAGE = 'node verify-receipt.mjs receipt.json receipt-keys.json [--id DISTINCT_ID]'

const sha256 = (data) => createHash('sha256').update(data).digest('hex')

/** Returns JSON with sorted keys and without spaces: the text that is signed. */
const canonical = (value) => JSON.stringify(sorted(value))

function sorted(value) {
  if (Array.isArray(value)) {
    return value.map(sorted)
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} cannot be read as JSON: ${error.message}`)
  }
}

/** Returns the key that the receipt names. @throws unless it is published with its fingerprint */
function keyOf(receipt, keys) {
  const key = keys.keys?.find(({ kid }) => kid === receipt.key)
  if (!key) {
    throw new Error(`The key ${receipt.key} of the receipt is not among the published keys.`)
  }
  if (sha256(Buffer.from(key.x, 'base64url')) !== key.kid) {
    throw new Error(`The published key ${key.kid} does not have this fingerprint.`)
  }
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' })
}

function verifyReceipt(receipt, keys, id) {
  const { signature, ...content } = receipt
  if (typeof signature !== 'string' || receipt.key === undefined) {
    throw new Error('Only the service can verify this receipt: it names no key.')
  }
  const key = keyOf(receipt, keys)
  const bytes = Buffer.from(signature, 'hex')
  if (!verify(null, Buffer.from(canonical(content)), key, bytes)) {
    throw new Error('The signature is wrong: the receipt was changed, or somebody else wrote it.')
  }
  if (id !== undefined) {
    const { salt, distinct_ids: hashes } = receipt.subject ?? { distinct_ids: [] }
    if (!hashes.includes(sha256(`${salt}${id}`))) {
      throw new Error(`The receipt is genuine, but it is not about the distinct id ${id}.`)
    }
  }
}

try {
  const { values, positionals } = parseArgs({
    options: { id: { type: 'string' } },
    allowPositionals: true
  })
  const [receiptFile, keysFile] = positionals
  if (positionals.length !== 2) {
    throw new Error(USAGE)
  }
  const receipt = read(receiptFile)
  verifyReceipt(receipt, read(keysFile), values.id)
  const about = values.id === undefined ? '' : ` It is about the distinct id ${values.id}.`
  console.log(
    `Genuine: deletion ${receipt.id} of person ${receipt.person_uuid}, verified at ${receipt.verified_at}, signed with the key ${receipt.key}.${about}`
  )
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

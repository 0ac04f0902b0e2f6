/*
 * Verifies receipts of deletions from files alone, on any machine with Node 20 or newer:
 *
 *   node verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id DISTINCT_ID]
 *
 * receipt.json is a receipt as GET receipts/{id}/ returns it. receipt-keys.json is
 * /.well-known/receipt-keys.json of the service that signed it, ledger.json what npm run ledger wrote.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const USAGE =
  'node verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id DISTINCT_ID]'

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

const read = (file) => JSON.parse(readFileSync(file, 'utf8'))

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

/** Finds a receipt in the ledger. @throws unless the ledger is one chain and holds the receipt */
function findPlace(receipt, { links }) {
  let last = '0'.repeat(64)
  for (const [i, link] of links.entries()) {
    if (link.seq !== i + 1 || link.prev !== last) {
      throw new Error(`Entry ${link.seq} of the ledger does not follow the entry before it.`)
    }
    last = sha256(canonical(link))
  }
  const body = { kind: 'receipt', project: receipt.project_id, receipt: sha256(canonical(receipt)) }
  const link = links.find(({ digest }) => digest === sha256(canonical(body)))
  if (!link) {
    throw new Error('The receipt is not in the ledger.')
  }
  return ` It is entry ${link.seq} of ${links.length} in the ledger that ends with ${last}.`
}

try {
  const { values, positionals } = parseArgs({
    options: { id: { type: 'string' } },
    allowPositionals: true
  })
  const [receiptFile, keysFile, ledgerFile] = positionals
  if (keysFile === undefined) {
    throw new Error(USAGE)
  }
  const receipt = read(receiptFile)
  verifyReceipt(receipt, read(keysFile), values.id)
  const place = ledgerFile ? findPlace(receipt, read(ledgerFile)) : ''
  const about = values.id === undefined ? '' : ` It is about the distinct id ${values.id}.`
  console.log(
    `Genuine: ${receipt.kind ?? 'deletion'} ${receipt.id} of person ${receipt.person_uuid ?? '(none)'}, verified at ${receipt.verified_at ?? receipt.stated_at}, signed with the key ${receipt.key}.${about}${place}`
  )
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

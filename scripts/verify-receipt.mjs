/*
 * Verifies receipts of deletions from files alone, on any machine with Node 20 or newer:
 *
 *   node verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id DISTINCT_ID]
 *
 * receipt.json is a receipt as GET receipts/{id}/ returns it, and receipt-keys.json is /.well-known/receipt-keys.json of the
 * service that signed it. ledger.json is the output of npm run ledger: it has the keys too, so receipt-keys.json is optional.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const sha256 = (data) => createHash('sha256').update(data).digest('hex')

function demand(holds, message) {
  if (!holds) {
    throw new Error(message)
  }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const sorted = (object) =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Returns JSON with sorted keys and without spaces: the text that is signed. */
const canonical = (value) =>
  JSON.stringify(value, (_, member) => (isObject(member) ? sorted(member) : member))

const countMembers = (text) =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon).length

/** Reads a JSON object. @throws for a repeated member: a person would read both values, but only the second is checked */
function read(file) {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  demand(text.trim().startsWith('{'), `${file} holds no JSON object.`)
  const json = JSON.parse(text)
  demand(countMembers(text) === countMembers(JSON.stringify(json)), `${file} has a member twice.`)
  return json
}

/** Returns the key that the receipt names, preferably from the ledger. @throws if the key is missing or does not match */
function keyOf(receipt, ledger, published) {
  const isNamed = ({ kid }) => kid === receipt.key
  const entry = ledger?.keys?.find(isNamed)
  const key = entry ?? published?.keys?.find(isNamed)
  const isKnown = key && (!entry || findLink(entry, ledger))
  demand(isKnown, `The key ${receipt.key} of the receipt is not among the published keys.`)
  const hasFingerprint = sha256(Buffer.from(key.x, 'base64url')) === key.kid
  demand(hasFingerprint, `The published key ${key.kid} does not match its fingerprint.`)
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' })
}

const findLink = (body, { links }) => links.find(({ digest }) => digest === sha256(canonical(body)))

function verifyReceipt({ signature, ...content }, key, id) {
  const isSigned = verify(null, Buffer.from(canonical(content)), key, Buffer.from(signature, 'hex'))
  demand(isSigned, 'The signature is wrong: the receipt was changed, or somebody else wrote it.')
  const { salt, distinct_ids: hashes } = content.subject ?? { distinct_ids: [] }
  const isAbout = id === undefined || hashes.includes(sha256(`${salt}${id}`))
  const why = hashes.length > 0 ? 'is not' : 'names no distinct id: nobody can tell whether it is'
  demand(isAbout, `The receipt is genuine, but it ${why} about the distinct id ${id}.`)
}

/**
 * Checks that the ledger is a chain. Where entries are lost that the operator has given up, nothing binds the entries before to those
 * after. @returns the unbroken parts, each with its last hash
 */
function readParts({ links, given_up: lost = [] }) {
  const parts = [{ first: 1, last: 0, hash: '0'.repeat(64) }]
  for (const link of links) {
    const part = parts.at(-1)
    let seq = part.last + 1
    while (lost.includes(seq)) {
      seq += 1
    }
    const isNext = seq === part.last + 1
    const follows = link.seq === seq && (!isNext || link.prev === part.hash)
    demand(follows, `Entry ${link.seq} of the ledger does not follow the entry before it.`)
    const end = { first: isNext ? part.first : seq, last: seq, hash: sha256(canonical(link)) }
    parts.splice(isNext ? -1 : parts.length, 1, end)
  }
  return parts
}

function findPlace(receipt, ledger) {
  const parts = readParts(ledger)
  const { links, given_up: lost = [] } = ledger
  const gaps =
    lost.length > 0 ? ` Lost, and given up by the operator: entry ${lost.join(', ')}.` : ''
  const body = { kind: 'receipt', project: receipt.project_id, receipt: sha256(canonical(receipt)) }
  const link = findLink(body, ledger)
  demand(link, `The receipt is not in the ledger.${gaps}`)
  const { first, last, hash } = parts.find((part) => link.seq <= part.last)
  const range = gaps
    ? `in the part from entry ${first} to ${last}`
    : `of ${links.length} in the ledger`
  return ` It is entry ${link.seq} ${range} that ends with ${hash}.${gaps}`
}

try {
  const options = { id: { type: 'string' } }
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [receipt, ...files] = positionals.map(read)
  demand(files.length, 'verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id ID]')
  demand(receipt.key !== undefined, 'Only the service can verify this receipt: it names no key.')
  const isSigned = typeof receipt.signature === 'string'
  demand(isSigned, 'This copy has no signature: the service lost its secret. Take an older copy.')
  const ledger = files.find(({ links }) => links)
  const published = files.find((file) => file !== ledger)
  verifyReceipt(receipt, keyOf(receipt, ledger, published), values.id)
  const place = ledger ? findPlace(receipt, ledger) : ''
  const about = values.id === undefined ? '' : ` It is about the distinct id ${values.id}.`
  console.log(
    `Genuine: ${receipt.kind ?? 'deletion'} ${receipt.id}${receipt.person_uuid ? ` of person ${receipt.person_uuid}` : ''}, verified at ${receipt.verified_at ?? receipt.stated_at}, signed with the key ${receipt.key}.${about}${place}`
  )
} catch (error) {
  console.error(error.code === 'ENOENT' ? `There is no file ${error.path}.` : error.message)
  process.exitCode = 1
}

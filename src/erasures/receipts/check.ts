import { canonical, fromHex, toHex } from '../../encoding.ts'

/*
 * Whether a receipt is genuine, whom it is about, and where it is in the ledger. The service, the console and
 * `scripts/verify-receipt.mjs` run this code: it needs nothing but WebCrypto. What is wrong is an Error with a sentence.
 */

type Members = Record<string, unknown>

/** A published key: `kid` is the SHA-256 of the 32 bytes that `x` has in base64url. */
export type PublishedKey = { kid: string; x: string }

/** The chain of the ledger, as `npm run ledger` writes it. */
export type LedgerFile = {
  links: { seq: number; prev: string; digest: string }[]
  keys?: PublishedKey[]
  given_up?: number[]
}

/** Why a receipt is not genuine: `foreign` if another service has signed it, as far as the keys tell. */
export type Flaw = 'unreadable' | 'unsigned' | 'foreign' | 'forged'

/** A receipt is not genuine, or nobody can tell. The message is a sentence for everybody. */
export class ReceiptError extends Error {
  readonly flaw: Flaw

  constructor(flaw: Flaw, message: string) {
    super(message)
    this.flaw = flaw
  }
}

function demand(holds: unknown, flaw: Flaw, message: string): asserts holds {
  if (!holds) {
    throw new ReceiptError(flaw, message)
  }
}

const countMembers = (text: string): number =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon).length

/**
 * Reads a JSON object from the text of a file.
 * @throws ReceiptError for anything else, and for a member that is there twice: a person would read both
 * values, but only the second is checked
 */
export function readObject(text: string, file: string): Members {
  const json = text.replace(/^\ufeff/, '')
  demand(json.trim().startsWith('{'), 'unreadable', `${file} holds no JSON object.`)
  let object: Members
  try {
    object = JSON.parse(json)
  } catch {
    throw new ReceiptError('unreadable', `${file} holds no valid JSON.`)
  }
  const isPlain = countMembers(json) === countMembers(JSON.stringify(object))
  demand(isPlain, 'unreadable', `${file} has a member twice.`)
  return object
}

const encode = (text: string) => Uint8Array.from(new TextEncoder().encode(text))

const fromBase64Url = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
    char.charCodeAt(0)
  )

const digest = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(await crypto.subtle.digest('SHA-256', bytes))

const hashOf = (value: unknown): Promise<string> => digest(encode(canonical(value)))

/** Returns the fingerprint of a public key in base64url. */
export const fingerprintOf = (x: string): Promise<string> => digest(fromBase64Url(x))

/** Whether the public key, in base64url, has signed the receipt as it is. */
export async function isSignedBy(receipt: Members, x: string): Promise<boolean> {
  const { signature, ...content } = receipt
  if (typeof signature !== 'string' || !/^[0-9a-f]{128}$/.test(signature)) {
    return false
  }
  const key = await crypto.subtle.importKey('raw', fromBase64Url(x), 'Ed25519', false, ['verify'])
  const signed = encode(canonical(content))
  return crypto.subtle.verify('Ed25519', key, fromHex(signature), signed)
}

/**
 * Returns the key that has signed a receipt.
 * @throws ReceiptError unless the receipt names one of these keys, and this key has signed it as it is
 */
export async function expectGenuine(
  receipt: Members,
  keys: readonly PublishedKey[]
): Promise<PublishedKey> {
  const { key: kid, signature } = receipt
  demand(kid !== undefined, 'unsigned', 'Nobody can verify this receipt: it names no key.')
  demand(
    typeof signature === 'string',
    'unsigned',
    'This copy has no signature: the service lost its secret. Take an older copy.'
  )
  const key = keys.find((one) => one.kid === kid)
  demand(key, 'foreign', `The key ${kid} of the receipt is not among the published keys.`)
  const hasFingerprint = (await fingerprintOf(key.x)) === kid
  demand(hasFingerprint, 'forged', `The published key ${kid} does not match its fingerprint.`)
  demand(
    await isSignedBy(receipt, key.x),
    'forged',
    'The signature is wrong: the receipt was changed, or somebody else wrote it.'
  )
  return key
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Returns the hashes of the distinct ids in a receipt, and their salt; no hashes if it names nobody. */
export function subjectOf({ subject }: Members): { salt: string; hashes: string[] } {
  const { salt, distinct_ids: hashes } = Object(subject) as Members
  return { salt: String(salt), hashes: isTexts(hashes) ? hashes : [] }
}

/** Whether a receipt names a distinct id. */
export async function isAbout(receipt: Members, distinctId: string): Promise<boolean> {
  const { salt, hashes } = subjectOf(receipt)
  return hashes.includes(await digest(encode(`${salt}${distinctId}`)))
}

/** An unbroken part of the ledger: the numbers of its first and last entry, and its last hash. */
type Part = { first: number; last: number; hash: string }

/**
 * Checks that the ledger is a chain. Where entries are lost that the operator has given up, nothing binds
 * the entries before to those after.
 */
async function readParts({ links, given_up: lost = [] }: LedgerFile): Promise<Part[]> {
  let part: Part = { first: 1, last: 0, hash: '0'.repeat(64) }
  const parts: Part[] = []
  for (const link of links) {
    let seq = part.last + 1
    while (lost.includes(seq)) {
      seq += 1
    }
    const isNext = seq === part.last + 1
    const follows = link.seq === seq && (!isNext || link.prev === part.hash)
    demand(
      follows,
      'forged',
      `Entry ${link.seq} of the ledger does not follow the entry before it.`
    )
    if (!isNext) {
      parts.push(part)
    }
    part = { first: isNext ? part.first : seq, last: seq, hash: await hashOf(link) }
  }
  return [...parts, part]
}

const findLink = async (body: Members, { links }: LedgerFile) => {
  const wanted = await hashOf(body)
  return links.find((link) => link.digest === wanted)
}

/** Returns the keys that the entries of the ledger publish. */
export async function keysIn(ledger: LedgerFile): Promise<PublishedKey[]> {
  const keys = ledger.keys ?? []
  const links = await Promise.all(keys.map((key) => findLink(key, ledger)))
  return keys.filter((_, i) => links[i])
}

/**
 * Says where a receipt is in the ledger.
 * @throws ReceiptError if it is not in the ledger, or the ledger is not a chain
 */
export async function placeIn(receipt: Members, ledger: LedgerFile): Promise<string> {
  const parts = await readParts(ledger)
  const { links, given_up: lost = [] } = ledger
  const gaps =
    lost.length > 0 ? ` Lost, and given up by the operator: entry ${lost.join(', ')}.` : ''
  const hash = await hashOf(receipt)
  const link = await findLink(
    { kind: 'receipt', project: receipt.project_id, receipt: hash },
    ledger
  )
  demand(link, 'forged', `The receipt is not in the ledger.${gaps}`)
  const part = parts.find(({ last }) => link.seq <= last)
  const range = gaps
    ? `in the part from entry ${part?.first} to ${part?.last}`
    : `of ${links.length} in the ledger`
  return `It is entry ${link.seq} ${range} that ends with ${part?.hash}.${gaps}`
}

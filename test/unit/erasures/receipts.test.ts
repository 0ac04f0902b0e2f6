import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundleVerifier } from '../../../scripts/receipt/bundle.ts'
import { writeReceipt } from '../../../src/erasures/persons/receipt.ts'
import { isSignedBy } from '../../../src/erasures/receipts/check.ts'
import { issueReceipt, openSigner, receiptOf } from '../../../src/erasures/receipts/issue.ts'
import { receiptPage } from '../../../src/erasures/receipts/page.ts'
import type { Receipt } from '../../../src/erasures/receipts/schemas.ts'
import { sign } from '../../../src/erasures/receipts/signature.ts'
import { hashForReceipt, saltOf } from '../../../src/erasures/receipts/subject.ts'
import { wordsOf } from '../../../src/erasures/receipts/words.ts'
import { GENESIS, headOf, type Link, makeEntry } from '../../../src/ledger/entry.ts'
import { newErasureRow } from '../../support/erasure-row.ts'

const SECRETS = { RECEIPT_SECRET: 's'.repeat(64), RECEIPT_KEY: 'k'.repeat(64) }
const own = { value: SECRETS.RECEIPT_SECRET, since: 0 }
const open = async () => own
const SCRIPT = join(import.meta.dirname, '../../../scripts/verify-receipt.mjs')

const ROW = newErasureRow({
  requestedAt: Date.parse('2026-11-20T10:00:00.123Z'),
  requestedBy: { user: { id: 1, first_name: '</script>Ädä', email: '<b>@example.com' } }
})

const content = writeReceipt(ROW, {
  at: Date.parse('2026-11-22T05:01:00Z'),
  remaining: {},
  unreadable: { objects: [], count: 0 }
})

/** Issues the receipt for two distinct ids, stores it and reads it again. */
async function newReceipt(erasedAt = Date.parse(content.requested_at)) {
  const signer = await openSigner(SECRETS, own)
  if (!signer) {
    throw new Error('The secrets cannot sign.')
  }
  const salt = await saltOf(SECRETS.RECEIPT_SECRET, {
    projectId: 1,
    subjectId: content.person_uuid,
    requestedAt: erasedAt
  })
  const distinct_ids = ['ada', 'anon'].map((id) => hashForReceipt(salt, id))
  const subject = { hashes: { distinct_ids }, salt: { value: salt, saltedAt: erasedAt } }
  const { stored, hash } = await issueReceipt(content, subject, signer.key)
  const read = await receiptOf(rowOf(stored), open)
  if (!read) {
    throw new Error('The erasure has no receipt.')
  }
  return { signer, stored, hash, salt, receipt: read, x: signer.key.x }
}

const rowOf = (receipt: object) =>
  newErasureRow({ status: 'completed', receipt: JSON.parse(JSON.stringify(receipt)) })

describe('a receipt', () => {
  it('is genuine in any order of its members', async () => {
    const { receipt, x } = await newReceipt()

    const turned = Object.fromEntries(Object.entries(receipt).toReversed())

    expect(receipt.signature).toMatch(/^[0-9a-f]{128}$/)
    expect(await isSignedBy(turned, x)).toBe(true)
  })

  it.each<[string, (receipt: Receipt) => object]>([
    ['another count', () => ({ stores: [] })],
    ['another time', () => ({ verified_at: '2026-11-22T05:01:00.001Z' })],
    ['an additional member', () => ({ note: 'x' })],
    [
      'an additional member deep inside',
      ({ stores }) => ({ stores: stores.map((store) => ({ ...store, note: 'x' })) })
    ],
    ['another salt', ({ subject }) => ({ subject: { ...subject, salt: '0'.repeat(64) } })],
    ['another key', () => ({ key: '0'.repeat(64) })],
    ['no signature', () => ({ signature: null })],
    ['an invalid signature', () => ({ signature: 'xyz' })]
  ])('is not genuine with %s', async (_, change) => {
    const { receipt, x } = await newReceipt()

    expect(await isSignedBy({ ...receipt, ...change(receipt) }, x)).toBe(false)
  })

  it('is stored without the salt, and shown with the salt that was signed', async () => {
    const { stored, salt, receipt } = await newReceipt()

    expect(JSON.stringify(stored)).not.toContain(salt)
    expect(receipt.subject?.salt).toBe(salt)
    const hash = createHash('sha256').update(`${salt}ada`).digest('hex')
    expect(receipt.subject?.distinct_ids).toContain(hash)
  })

  it('of a completion has the salt of the erasure that it completes', async () => {
    const { receipt, salt, x } = await newReceipt(Date.parse('2026-11-19T10:00:00.456Z'))

    expect(receipt.subject?.salt).toBe(salt)
    expect(Object.keys(receipt.subject ?? {}).toSorted()).toEqual(['distinct_ids', 'salt'])
    expect(await isSignedBy(receipt, x)).toBe(true)
  })

  it.each([
    [{}, own],
    [{ RECEIPT_KEY: 'short' }, own],
    [SECRETS, undefined]
  ])('cannot be signed with the secrets %j and %j', async (secrets, secret) => {
    expect(await openSigner(secrets, secret)).toBeUndefined()
  })

  it('whose salt was made with a lost secret is shown without subject and signature', async () => {
    const { signer, stored } = await newReceipt()
    const next = { value: 'n'.repeat(64), since: Date.parse(content.requested_at) + 1 }
    const { subject: _, ...shown } = stored

    expect(await receiptOf(rowOf(stored), async () => next)).toEqual({ ...shown, signature: null })

    const issued = await issueReceipt(content, undefined, signer.key)
    expect(issued.stored.subject).toBeUndefined()
    expect(await isSignedBy(issued.stored, signer.key.x)).toBe(true)
  })
})

describe('the page of a receipt', () => {
  it('escapes the content, and says that the signature is not verified yet', async () => {
    const { receipt } = await newReceipt()
    const key = { kid: receipt.key, x: 'x', created_at: '2026-11-20T10:00:00Z' }

    const { body } = receiptPage({
      receipt,
      key,
      ...wordsOf(receipt, '<Shop>'),
      origin: 'https://analytics.test',
      nonce: 'n'
    })

    expect(body.match(/<\/script>/g)).toHaveLength(3)
    expect(body).not.toContain('<b>@example.com')
    expect(body).toContain('&lt;Shop&gt;')
    expect(body).toContain(
      'The person, the events and the recordings were deleted from the project'
    )
    expect(body).toContain('class="open">The signature is not verified')
  })
})

describe('scripts/verify-receipt.mjs', () => {
  /** Runs a copy of the script in a folder that holds only these files. */
  async function verify(files: Record<string, object | string>, ...options: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'receipt-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    copyFileSync(SCRIPT, join(folder, 'verify-receipt.mjs'))
    for (const [name, value] of Object.entries(files)) {
      writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
    }
    const args = ['verify-receipt.mjs', ...Object.keys(files), ...options]
    return promisify(execFile)(process.execPath, args, { cwd: folder }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      ({ code, stderr }) => ({ code, text: stderr })
    )
  }

  const keysOf = (kid: string | undefined, x: string) => ({ keys: [{ kid, x }] })

  it('is bundled from the code that the service runs, and imports only modules of Node', async () => {
    const text = readFileSync(SCRIPT, 'utf8')

    expect(text, 'npm run verifier writes it').toBe(await bundleVerifier())
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(240)
    const imports = [...text.matchAll(/from "([^"]+)"/g)].map(([, name = '']) => name)
    expect(imports.length).toBeGreaterThan(0)
    expect(imports.filter((name) => !name.startsWith('node:'))).toEqual([])
  })

  it('verifies a receipt, and whether it is about a distinct id', async () => {
    const { receipt, x } = await newReceipt()
    const files = { 'receipt.json': receipt, 'receipt-keys.json': keysOf(receipt.key, x) }

    expect(await verify(files)).toEqual({
      code: 0,
      text: expect.stringMatching(/^Genuine: deletion 7 of person 01a1f000-/)
    })
    expect(await verify(files, '--id', 'ada')).toMatchObject({ code: 0 })
    expect(await verify(files, '--id', 'bob')).toEqual({
      code: 1,
      text: 'The receipt is genuine, but it is not about the distinct id bob.\n'
    })
  })

  it('says why nobody can verify a receipt, or tell whom it is about, after the secret was lost', async () => {
    const { receipt, signer, x } = await newReceipt()
    const keys = keysOf(receipt.key, x)
    const { subject: _, signature: __, ...rest } = receipt
    const run = (json: object, ...args: string[]) =>
      verify({ 'receipt.json': json, 'receipt-keys.json': keys }, ...args)

    expect(await run({ ...rest, signature: null })).toEqual({
      code: 1,
      text: 'This copy has no signature: the service lost its secret. Take an older copy.\n'
    })
    const unnamed = await sign(rest, signer.key)
    expect(await run(unnamed)).toMatchObject({ code: 0 })
    expect(await run(unnamed, '--id', 'ada')).toEqual({
      code: 1,
      text: 'The receipt is genuine, but it names no distinct id: nobody can tell whether it is about the distinct id ada.\n'
    })
  })

  it('prints a sentence about a file that is missing', async () => {
    const { receipt } = await newReceipt()

    expect(await verify({ 'receipt.json': receipt }, 'missing.json')).toEqual({
      code: 1,
      text: 'There is no file missing.json.\n'
    })
  })

  it('reads a receipt that an editor has saved, and refuses one with a repeated member', async () => {
    const { receipt, x } = await newReceipt()
    const run = (text: string) =>
      verify({ 'receipt.json': text, 'receipt-keys.json': keysOf(receipt.key, x) })
    const text = JSON.stringify(receipt)

    expect(await run(`\ufeff${JSON.stringify(receipt, null, 2)}\n`)).toMatchObject({ code: 0 })
    expect(await run(text.replace('{', '{"id":99999,'))).toEqual({
      code: 1,
      text: 'receipt.json has a member twice.\n'
    })
    expect(await run('')).toEqual({ code: 1, text: 'receipt.json holds no JSON object.\n' })
  })

  it('verifies the receipt of a suppression', async () => {
    const { signer, salt, x } = await newReceipt()
    const receipt = await sign(
      {
        kind: 'suppression',
        id: '0199a3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
        project_id: 1,
        person_uuid: null,
        stated_at: '2026-11-22T09:00:00Z',
        subject: { salt, distinct_ids: [hashForReceipt(salt, 'eve')] }
      },
      signer.key
    )
    const keys = keysOf(receipt.key, x)

    expect(await verify({ 'receipt.json': receipt, 'keys.json': keys }, '--id', 'eve')).toEqual({
      code: 0,
      text: expect.stringMatching(
        /^Genuine: suppression 0199a3c4-.*, verified at 2026-11-22T09:00:00Z/
      )
    })
    const changed = { ...receipt, project_id: 2 }
    expect(await verify({ 'receipt.json': changed, 'keys.json': keys })).toMatchObject({ code: 1 })
  })

  it('finds the receipt in the ledger, and refuses a ledger that is not one chain', async () => {
    const { receipt, x, hash } = await newReceipt()
    const first = makeEntry(GENESIS, { kind: 'erasure', project: 1 }, 1)
    const body = { kind: 'receipt', project: 1, receipt: hash }
    const second = makeEntry(headOf(first), body, 2)
    const run = (links: object[]) =>
      verify({
        'receipt.json': receipt,
        'receipt-keys.json': keysOf(receipt.key, x),
        'ledger.json': { links }
      })

    expect(await run([first.link, second.link])).toEqual({
      code: 0,
      text: expect.stringContaining(
        `It is entry 2 of 2 in the ledger that ends with ${headOf(second).hash}.`
      )
    })
    expect(await run([first.link])).toEqual({
      code: 1,
      text: 'The receipt is not in the ledger.\n'
    })
    expect(await run([{ ...first.link, at: 9 }, second.link])).toEqual({
      code: 1,
      text: 'Entry 2 of the ledger does not follow the entry before it.\n'
    })
  })

  it('finds the receipt in a ledger with entries that were given up, and says what the chain proves', async () => {
    const { receipt, x, hash } = await newReceipt()
    const body = { kind: 'receipt', project: 1, receipt: hash }
    const note = { kind: 'note', project: 1 }
    const bodies = [note, body, note, note, note]
    const { links } = bodies.reduce(
      ({ head, links }, one) => {
        const entry = makeEntry(head, one, 1)
        return { head: headOf(entry), links: [...links, entry.link] }
      },
      { head: GENESIS, links: [] as Link[] }
    )
    const run = (given_up: unknown, kept: object[]) =>
      verify({
        'receipt.json': receipt,
        'receipt-keys.json': keysOf(receipt.key, x),
        'ledger.json': { links: kept, given_up }
      })
    const without = (...lost: number[]) => links.filter(({ seq }) => !lost.includes(seq))
    const refused = (seq: number) => ({
      code: 1,
      text: `Entry ${seq} of the ledger does not follow the entry before it.\n`
    })

    // Entries after the hole prove nothing about the receipt.
    expect(await run([3, 4], without(3, 4))).toEqual({
      code: 0,
      text: expect.stringMatching(
        new RegExp(
          ` It is entry 2 in the part from entry 1 to 2 that ends with ${links[2]?.prev}. Lost, and given up by the operator: entry 3, 4.\n$`
        )
      )
    })
    expect(await run([1], without(1))).toEqual({
      code: 0,
      text: expect.stringContaining('in the part from entry 2 to 5 that ends with')
    })
    expect(await run([5], without(5))).toMatchObject({ code: 0 })
    expect(await run([2], without(2))).toEqual({
      code: 1,
      text: 'The receipt is not in the ledger. Lost, and given up by the operator: entry 2.\n'
    })
    // The hole is documented, or it is none.
    expect(await run([], without(3))).toEqual(refused(4))
    expect(await run(undefined, without(3))).toEqual(refused(4))
    expect(await run([3], without(3, 4))).toEqual(refused(5))
    expect(await run([4], without(3, 4))).toEqual(refused(5))
    // An entry that is there is not given up, and follows the one before.
    const forged = links.map((link) => (link.seq === 3 ? { ...link, at: 9 } : link))
    expect(await run([3], forged)).toEqual(refused(3))
    expect(
      await run(
        [2],
        forged.filter(({ seq }) => seq !== 2)
      )
    ).toEqual(refused(4))
    expect(await run([3], [...without(3), ...without(3)])).toEqual(refused(1))
  })

  it('refuses a changed receipt, a key without its fingerprint, and an unpublished key', async () => {
    const { receipt, x } = await newReceipt()
    const other = await openSigner({ RECEIPT_KEY: 'o'.repeat(64) }, own)
    const run = (shown: object, keys: object) =>
      verify({ 'receipt.json': shown, 'receipt-keys.json': keys })

    expect(await run({ ...receipt, stores: [] }, keysOf(receipt.key, x))).toMatchObject({
      code: 1,
      text: expect.stringContaining('The signature is wrong')
    })
    expect(await run(receipt, keysOf(receipt.key, other?.key.x ?? ''))).toMatchObject({
      code: 1,
      text: expect.stringContaining('does not match its fingerprint')
    })
    expect(await run(receipt, keysOf(other?.key.fingerprint, other?.key.x ?? ''))).toMatchObject({
      code: 1,
      text: expect.stringContaining('is not among the published keys')
    })
  })
})

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  expectGenuine,
  isAbout,
  keysIn,
  type LedgerFile,
  type PublishedKey,
  placeIn,
  readObject,
  subjectOf
} from '../../src/erasures/receipts/check.ts'

/* The command of `scripts/verify-receipt.mjs`, which `npm run verifier` bundles into one file. */

const USAGE = 'verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id ID]'

type File = Record<string, unknown>

function read(file: string): File {
  try {
    return readObject(readFileSync(file, 'utf8'), file)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw isMissing ? new Error(`There is no file ${file}.`) : error
  }
}

/** Says that a receipt is about a distinct id. @throws if it is not, or if nobody can tell */
async function aboutOf(receipt: File, id: string): Promise<string> {
  if (!(await isAbout(receipt, id))) {
    const isNamed = subjectOf(receipt).hashes.length > 0
    const why = isNamed ? 'is not' : 'names no distinct id: nobody can tell whether it is'
    throw new Error(`The receipt is genuine, but it ${why} about the distinct id ${id}.`)
  }
  return ` It is about the distinct id ${id}.`
}

/** Says that a receipt is genuine, and what the other files prove. @throws if it is not */
async function verify(receipt: File, files: File[], id: string | undefined): Promise<string> {
  const ledger = files.find(({ links }) => links) as LedgerFile | undefined
  const published = files.find((file) => file !== ledger)?.keys as PublishedKey[] | undefined
  const keys = [...(ledger ? await keysIn(ledger) : []), ...(published ?? [])]
  const { kid } = await expectGenuine(receipt, keys)
  const about = id === undefined ? '' : await aboutOf(receipt, id)
  const place = ledger ? ` ${await placeIn(receipt, ledger)}` : ''
  const person = receipt.person_uuid ? ` of person ${receipt.person_uuid}` : ''
  const at = receipt.verified_at ?? receipt.stated_at
  return `Genuine: ${receipt.kind ?? 'deletion'} ${receipt.id}${person}, verified at ${at}, signed with the key ${kid}.${about}${place}`
}

try {
  const { values, positionals } = parseArgs({
    options: { id: { type: 'string' } },
    allowPositionals: true
  })
  const [receipt, ...files] = positionals.map(read)
  if (!receipt || files.length === 0) {
    throw new Error(USAGE)
  }
  console.log(await verify(receipt, files, values.id))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

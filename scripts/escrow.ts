import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { z } from 'zod'
import { canonical } from '../src/encoding.ts'
import { isDiskUnwritable, OperatorError } from './faults.ts'
import { fileNamed } from './usage.ts'

/*
 * An escrow file holds secrets for the safe, because nobody can read a deployed Worker's secrets back. It is JSON: a header,
 * and the secrets as JSON, encrypted by AES-256-GCM with a key that scrypt makes of a passphrase. The header is authenticated.
 */

/** The environment variable with the passphrase, for scripts. */
const VARIABLE = 'ESCROW_PASSPHRASE'

/** Minimum length of a new passphrase, characters: four words of a list, or a dozen random letters. */
const MIN_PASSPHRASE = 12

/** Cost of scrypt: 134 MB of memory and about half a second for each passphrase that somebody tries. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 } as const
/** Memory that scrypt may use, bytes: it needs 128 · N · r, and a little more. */
const SCRYPT_MEMORY = 256 * 2 ** 20

const KEY_BYTES = 32
const SALT_BYTES = 16
/** The length of a nonce of AES-GCM, bytes (NIST SP 800-38D). */
const NONCE_BYTES = 12

const FORMAT = 'edge-analytics escrow'

const Header = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  /** The name of the Worker to which the secrets belong. */
  deployment: z.string(),
  created_at: z.iso.datetime(),
  scrypt: z.object({
    N: z.literal(SCRYPT.N),
    r: z.literal(SCRYPT.r),
    p: z.literal(SCRYPT.p),
    salt: z.base64()
  }),
  nonce: z.base64()
})

const Escrow = z.object({
  header: Header,
  secrets: z.base64(),
  /** 16 bytes: a shorter tag would be easier to forge. */
  tag: z.base64().length(24)
})

const Versioned = z.object({ header: z.object({ format: z.literal(FORMAT), version: z.int() }) })

/** Secrets by their names. */
const Secrets = z.record(z.string(), z.string())
export type Secrets = z.infer<typeof Secrets>

/** Encrypts secrets. @returns the text of an escrow file */
export function encryptSecrets(
  secrets: Secrets,
  { deployment, passphrase, now }: { deployment: string; passphrase: string; now: Date }
): string {
  const salt = randomBytes(SALT_BYTES)
  const nonce = randomBytes(NONCE_BYTES)
  const header: z.infer<typeof Header> = {
    format: FORMAT,
    version: 1,
    deployment,
    created_at: now.toISOString(),
    scrypt: { ...SCRYPT, salt: salt.toString('base64') },
    nonce: nonce.toString('base64')
  }
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce)
  cipher.setAAD(Buffer.from(canonical(header)))
  const encrypted = Buffer.concat([cipher.update(JSON.stringify(secrets)), cipher.final()])
  const tag = cipher.getAuthTag().toString('base64')
  return `${JSON.stringify({ header, secrets: encrypted.toString('base64'), tag }, null, 2)}\n`
}

/** Decrypts the text of an escrow file. @throws OperatorError for another file, a damaged one, or a wrong passphrase */
export function decryptSecrets(text: string, passphrase: string): Secrets {
  const { header, secrets, tag } = parseEscrow(text)
  const salt = Buffer.from(header.scrypt.salt, 'base64')
  const nonce = Buffer.from(header.nonce, 'base64')
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce)
    decipher.setAAD(Buffer.from(canonical(header)))
    decipher.setAuthTag(Buffer.from(tag, 'base64'))
    const encrypted = Buffer.from(secrets, 'base64')
    const decrypted = Buffer.concat([decipher.update(encrypted), decipher.final()])
    return Secrets.parse(JSON.parse(decrypted.toString()))
  } catch {
    throw new OperatorError('The passphrase is wrong, or the escrow file is damaged.')
  }
}

function parseEscrow(text: string): z.infer<typeof Escrow> {
  const json = parseJson(text)
  const escrow = Escrow.safeParse(json)
  if (escrow.success) {
    return escrow.data
  }
  const { data: other } = Versioned.safeParse(json)
  throw new OperatorError(
    other && other.header.version !== 1
      ? `The escrow file has the version ${other.header.version}, which this version of Edge Analytics cannot read.`
      : 'This is not an escrow file, or it is damaged.'
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const keyOf = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase.normalize('NFC'), salt, KEY_BYTES, { ...SCRYPT, maxmem: SCRYPT_MEMORY })

/** An escrow file that does not exist yet. */
export type NewEscrow = {
  file: string
  /**
   * Encrypts the secrets and creates the file, which only its owner can read. Leaves no file behind if it cannot be written.
   * @throws OperatorError when the disk takes no data
   */
  write(secrets: Secrets, deployment: string, now: Date): void
  /** Removes the file that was written, because its secrets came to nothing. */
  discard(): void
}

/**
 * Prepares an escrow file before the secrets are made: asks for the passphrase.
 * @throws OperatorError when the file exists or cannot be created, or the passphrase is missing or too short
 */
export async function prepareEscrow(name: string): Promise<NewEscrow> {
  const file = fileNamed(name)
  if (existsSync(file)) {
    throw new OperatorError(`${file} exists already. Choose another file: it is not overwritten.`)
  }
  expectWritable(dirname(file))
  const passphrase = await readNewPassphrase()
  return {
    file,
    write(secrets, deployment, now) {
      const text = encryptSecrets(secrets, { deployment, passphrase, now })
      try {
        writeNew(file, text)
      } catch (error) {
        throw isDiskUnwritable(error)
          ? new OperatorError(
              `The disk with ${dirname(file)} takes no data: it is full or damaged. Nothing was written. Free some space, or choose another folder.`
            )
          : error
      }
    },
    discard: () => rmSync(file)
  }
}

/** Creates a file, or none if it cannot be written to its end. */
function writeNew(file: string, text: string): void {
  // `wx`: somebody may have created the file meanwhile. Then it is theirs, and stays.
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeFileSync(descriptor, text, { flush: true })
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

function expectWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    throw new OperatorError(`No file can be created in ${folder}. Choose another folder.`)
  }
}

/** Reads an escrow file; asks for the passphrase. @throws OperatorError */
export async function readEscrow(name: string): Promise<Secrets> {
  const text = readFileSync(fileNamed(name), 'utf8')
  parseEscrow(text)
  return decryptSecrets(text, readVariable() ?? (await ask('Passphrase of the escrow file: ')))
}

async function readNewPassphrase(): Promise<string> {
  const given = readVariable()
  const passphrase = given ?? (await ask('New passphrase for the escrow file: '))
  if (passphrase.length < MIN_PASSPHRASE) {
    throw new OperatorError(`The passphrase must have at least ${MIN_PASSPHRASE} characters.`)
  }
  if (given === undefined && (await ask('The same passphrase again: ')) !== passphrase) {
    throw new OperatorError('The two passphrases differ.')
  }
  return passphrase
}

/** Takes the passphrase out of the environment, which wrangler and other child processes would inherit. */
function readVariable(): string | undefined {
  const passphrase = process.env[VARIABLE]
  delete process.env[VARIABLE]
  return passphrase || undefined
}

/** Asks on the terminal, without showing the answer. @throws OperatorError without a terminal */
async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new OperatorError(
      `There is no terminal to ask for the passphrase: set ${VARIABLE} in the environment.`
    )
  }
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nothing, terminal: true })
  lines.on('SIGINT', () => process.exit(130))
  process.stderr.write(question)
  const answer = await lines.question('')
  lines.close()
  process.stderr.write('\n')
  return answer
}

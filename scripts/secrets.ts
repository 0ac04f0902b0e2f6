import { newUsage, openDb } from '../src/db/client.ts'
import { databaseOf } from '../src/db/databases.ts'
import {
  type Fingerprint,
  findFingerprint,
  readFingerprint,
  replaceFingerprint,
  settleFingerprint
} from '../src/ledger/fingerprint.ts'
import { checkSecret, fingerprintOf } from '../src/ledger/secret.ts'
import { retryWhileBusy } from './busy.ts'
import { type Config, readConfig } from './config.ts'
import { findAccountId, openAccount } from './deploy/account.ts'
import { listSecrets, putSecrets } from './deploy/secrets.ts'
import { readDeployment } from './deployment.ts'
import { type NewEscrow, prepareEscrow, readEscrow, type Secrets } from './escrow.ts'
import { OperatorError } from './faults.ts'
import { openLocal } from './local.ts'
import { secretsFile, writeSecrets } from './local-secrets.ts'
import { newSecrets, readSecretsFile } from './state.ts'
import { readCommandLine } from './usage.ts'

const USAGE = `npm run secrets -- export FILE
npm run secrets -- import FILE [--remote]
npm run secrets -- renew --accept-loss [--escrow FILE] [--remote]

export writes the secrets of the local service into a new encrypted file, for the safe. Those of a deployed service can only be
written when they are made: by npm run deploy -- --escrow FILE, or by renew.
import puts the secrets of such a file back. It keeps the RECEIPT_KEY that the service has, and refuses another RECEIPT_SECRET
than the service has used.
renew replaces both secrets, if RECEIPT_SECRET is lost or should get into an escrow file.

The passphrase is asked, or taken from the environment variable ESCROW_PASSPHRASE.

--accept-loss  renew needs it: receipts from before lose their signature, and after a restore, persons erased before are not
               found if they come back under another UUID, nor are recordings and properties deleted before
--escrow       also writes the new secrets into a new encrypted file
--remote       works on the deployed service instead of the local one`

/** The service whose secrets are meant. */
type Target = {
  config: Config
  /** Returns the fingerprint of the secret that it uses; undefined if it has never used one. */
  known(): Promise<Fingerprint | undefined>
  /** Lists the names of the secrets that it has. */
  list(): Promise<string[]>
  put(secrets: Secrets): Promise<void>
  /** Notes the fingerprint of another secret. */
  replace(next: Fingerprint): Promise<void>
  close(): Promise<void>
  /** When a new secret is used. */
  when: string
}

const { values, positionals } = readCommandLine(USAGE, {
  options: {
    'accept-loss': { type: 'boolean' },
    escrow: { type: 'string' },
    remote: { type: 'boolean' }
  },
  allowPositionals: true
})
const [verb = '', file, ...more] = positionals
const isRemote = values.remote ?? false
const needsFile = verb === 'export' || verb === 'import'
const isKnown = needsFile || verb === 'renew'
if (!isKnown || more.length > 0 || needsFile !== (file !== undefined)) {
  throw new OperatorError(USAGE)
}
if (file !== undefined && verb === 'export') {
  console.log(await exportTo(file, isRemote))
} else if (file !== undefined) {
  // Before the service is opened: the passphrase must not be in the environment of the commands that do so.
  const found = await readEscrow(file)
  console.log(await withTarget(isRemote, (target) => importInto(target, found, file)))
} else {
  console.log(await renew(values['accept-loss'] ?? false, values.escrow, isRemote))
}

async function withTarget<T>(isRemote: boolean, use: (target: Target) => Promise<T>): Promise<T> {
  const target = isRemote ? await openDeployed() : await openOwn()
  try {
    return await use(target)
  } finally {
    await target.close()
  }
}

async function openDeployed(): Promise<Target> {
  const config = readDeployment()
  const account = await openAccount(await findAccountId(config))
  const bucket = account.openBucket(config)
  return {
    config,
    known: () => findFingerprint(bucket),
    list: listSecrets,
    put: putSecrets,
    replace: (next) => replaceFingerprint(bucket, next),
    close: async () => {},
    when: 'at once'
  }
}

async function openOwn(): Promise<Target> {
  const service = await openLocal()
  const databases = service.databases.map(
    (name) => openDb(databaseOf(service.env, name), newUsage()).db
  )
  return {
    config: readConfig(),
    known: async () => readFingerprint(await service.bucket(), service.db),
    list: async () => Object.keys(readSecretsFile()),
    put: async (secrets) => writeSecrets(secrets),
    async replace(next) {
      const bucket = await service.bucket()
      await replaceFingerprint(bucket, next)
      for (const db of databases) {
        await retryWhileBusy(() => settleFingerprint(bucket, db, next.fingerprint))
      }
    },
    close: service.close,
    when: 'from its next start'
  }
}

async function exportTo(file: string, isRemote: boolean): Promise<string> {
  if (isRemote) {
    throw new OperatorError(
      'Nobody can read the secrets of a deployed service back. npm run deploy -- --escrow FILE writes those of a new deployment; npm run secrets -- renew replaces those of an existing one.'
    )
  }
  const { secrets, name } = readConfig()
  const all = readSecretsFile()
  const required = Object.entries(all).filter(([one]) => secrets.required.includes(one))
  if (required.length === 0) {
    throw new OperatorError('The local service has no secrets yet. Start it first: npm start')
  }
  const found = Object.fromEntries(required)
  const escrow = await prepareEscrow(file)
  await withTarget(false, (target) => expectOwn(target, found, secretsFile))
  escrow.write(found, name, new Date())
  return `Wrote the secrets of the local service into ${file}, encrypted.`
}

/** @throws OperatorError if the service would refuse one of these secrets, which are in `file` */
async function expectOwn(target: Target, found: Secrets, file: string): Promise<void> {
  const invalid = Object.keys(found).filter((name) => checkSecret(found[name]) !== 'ok')
  if (invalid.length > 0) {
    throw new OperatorError(`${file} has an empty or short secret: ${invalid.join(', ')}.`)
  }
  const known = await target.known()
  const secret = found.RECEIPT_SECRET
  if (known && secret && (await fingerprintOf(secret)) !== known.fingerprint) {
    throw new OperatorError(
      `The RECEIPT_SECRET in ${file} is not the one that this service has used. Nothing was changed.`
    )
  }
}

async function importInto(target: Target, found: Secrets, file: string): Promise<string> {
  await expectOwn(target, found, file)
  const present = await target.list()
  const wanted = Object.entries(found).filter(
    ([name]) => name === 'RECEIPT_SECRET' || !present.includes(name)
  )
  const kept = Object.keys(found).filter((name) => !wanted.some(([one]) => one === name))
  if (wanted.length > 0) {
    await target.put(Object.fromEntries(wanted))
  }
  const names = wanted.map(([name]) => name)
  return [
    ...(names.length > 0 ? [`Put back, used ${target.when}: ${names.join(', ')}.`] : []),
    ...(kept.length > 0 ? [`Kept, because the service has its own: ${kept.join(', ')}.`] : [])
  ].join('\n')
}

async function renew(
  isAccepted: boolean,
  file: string | undefined,
  isRemote: boolean
): Promise<string> {
  if (!isAccepted) {
    throw new OperatorError(
      'A new RECEIPT_SECRET cannot do what the earlier one did: receipts from before lose their signature (saved copies stay valid), and after a restore, persons erased before are not found if they come back under another UUID, nor are recordings and properties deleted before. If that does not matter, or the earlier secret is lost, add --accept-loss.'
    )
  }
  const escrow = file === undefined ? undefined : await prepareEscrow(file)
  return withTarget(isRemote, (target) => renewOn(target, escrow))
}

async function renewOn(target: Target, escrow: NewEscrow | undefined): Promise<string> {
  const { secrets, name } = target.config
  const made = newSecrets(secrets.required)
  escrow?.write(made, name, new Date())
  await target.put(made).catch((error) => {
    escrow?.discard()
    throw error
  })
  // After the upload: what was requested until now has salts of the earlier secret.
  const fingerprint = await fingerprintOf(made.RECEIPT_SECRET ?? '')
  await target.replace({ fingerprint, since: Date.now() })
  return `Replaced, used ${target.when}: ${Object.keys(made).join(', ')}.`
}

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { findFingerprint } from '../src/ledger/fingerprint.ts'
import type { Config } from './config.ts'
import { type Account, findAccountId, openAccount } from './deploy/account.ts'
import {
  commandOf,
  jurisdictionOf,
  listCommands,
  planDeployment,
  type Step
} from './deploy/plan.ts'
import { listSecrets, withSecretsFile } from './deploy/secrets.ts'
import { readDeployment } from './deployment.ts'
import { type NewEscrow, prepareEscrow, type Secrets } from './escrow.ts'
import { OperatorError } from './faults.ts'
import { newSecrets } from './state.ts'
import { readCommandLine } from './usage.ts'
import { findFault, wrangler } from './wrangler.ts'

const LOCATIONS = ['weur', 'eeur', 'wnam', 'enam', 'apac', 'oc']

const USAGE = `npm run deploy -- [--location ${LOCATIONS.join('|')}] [--escrow FILE] [--plan]

Creates missing databases, queues and buckets at Cloudflare, migrates, and deploys the Worker. You can run it again at any time.
Settings in deployment.toml, or in the file DEPLOYMENT, are put over those of wrangler.toml.

--location  where to create databases and buckets (default: near you)
--escrow    writes the secrets of a new deployment into an encrypted file, for the safe: nobody can read them back later. The
            passphrase is asked, or taken from the environment variable ESCROW_PASSPHRASE
--plan      lists the commands without running them`

const Bookmark = z.object({ bookmark: z.string() })
const Deployed = z.object({ type: z.literal('deploy'), targets: z.array(z.string()) })

await main()

async function main(): Promise<void> {
  const options = readOptions()
  const config = readDeployment()
  if (options.location && jurisdictionOf(config)) {
    throw new OperatorError(
      `--location cannot be combined with the jurisdiction ${jurisdictionOf(config)} of the bucket.`
    )
  }

  const plan = planDeployment(config, options.location)
  if (options.plan) {
    return console.log(listCommands(plan).join('\n'))
  }

  const escrow = options.escrow === undefined ? undefined : await prepareEscrow(options.escrow)
  const account = await openAccount(await findAccountId(config))
  const secrets = await makeSecrets(config, account)
  if (escrow && Object.keys(secrets).length === 0) {
    throw new OperatorError(
      '--escrow: this deployment has its secrets already, and nobody can read them back, so there is nothing to write. Leave --escrow out. To get secrets into an escrow file, replace them: npm run rotate-key and npm run secrets -- renew.'
    )
  }
  for (const line of await Promise.all(plan.create.map((step) => create(step, account)))) {
    console.log(line)
  }
  for (const step of plan.remember) {
    await remember(step)
  }
  for (const step of plan.migrate) {
    await run(step, { show: true })
  }
  for (const step of plan.deploy) {
    escrow?.write(secrets, config.name, new Date())
    const urls = await deploy(step, secrets).catch(async (error) => {
      await discardUnused(escrow, secrets)
      throw error
    })
    console.log(nextSteps(urls))
  }
  if (Object.keys(secrets).length > 0) {
    console.log(
      options.escrow === undefined ? withoutEscrow(secrets) : inEscrow(secrets, options.escrow)
    )
  }
}

/**
 * Makes the secrets that the Worker lacks; they are random, and nobody needs to know them.
 * @throws OperatorError when the deployment has used a `RECEIPT_SECRET`, which the Worker has lost
 */
async function makeSecrets(config: Config, account: Account): Promise<Secrets> {
  const known = await listSecrets()
  const missing = config.secrets.required.filter((name) => !known.includes(name))
  if (missing.includes('RECEIPT_SECRET') && (await findFingerprint(account.openBucket(config)))) {
    throw new OperatorError(
      'The Worker has lost RECEIPT_SECRET, which this deployment has used. With a new one, erasures and receipts would be refused. Put it back: npm run secrets -- import FILE --remote. If there is no escrow file, npm run secrets -- renew --remote says what is lost, and makes a new one.'
    )
  }
  return newSecrets(missing)
}

function readOptions() {
  const { values } = readCommandLine(USAGE, {
    options: {
      location: { type: 'string' },
      escrow: { type: 'string' },
      plan: { type: 'boolean' }
    }
  })
  if (values.location !== undefined && !LOCATIONS.includes(values.location)) {
    throw new OperatorError(
      `--location must be one of ${LOCATIONS.join(', ')}; got '${values.location}'.`
    )
  }
  return values
}

/**
 * Creates a resource unless it exists. If the API refuses, runs wrangler, which creates the resource
 * or explains why not.
 * @returns a line to print
 */
async function create(step: Required<Step>, account: Account): Promise<string> {
  const exists = await account.has(step.resource)
  if (!exists && !(await account.create(step.resource))) {
    await run(step)
  }
  return `${exists ? 'Exists already' : 'Created'}: ${commandOf(step.run)}`
}

async function remember(step: Step): Promise<void> {
  const { bookmark } = Bookmark.parse(JSON.parse((await run(step)).stdout))
  const binding = step.run[3] ?? ''
  console.log(
    `${binding} is at the bookmark ${bookmark}. If a migration damages it, restore this state:`
  )
  console.log(`  npx wrangler d1 time-travel restore ${binding} --bookmark ${bookmark}`)
}

/** Removes the escrow file if the failed deployment has not set its secrets, so that the same command can run again. */
async function discardUnused(escrow: NewEscrow | undefined, secrets: Secrets): Promise<void> {
  if (!escrow) {
    return
  }
  const known = await listSecrets().catch(() => Object.keys(secrets))
  if (known.some((name) => name in secrets)) {
    console.error(`${escrow.file} holds the secrets that the Worker has got: leave --escrow out.`)
  } else {
    escrow.discard()
  }
}

/** Deploys the Worker with its new secrets. @returns the Worker's URLs */
async function deploy(step: Step, secrets: Secrets): Promise<string[]> {
  return withSecretsFile(secrets, async (file) => {
    const report = join(dirname(file), 'deploy.ndjson')
    const isNew = Object.keys(secrets).length > 0
    const args = isNew ? [...step.run, '--secrets-file', file] : step.run
    await run({ run: args }, { show: true, env: { WRANGLER_OUTPUT_FILE_PATH: report } })
    const lines = readFileSync(report, 'utf8').trim().split('\n')
    const targets = lines.flatMap(
      (line) => Deployed.safeParse(JSON.parse(line)).data?.targets ?? []
    )
    return targets.filter((target) => target.startsWith('https://'))
  })
}

async function run(step: Step, options?: Parameters<typeof wrangler>[1]) {
  const result = await wrangler(step.run, options)
  if (result.code === 0) {
    return result
  }
  const fault = findFault(`${result.stdout}${result.stderr}`)
  throw new OperatorError(
    `${commandOf(step.run)} failed: ${fault}\nThe steps before it are done. Fix the cause and run the same command again.`
  )
}

function nextSteps([url = '<address>']: string[]): string {
  return `
Edge Analytics is deployed. Check that it answers and that the database has all migrations:
  curl ${url}/readyz

Create the first user, project (with the capture token for SDKs) and API key:
  npm run user -- create --first-name Ada --email ada@example.com --remote
  npm run project -- create --name Shop --remote
  npm run key -- create --label admin --scopes '*' --project 1 --remote`
}

function inEscrow(secrets: Secrets, file: string): string {
  return `
The new secrets ${Object.keys(secrets).join(' and ')} are in ${file}, encrypted. Keep the file and its passphrase in a
safe. If the Worker loses its secrets, put them back: npm run secrets -- import ${file} --remote`
}

function withoutEscrow(secrets: Secrets): string {
  return `
New secrets were made: ${Object.keys(secrets).join(' and ')}. Cloudflare shows them to nobody, and there is no copy. If the
Worker is deleted:
- without RECEIPT_SECRET, earlier receipts lose their signature, and after a restore some erased persons are not found again
- without RECEIPT_KEY, nothing is lost: the next deployment makes another key, and earlier receipts stay valid
To have a copy in a safe, replace both now, before anybody is erased:
  npm run secrets -- renew --accept-loss --escrow FILE --remote`
}
